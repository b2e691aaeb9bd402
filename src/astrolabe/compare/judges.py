"""Do two judges of the same answers agree."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from astrolabe.compare.agreement import Statistic, rank_correlation
from astrolabe.core.records import Score


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesAgree:
    """How far two judges agree on the same answers.

    Attributes:
        answers: How many answers both scored.
        equal: The share of them with equal scores, in [0, 1].
        apart: The mean distance of the two scores of an answer.
        over_answers: Kendall's tau-b of the scores of the answers.
        over_methods: Kendall's tau-b of the methods' means: whether both judges put methods in one order.
    """

    answers: int
    equal: float
    apart: float
    over_answers: Statistic
    over_methods: Statistic


def judges_agree(first: Sequence[Score], second: Sequence[Score]) -> JudgesAgree:
    """Return how far two judges agree.

    Args:
        first: Scores with a value, at least one.
        second: The other judge's scores of the same answers, in the same order.

    Raises:
        ValueError: There are none, or the two are not of the same answers.
    """
    if not first or [_answer(score) for score in first] != [_answer(score) for score in second]:
        msg = f"{len(first)} scores against {len(second)}: pass both judges' scores of the same answers, in one order"
        raise ValueError(msg)
    one, other = [score.value or 0.0 for score in first], [score.value or 0.0 for score in second]
    distances = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return JudgesAgree(
        answers=len(one),
        equal=sum(math.isclose(distance, 0.0, abs_tol=1e-9) for distance in distances) / len(one),
        apart=math.fsum(distances) / len(one),
        over_answers=rank_correlation(one, other),
        over_methods=rank_correlation(_means(first), _means(second)),
    )


def _answer(score: Score) -> tuple[str, str, str | None]:
    return score.method, score.question_id, score.scope


def _means(scores: Sequence[Score]) -> list[float]:
    """Return the mean of each method, by name."""
    books: dict[str, list[float]] = {}
    for score in scores:
        books.setdefault(score.method, []).append(score.value or 0.0)
    return [math.fsum(own) / len(own) for _, own in sorted(books.items())]
