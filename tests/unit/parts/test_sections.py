import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.tokens import count_tokens
from astrolabe.parts.sections import Packed, Row, Section, packed


def section(title: str, tokens: int, *texts: str) -> Section:
    return Section(title=title, rows=[Row(text, (f"p-{text[:1]}",)) for text in texts], tokens=tokens)


def texts(result: Packed) -> list[list[str]]:
    return [[row.text for row in kept] for kept in result.rows]


def test_each_section_stands_under_its_heading_with_the_rows_that_fit() -> None:
    result = packed([section("Entities", 4, "a b", "c d", "e f"), section("Sources", 3, "x y z")], 100)

    assert result.text == "Entities:\n\na b\nc d\n\nSources:\n\nx y z"
    assert texts(result) == [["a b", "c d"], ["x y z"]]


def test_a_section_without_rows_has_no_heading_and_keeps_its_place_among_the_rows() -> None:
    result = packed([section("Entities", 9), section("Sources", 9, "x")], 100)

    assert result.text == "Sources:\n\nx"
    assert texts(result) == [[], ["x"]]
    assert packed([], 100).text == ""


def test_a_worse_row_never_takes_a_better_ones_place() -> None:
    assert texts(packed([section("S", 4, "a", "b c d e f", "g")], 100)) == [["a"]]


def test_the_first_row_is_always_shown_cut_to_the_budget() -> None:
    assert texts(packed([section("S", 3, "a b c d e")], 100)) == [["a b c"]]
    assert texts(packed([section("S", 0, "a b c d e")], 100)) == [["a"]]


def test_all_sections_shrink_by_the_same_factor_where_the_kit_takes_less() -> None:
    wide = section("A", 8, *"abcdefgh"), section("B", 4, *"wxyz")

    result = packed(wide, 6)

    assert texts(result) == [list("abcd"), list("wx")]


def test_a_section_that_is_not_full_leaves_its_room_to_the_others() -> None:
    result = packed([section("A", 1_000, "a"), section("B", 10, *"qrstuvwxyz")], 11)

    assert texts(result) == [["a"], list("qrstuvwxyz")]


def test_rows_of_several_lines_stand_apart() -> None:
    result = packed([section("S", 50, "one\ntwo", "three")], 100)

    assert result.text == "S:\n\none\ntwo\n\nthree"


def test_the_passages_of_the_rows_that_are_shown_come_once_in_order() -> None:
    rows = [Row("a", ("p2", "p1")), Row("b", ("p1", "p3")), Row("c", ("p4",))]

    result = packed([Section(title="S", rows=rows, tokens=2)], 100)

    assert result.passages == ("p2", "p1", "p3")


@pytest.mark.parametrize("text", ["数据库很大", "x" * 300, "émigré naïveté"])
def test_a_row_is_cut_between_characters_in_any_script(text: str) -> None:
    ((kept,),) = texts(packed([section("S", 2, text)], 100))

    assert text.startswith(kept)
    assert kept


ROWS = st.lists(st.text(alphabet="ab \n", min_size=1, max_size=12), max_size=6)


@given(st.lists(st.tuples(ROWS, st.integers(0, 12)), max_size=4), st.integers(1, 40))
def test_what_is_shown_is_a_beginning_of_each_section_within_its_budget_and_the_kits(
    given_sections: list[tuple[list[str], int]], limit: int
) -> None:
    sections = [section("S", tokens, *rows) for rows, tokens in given_sections]

    result = packed(sections, limit)

    total = 0
    for one, kept in zip(sections, texts(result), strict=True):
        every = [row.text for row in one.rows]
        spent = sum(map(count_tokens, kept))
        assert kept[:-1] == every[: max(0, len(kept) - 1)]
        assert not every or every[len(kept) - 1].startswith(kept[-1])
        assert len(kept) <= 1 or kept[-1] == every[len(kept) - 1]
        assert spent <= max(1, one.tokens)
        total += spent
    assert total <= limit + sum(bool(one.rows) for one in sections)
