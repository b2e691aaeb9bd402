"""How sure a mean is: a bootstrap interval over questions."""

import math
import warnings
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

RESAMPLES: Final = 2000
SMALLEST_FOR_BCA: Final = 8
_CELLS_A_BATCH: Final = 1_000_000


class Interval(NamedTuple):
    """A mean and its interval; null bounds where there is no saying."""

    mean: float | None
    low: float | None
    high: float | None


def interval(
    values: Sequence[float],
    *,
    rng: np.random.Generator,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return the mean of `values` and its bootstrap interval.

    The interval is bias-corrected and accelerated (BCa; Efron 1987, as `scipy.stats.bootstrap` has it)
    from eight values on, and the plain percentile interval below, where the acceleration is guessed from
    too little. It is exact in neither: with few questions read it together with their number.

    Returns:
        Three nulls for no values; the mean alone for one value, of which there is no spread; `[v, v]`
        where all values are equal.
    """
    if not values:
        return Interval(None, None, None)
    sample = np.sort(np.asarray(values, dtype=np.float64))
    if len(sample) == 1:
        return Interval(float(sample[0]), None, None)
    if sample[0] == sample[-1]:
        return Interval(float(sample[0]), float(sample[0]), float(sample[0]))
    method = "BCa" if len(sample) >= SMALLEST_FOR_BCA else "percentile"
    low, high = _bounds(sample, method=method, rng=rng, confidence=confidence, resamples=resamples)
    if not np.isfinite([low, high]).all():
        low, high = _bounds(sample, method="percentile", rng=rng, confidence=confidence, resamples=resamples)
    return Interval(math.fsum(sample) / len(sample), low, high)


def _bounds(
    sample: np.ndarray, *, method: str, rng: np.random.Generator, confidence: float, resamples: int
) -> tuple[float, float]:
    from scipy import stats

    # Where BCa cannot be formed (values all but equal) it says so by NaN, which the caller sees.
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        found = stats.bootstrap(
            (sample,),
            np.mean,
            n_resamples=resamples,
            batch=max(1, _CELLS_A_BATCH // len(sample)),
            vectorized=True,
            confidence_level=confidence,
            method=method,
            rng=rng,
        ).confidence_interval
    bounds = np.clip(np.asarray(found, dtype=np.float64), sample[0], sample[-1])  # no further for rounding
    return float(bounds[0]), float(bounds[1])
