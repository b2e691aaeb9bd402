from astrolabe.parts.between import Between


def test_both_ends_of_a_range_are_in_it() -> None:
    assert [number for number in range(9, 23) if Between(11, 20).holds(number)] == list(range(11, 21))


def test_a_range_without_an_end_holds_all_from_its_beginning_on() -> None:
    assert [Between(31).holds(number) for number in (30, 31, 10**9)] == [False, True, True]
