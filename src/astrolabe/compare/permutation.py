"""Is a difference more than chance: the paired sign-flip test, and what many tests at once cost."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

MOST_ENUMERATED: Final = 16
FLIPS: Final = 9999
_CELLS_A_BATCH: Final = 4_000_000
_ROUNDING: Final = 1e-9

Correction = Literal["holm", "bonferroni", "none"]
_Floats: TypeAlias = NDArray[np.float64]


def sign_flip_tests(samples: Sequence[Sequence[float]], *, rng: np.random.Generator, flips: int = FLIPS) -> list[float]:
    """Return for each sample of paired differences the two-sided p of a mean difference of zero.

    If the two methods were alike, each question's difference could as well have the other sign: p is the
    share of the sign patterns whose mean is at least as far from 0 as the one seen. Differences of 0 have
    no sign and change nothing. Up to 16 others, all patterns are enumerated and p is exact (five wins of
    one size and no loss: 2/32 = 0.0625); above, `flips` random ones are drawn and p is
    (b + 1) / (flips + 1), never 0 (Phipson & Smyth 2010). Samples of one length share the drawn patterns,
    so that all pairs of methods cost little more than one.

    Args:
        samples: First method minus second, a number a question. The order within a sample is of no
            consequence as long as p is enumerated; sort by question to have the same p drawn again.
        rng: One number is drawn from it; the patterns depend on that and on the sample's length alone.
        flips: Random patterns where they are not enumerated.

    Returns:
        Numbers in (0, 1]; 1.0 where all differences are 0 or there are none.
    """
    seed = int(rng.integers(2**63))
    tested = [1.0] * len(samples)
    drawn: dict[int, list[int]] = {}
    for index, sample in enumerate(samples):
        signed = [value for value in sample if value != 0.0]
        if len(signed) > MOST_ENUMERATED:
            drawn.setdefault(len(sample), []).append(index)
        elif signed:
            tested[index] = _enumerated(np.asarray(signed, dtype=np.float64))
    for length, indices in drawn.items():
        matrix = np.asarray([samples[index] for index in indices], dtype=np.float64)
        for index, p in zip(indices, _drawn(matrix, np.random.default_rng([seed, length]), flips), strict=True):
            tested[index] = p
    return tested


def adjust(p: Sequence[float], correction: Correction) -> list[float]:
    """Return p values adjusted for being a family, in the order given.

    `holm` (Holm 1979) bounds the chance of any false finding in the family as `bonferroni` does and finds
    at least as much; `none` leaves them as they are. All stay at most 1.
    """
    count = len(p)
    if correction == "none":
        return list(p)
    if correction == "bonferroni":
        return [min(1.0, value * count) for value in p]
    adjusted = [0.0] * count
    highest = 0.0
    for rank, index in enumerate(sorted(range(count), key=p.__getitem__)):
        highest = max(highest, min(1.0, p[index] * (count - rank)))
        adjusted[index] = highest
    return adjusted


def _enumerated(sample: _Floats) -> float:
    sums = np.abs(_all_signs(len(sample)) @ sample)
    return int(np.count_nonzero(sums >= _reached(sample[None, :])[0])) / len(sums)


def _drawn(matrix: _Floats, rng: np.random.Generator, flips: int) -> list[float]:
    samples, length = matrix.shape
    reached = _reached(matrix)
    as_far = np.zeros(samples, dtype=np.int64)
    batch = max(1, _CELLS_A_BATCH // length)
    for start in range(0, flips, batch):
        bits = rng.integers(0, 2, size=(min(batch, flips - start), length), dtype=np.int8)
        as_far += np.count_nonzero(np.abs((1.0 - 2.0 * bits) @ matrix.T) >= reached, axis=0)
    return [(int(count) + 1) / (flips + 1) for count in as_far]


def _reached(matrix: _Floats) -> _Floats:
    """Return how far each sum must be from 0 to count: as far as the one seen, but for rounding."""
    return np.abs(matrix.sum(axis=1)) - _ROUNDING * np.abs(matrix).sum(axis=1)


@lru_cache(maxsize=MOST_ENUMERATED)
def _all_signs(count: int) -> _Floats:
    patterns = np.arange(2**count, dtype=np.uint32)[:, None] >> np.arange(count, dtype=np.uint32)
    return 1.0 - 2.0 * (patterns & 1).astype(np.float64)
