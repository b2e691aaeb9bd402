"""Head-to-head counts, with the values of field case D22."""

from typing import Literal

from astrolabe.compare import tally
from astrolabe.core.records import Verdict

Order = Literal["forward", "reverse"]
Winner = Literal["first", "second", "tie"] | None

# Five questions, X against Y: the winner with X shown first, then with Y shown first.
D22: list[tuple[str, Winner, Winner]] = [
    ("q1", "first", "first"),
    ("q2", "first", "second"),
    ("q3", "tie", "tie"),
    ("q4", "second", "second"),
    ("q5", None, "first"),
]


def verdict(question: str, order: Order, winner: Winner, *, first: str = "X", second: str = "Y") -> Verdict:
    return Verdict(
        question_id=question,
        first=first,
        second=second,
        order=order,
        criterion="overall",
        winner=winner,
        reason="read",
        judge="stub",
    )


def verdicts() -> list[Verdict]:
    return [
        one
        for question, forward, reverse in D22
        for one in (verdict(question, "forward", forward), verdict(question, "reverse", reverse))
    ]


# D22
def test_orders_ties_and_unreadable_verdicts_are_counted_apart() -> None:
    duel = tally(verdicts(), first="X", second="Y")

    assert (duel.wins, duel.losses, duel.ties, duel.not_judged) == (1, 1, 2, 1)
    assert (duel.forward, duel.reverse, duel.both) == (62.5, 37.5, 50.0)
    assert (duel.disagreements, duel.judged) == (1, 4)


# D22
def test_the_rates_of_the_two_sides_add_up_to_a_hundred() -> None:
    one = tally(verdicts(), first="X", second="Y")
    other = tally(verdicts(), first="Y", second="X")

    assert (one.both or 0) + (other.both or 0) == 100
    assert (other.wins, other.losses, other.forward) == (one.losses, one.wins, 62.5)


def test_a_record_with_its_methods_swapped_reads_the_same() -> None:
    swapped = [
        verdict("q1", "reverse", "second", first="Y", second="X"),
        verdict("q1", "forward", "second", first="Y", second="X"),
    ]

    assert tally(swapped, first="X", second="Y").wins == 1


def test_nothing_judged_has_null_rates() -> None:
    duel = tally([verdict("q1", "forward", "first")], first="X", second="Y")

    assert (duel.both, duel.not_judged) == (None, 1)
