"""Bootstrap intervals, against the exact bootstrap distribution and their own promise of coverage."""

from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from astrolabe.compare import Interval, interval, intervals


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_no_value_has_no_mean() -> None:
    assert interval([], rng=rng()) == Interval(None, None, None)


def test_one_value_has_a_mean_and_no_interval() -> None:
    assert interval([0.7], rng=rng()) == Interval(0.7, None, None)


@pytest.mark.parametrize("limits", [None, (0.0, float("inf")), (0.6, 1.0)])
def test_equal_scores_whose_limits_are_not_known_have_no_interval(limits: tuple[float, float] | None) -> None:
    assert interval([0.5] * 8, rng=rng(), limits=limits) == Interval(0.5, None, None, equal=True)


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        # Clopper and Pearson's exact intervals, as scipy.stats.binomtest and R's binom.test print them.
        ([1.0] * 10, 0.6915029, 1.0),
        ([0.0] * 10, 0.0, 0.3084971),
        ([0.0] * 20, 0.0, 0.1684335),
        ([0.4] * 5, 0.4 * 0.4781762, 0.4 * 0.4781762 + 0.5218238),
    ],
)
def test_equal_scores_have_the_interval_that_so_few_of_them_allow_for(
    values: list[float], low: float, high: float
) -> None:
    found = interval(values, rng=rng(), limits=(0.0, 1.0))

    assert found == pytest.approx((values[0], low, high, True), abs=1e-6)


@pytest.mark.parametrize("count", [2, 3, 7, 8, 30, 1000])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_equal_scores_of_one_have_the_exact_bound_of_a_proportion(count: int, confidence: float) -> None:
    exact = float(beta.ppf((1 - confidence) / 2, count, 1))

    ones = interval([1.0] * count, rng=rng(), limits=(0.0, 1.0), confidence=confidence)
    noughts = interval([0.0] * count, rng=rng(), limits=(0.0, 1.0), confidence=confidence)

    assert (ones.low, ones.high) == (pytest.approx(exact), 1.0)
    assert (noughts.low, noughts.high) == (0.0, pytest.approx(1 - exact))


@given(
    st.lists(st.floats(0, 1), min_size=3, max_size=3),
    st.lists(st.integers(1, 1000), min_size=3, max_size=3),
    st.integers(2, 40),
)
def test_where_the_mean_of_all_lies_outside_equal_scores_come_up_less_than_once_in_forty(
    values: list[float], weights: list[int], count: int
) -> None:
    shares = [weight / sum(weights) for weight in weights]
    mean = sum(value * share for value, share in zip(values, shares, strict=True))

    for value in values:
        found = interval([value] * count, rng=rng(), limits=(0.0, 1.0))
        assert found.low is not None
        assert found.high is not None
        chance = sum(share for one, share in zip(values, shares, strict=True) if one == value) ** count
        assert found.low - 1e-9 <= mean <= found.high + 1e-9 or chance <= 0.025 + 1e-9


def test_each_sample_has_limits_of_its_own() -> None:
    samples = [[0.0] * 5, [0.0] * 5, [0.0, 1.0]]

    found = intervals(samples, rng=rng(), limits=[(0.0, 1.0), (-1.0, 1.0), None])

    assert [(one.low, one.high) for one in found[:2]] == [
        (0.0, pytest.approx(0.5218238)),
        (pytest.approx(-0.5218238), pytest.approx(0.5218238)),
    ]
    assert found[2][1:] == (0.0, 1.0, False)


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


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12).filter(lambda values: max(values) - min(values) > 1e-9))
def test_an_interval_stays_within_values_that_differ(values: list[float]) -> None:
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


def test_values_that_differ_by_rounding_alone_are_equal() -> None:
    values = [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]

    found = interval(values, rng=rng(), limits=(0.0, 1.0))

    assert found == pytest.approx(interval([0.3] * 8, rng=rng(), limits=(0.0, 1.0)))
    assert found.equal
