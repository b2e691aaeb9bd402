"""How sure a mean is: bootstrap intervals over questions, and what can be said where there is no spread."""

import math
import warnings
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

RESAMPLES: Final = 2000
SMALLEST_FOR_BCA: Final = 8
_CELLS_A_BATCH: Final = 4_000_000
_DIGITS: Final = 12
_ALIKE: Final = 10.0**-_DIGITS

_Floats: TypeAlias = NDArray[np.float64]


Limits: TypeAlias = tuple[float, float]
"""The lowest and the highest that a value can be."""


class Interval(NamedTuple):
    """A mean and its interval; null bounds where there is no saying.

    `equal` says that two or more values are all the same, so that the interval is that of `equal_values`.
    """

    mean: float | None
    low: float | None
    high: float | None
    equal: bool = False


def interval(
    values: Sequence[float],
    *,
    rng: np.random.Generator,
    limits: Limits | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return the mean of `values` and its bootstrap interval; see `intervals`."""
    return intervals([values], rng=rng, limits=[limits], confidence=confidence, resamples=resamples)[0]


def intervals(
    samples: Sequence[Sequence[float]],
    *,
    rng: np.random.Generator,
    limits: Sequence[Limits | None] = (),
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> list[Interval]:
    """Return for each sample its mean and the bootstrap interval of it.

    The interval is bias-corrected and accelerated (BCa; Efron 1987, as `scipy.stats.bootstrap` has it)
    from eight values on, and the plain percentile interval below, where the acceleration is guessed from
    too little. It is exact in neither: with few questions read it together with their number. Samples of
    one length share the drawn resamples, so that a thousand of them cost little more than ten.

    Args:
        samples: Each in any order.
        rng: One number is drawn from it; the resamples depend on that and on a sample's length alone, so
            that an interval does not depend on the other samples.
        limits: Of each sample's values, in the order of the samples; null, or none at all, where they are not known.
        confidence: Of the intervals, in (0, 1).
        resamples: How many are drawn.

    Returns:
        Three nulls for no values; the mean alone for one value, of which there is no spread. Where all values are
        equal (but for rounding) resampling says nothing: the interval is that of `equal_values`, and there is none
        where the limits are not known.
    """
    seed = int(rng.integers(2**63))
    found: list[Interval] = [Interval(None, None, None)] * len(samples)
    varied: dict[int, list[int]] = {}
    for index, sample in enumerate(samples):
        if not sample:
            continue
        if len(sample) == 1:
            found[index] = Interval(sample[0], None, None)
        elif not math.isclose(min(sample), max(sample), rel_tol=_ALIKE, abs_tol=_ALIKE):
            varied.setdefault(len(sample), []).append(index)
        else:
            own = limits[index] if limits else None
            found[index] = equal_values(math.fsum(sample) / len(sample), len(sample), own, confidence=confidence)
    for length, indices in varied.items():
        rows = np.sort(np.asarray([samples[index] for index in indices], dtype=np.float64), axis=1)
        draw = _Draw(seed=seed, length=length, confidence=confidence, resamples=resamples)
        for index, (low, high) in zip(indices, draw.bounds(rows).tolist(), strict=True):
            found[index] = Interval(math.fsum(samples[index]) / length, low, high)
    return found


def equal_values(value: float, count: int, limits: Limits | None, *, confidence: float = 0.95) -> Interval:
    """Return the interval of the mean where `count` values are all equal.

    So many equal values would hardly have come up if the share of equal ones among all were below
    q = ((1 - confidence) / 2) ** (1 / count), the lower bound of Clopper and Pearson (1934) for `count` of `count`. The
    others can be anything within the limits, so the mean lies between `q * value + (1 - q) * limit` for the lower and
    the upper limit. For values of 0 and 1 that is the interval of Clopper and Pearson, for others it is wider than need
    be: nothing is assumed of what was not seen.

    Args:
        value: Each of the values.
        count: How many there are.
        limits: Between what a value can lie; without them, or where one is infinite or the value lies outside, there
            is no interval.
        confidence: Of the interval, in (0, 1).

    Examples:
        >>> [round(bound, 4) for bound in equal_values(1.0, 10, (0.0, 1.0))[1:3]]
        [0.6915, 1.0]
    """
    if limits is None or not all(map(math.isfinite, limits)) or not limits[0] <= value <= limits[1]:
        return Interval(value, None, None, equal=True)
    share = ((1 - confidence) / 2) ** (1 / count)
    low, high = (share * value + (1 - share) * limit for limit in limits)
    return Interval(value, min(low, value), max(high, value), equal=True)


class _Draw(NamedTuple):
    seed: int
    length: int
    confidence: float
    resamples: int

    def bounds(self, rows: _Floats) -> _Floats:
        """Return the two bounds of every row, none further out than its values."""
        batch = max(1, min(self.resamples, _CELLS_A_BATCH // self.length))
        step = max(1, _CELLS_A_BATCH // (batch * self.length))
        scale = np.abs(rows).max(axis=1, keepdims=True)
        scaled = rows / scale
        chunks = [scaled[start : start + step] for start in range(0, len(rows), step)]
        found = np.concatenate([self._chunk(chunk, batch) for chunk in chunks])
        return np.clip(found * scale, rows[:, :1], rows[:, -1:])

    def _chunk(self, rows: _Floats, batch: int) -> _Floats:
        if self.length < SMALLEST_FOR_BCA:
            return self._asked(rows, batch, "percentile")
        found = self._asked(rows, batch, "BCa")
        undefined = ~np.isfinite(found).all(axis=1)
        if undefined.any():
            found[undefined] = self._asked(rows[undefined], batch, "percentile")
        return found

    def _asked(self, rows: _Floats, batch: int, method: Literal["BCa", "percentile"]) -> _Floats:
        from scipy import stats

        # Where BCa cannot be formed (values all but equal) it says so by NaN, which the caller sees.
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", stats.DegenerateDataWarning)
            found = stats.bootstrap(
                (rows,),
                _mean,
                axis=1,
                n_resamples=self.resamples,
                batch=batch,
                vectorized=True,
                confidence_level=self.confidence,
                method=method,
                rng=np.random.default_rng([self.seed, self.length]),
            ).confidence_interval
        return np.round(np.asarray(found, dtype=np.float64).T, _DIGITS)


def _mean(values: _Floats, axis: int) -> _Floats:
    """Return means that are equal where they are equal but for the order in which a machine adds."""
    means: _Floats = np.mean(values, axis=axis)
    return np.asarray(np.round(means, _DIGITS), dtype=np.float64)
