"""Head-to-head verdicts of two methods, counted in both orders."""

from collections.abc import Sequence
from dataclasses import dataclass

from astrolabe.core.records import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """What the verdicts on two methods add up to, over the questions judged in both orders.

    A question is won where both orders name the same winner, and tied otherwise. Rates are the first
    method's, in percent, a tie counting one half; the second's are 100 minus them. Null where no question
    was judged in both orders.
    """

    wins: int
    losses: int
    ties: int
    not_judged: int
    forward: float | None
    reverse: float | None
    both: float | None
    disagreements: int

    @property
    def judged(self) -> int:
        """How many questions were judged in both orders."""
        return self.wins + self.losses + self.ties


def tally(verdicts: Sequence[Verdict], *, first: str, second: str) -> Duel:
    """Count the verdicts on two methods under one criterion and scope.

    A verdict's `winner` is by its own `first` and `second`, whichever answer was shown first; a record
    with the two methods swapped is read as such. An unreadable verdict (winner null) in either order
    leaves its question not judged, in both.
    """
    seen: dict[str, dict[bool, float | None]] = {}
    for verdict in verdicts:
        if {verdict.first, verdict.second} == {first, second}:
            swapped = verdict.first != first
            shown_first = (verdict.order == "forward") != swapped
            seen.setdefault(verdict.question_id, {})[shown_first] = _points(verdict, swapped=swapped)
    judged = [
        (forward, reverse)
        for orders in seen.values()
        if (forward := orders.get(True)) is not None and (reverse := orders.get(False)) is not None
    ]
    wins = sum(pair == (1.0, 1.0) for pair in judged)
    losses = sum(pair == (0.0, 0.0) for pair in judged)
    ties = len(judged) - wins - losses
    return Duel(
        wins=wins,
        losses=losses,
        ties=ties,
        not_judged=len(seen) - len(judged),
        forward=_rate([forward for forward, _ in judged]),
        reverse=_rate([reverse for _, reverse in judged]),
        both=_rate([1.0] * wins + [0.5] * ties + [0.0] * losses),
        disagreements=sum(forward != reverse for forward, reverse in judged),
    )


def _points(verdict: Verdict, *, swapped: bool) -> float | None:
    if verdict.winner is None or verdict.winner == "tie":
        return None if verdict.winner is None else 0.5
    return 1.0 if (verdict.winner == "first") != swapped else 0.0


def _rate(points: Sequence[float]) -> float | None:
    return 100 * sum(points) / len(points) if points else None
