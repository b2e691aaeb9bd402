"""Bootstrap intervals, against the exact bootstrap distribution and their own promise of coverage."""

from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.compare import Interval, interval, intervals


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_no_value_has_no_mean() -> None:
    assert interval([], rng=rng()) == Interval(None, None, None)


def test_one_value_has_a_mean_and_no_interval() -> None:
    assert interval([0.7], rng=rng()) == Interval(0.7, None, None)


def test_eight_equal_scores_have_an_interval_of_no_width() -> None:
    assert interval([0.5] * 8, rng=rng()) == Interval(0.5, 0.5, 0.5)


def test_the_same_seed_gives_the_same_interval_whatever_the_order() -> None:
    values = [0.1, 0.9, 0.4, 0.4, 0.7, 0.2, 0.6, 0.3, 0.8]

    assert interval(values, rng=rng()) == interval(values[::-1], rng=rng())


def test_few_values_get_the_percentile_interval_of_all_their_resamples() -> None:
    values = [0.0, 0.2, 0.5, 1.0]
    every = np.array([np.mean(chosen) for chosen in product(values, repeat=4)])

    found = interval(values, rng=rng(), resamples=20_000)

    assert found.mean == pytest.approx(0.425)
    assert [found.low, found.high] == pytest.approx(np.percentile(every, [2.5, 97.5]), abs=0.03)


def test_more_values_get_the_bca_interval_of_the_exact_bootstrap_distribution() -> None:
    values = np.array([0.013, 0.057, 0.102, 0.131, 0.218, 0.307, 0.604, 0.991])
    exact = _exact_bca(values)

    found = interval(values.tolist(), rng=rng(), resamples=20_000)

    assert [found.low, found.high] == pytest.approx(exact, abs=0.01)


def _exact_bca(values: np.ndarray) -> list[float]:
    """BCa (Efron 1987) over the distribution that counts every resample, by convolving 8 draws."""
    unit = np.zeros(1001)
    for value in values:
        unit[round(value * 1000)] += 1 / len(values)
    mass = np.ones(1)
    for _ in values:
        mass = np.convolve(mass, unit)
    cumulated = np.cumsum(mass)
    seen = round(values.sum() * 1000)
    normal = NormalDist()
    bias = normal.inv_cdf(float(cumulated[seen] - mass[seen] / 2))
    centred = values - values.mean()
    skew = float((centred**3).sum() / (6 * (centred**2).sum() ** 1.5))
    ends: list[float] = []
    for share in (0.025, 0.975):
        z = bias + normal.inv_cdf(share)
        level = normal.cdf(bias + z / (1 - skew * z))
        ends.append(float(np.searchsorted(cumulated, level)) / 1000 / len(values))
    return ends


def test_a_95_percent_interval_holds_the_true_mean_about_95_times_in_a_hundred() -> None:
    source = rng(7)
    true = 0.3
    samples = [source.binomial(1, true, size=40).astype(float).tolist() for _ in range(150)]

    found = [interval(sample, rng=rng(index), resamples=500) for index, sample in enumerate(samples)]
    held = sum(one.low is not None and one.high is not None and one.low <= true <= one.high for one in found)

    assert 0.88 <= held / len(samples) <= 0.99


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_an_interval_stays_within_the_values(values: list[float]) -> None:
    found = interval(values, rng=rng(), resamples=100)

    assert found.mean is not None
    assert found.low is not None
    assert found.high is not None
    assert min(values) <= found.low <= found.high <= max(values)


def test_a_sample_has_the_same_interval_alone_and_among_others() -> None:
    source = rng(3)
    samples = [source.random(length).tolist() for length in (20, 5, 20, 1, 300, 20, 300)]

    together = intervals(samples, rng=rng())

    assert together == [interval(sample, rng=rng()) for sample in samples]
    assert together != intervals(samples, rng=rng(2))


def test_values_that_differ_by_rounding_alone_still_have_finite_bounds() -> None:
    values = [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]

    found = interval(values, rng=rng())

    assert found.low == pytest.approx(0.3)
    assert found.high == pytest.approx(0.3)
