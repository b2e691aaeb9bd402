"""Do two raters, or two rankings, agree: numbers that are null with a reason where there is no saying."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

_TWO: Final = 2  # the fewest items that have an order


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number, or null with the reason why it cannot be determined."""

    value: float | None
    reason: str | None = None


def raw_agreement(first: Sequence[Hashable], second: Sequence[Hashable]) -> Statistic:
    """Return the share of items, in [0, 1], to which both raters gave the same label.

    Raises:
        ValueError: The raters did not rate the same number of items.
    """
    _same_length(first, second)
    if not first:
        return Statistic(None, "no items")
    return Statistic(sum(one == two for one, two in zip(first, second, strict=True)) / len(first))


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> Statistic:
    """Return two raters' agreement beyond chance (Cohen 1960), in [-1, 1]; 0 is chance.

    Labels are names without an order. Null with `only one label` where neither rater used a second one:
    then agreement by chance is certain, and beyond it there is nothing. Show it with the raw agreement.

    Raises:
        ValueError: The raters did not rate the same number of items.
    """
    seen = raw_agreement(first, second)
    if seen.value is None:
        return seen
    one, two = Counter(first), Counter(second)
    if len(one | two) == 1:
        return Statistic(None, "only one label")
    chance = sum(one[label] * two[label] for label in one) / len(first) ** 2
    return Statistic((seen.value - chance) / (1 - chance))


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> Statistic:
    """Return Kendall's tau-b of two rankings, in [-1, 1]; ties are allowed for.

    Null for fewer than two items, and with `constant input` where one side is all ties.

    Raises:
        ValueError: The two are not of equal length.
    """
    from scipy import stats

    _same_length(first, second)
    if len(first) < _TWO:
        return Statistic(None, "fewer than two items")
    if len(set(first)) == 1 or len(set(second)) == 1:
        return Statistic(None, "constant input")
    tau: float = stats.kendalltau(first, second)[0]  # pyright: ignore[reportAssignmentType]  # scipy's result has no types
    return Statistic(float(tau))


def sign_test(wins: int, losses: int) -> Statistic:
    """Return the exact two-sided p of as uneven a split as this between two equal methods; ties do not count.

    Null with `no differences` where there are neither wins nor losses.

    Examples:
        >>> sign_test(5, 0).value
        0.0625
    """
    count = wins + losses
    if not count:
        return Statistic(None, "no differences")
    tail = sum(math.comb(count, split) for split in range(min(wins, losses) + 1))
    return Statistic(min(1.0, 2 * tail / 2**count))


def _same_length(first: Sequence[object], second: Sequence[object]) -> None:
    if len(first) != len(second):
        msg = f"{len(first)} items against {len(second)}: pass the items that both have, in one order"
        raise ValueError(msg)
