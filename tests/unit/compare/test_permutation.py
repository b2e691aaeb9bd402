"""The sign-flip test and the corrections, against enumeration, oracles and published numbers."""

from itertools import product
from statistics import fmean
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests  # pyright: ignore[reportUnknownVariableType]  # has no types

from astrolabe.compare import Correction, adjust, sign_flip_tests

# Darwin's fifteen pairs of maize plants, in eighths of an inch (Fisher, The Design of Experiments, 1935,
# section 21): of 32,768 sign patterns 863 reach the total of 314 on one side, 1,726 on both.
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def p_of(sample: list[float], seed: int = 1) -> float:
    return sign_flip_tests([sample], rng=np.random.default_rng(seed))[0]


def test_fishers_count_of_darwins_maize_comes_out() -> None:
    p = p_of([float(value) for value in MAIZE])

    assert p == 1726 / 32768


@pytest.mark.parametrize(("wins", "p"), [(5, 0.0625), (4, 0.125), (6, 0.03125)])
def test_wins_of_one_size_without_a_loss_are_exact(wins: int, p: float) -> None:
    assert p_of([0.3] * wins) == p


def test_no_differences_are_p_one_never_below() -> None:
    assert sign_flip_tests([[0.0] * 5, []], rng=np.random.default_rng(1)) == [1.0, 1.0]


def test_questions_without_a_difference_change_nothing() -> None:
    assert p_of([0.2, 0.1, -0.05, 0.0, 0.0, 0.0]) == p_of([0.2, 0.1, -0.05])


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=7))
def test_p_is_the_share_of_all_patterns_that_reach_the_sum(sample: list[int]) -> None:
    reached = abs(sum(sample))
    patterns = [
        sum(s * v for s, v in zip(signs, sample, strict=True)) for signs in product((1, -1), repeat=len(sample))
    ]

    p = p_of([value / 10 for value in sample])

    assert p == pytest.approx(fmean(abs(total) >= reached for total in patterns))


@given(st.lists(st.floats(-1, 1).map(lambda value: round(value, 3)), min_size=1, max_size=30))
def test_the_test_is_blind_to_which_method_is_first(sample: list[float]) -> None:
    assert p_of(sample) == p_of([-value for value in sample])


def test_drawn_patterns_come_close_to_the_exact_p_and_repeat() -> None:
    source = np.random.default_rng(3)
    sample = source.normal(0.25, 1.0, size=17).tolist()
    exact = stats.permutation_test(
        (np.array(sample),), np.mean, permutation_type="samples", n_resamples=2**17, batch=4096, vectorized=True
    ).pvalue

    p = p_of(sample)

    assert p == pytest.approx(float(exact), abs=0.015)
    assert p == p_of(sample)


def test_a_drawn_p_is_never_zero() -> None:
    assert p_of([1.0] * 40) == 1 / 10_000


def test_a_pair_has_the_same_p_alone_and_among_others() -> None:
    source = np.random.default_rng(5)
    samples = source.normal(0.1, 1.0, size=(6, 25)).tolist()

    together = sign_flip_tests(samples, rng=np.random.default_rng(1))

    assert together == [p_of(sample) for sample in samples]


def test_holm_is_that_of_the_worked_example() -> None:
    # p 0.01, 0.04, 0.03, 0.005: the example of the encyclopedia's article on the Holm-Bonferroni method
    # rejects the first and the last at 0.05 and stops there.
    adjusted = adjust([0.01, 0.04, 0.03, 0.005], "holm")

    assert adjusted == pytest.approx([0.03, 0.06, 0.06, 0.02])


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
@pytest.mark.parametrize("count", [1, 2, 7, 36])
def test_corrections_are_those_of_statsmodels(correction: Correction, count: int) -> None:
    p: list[float] = (np.random.default_rng(count).random(count) ** 3).tolist()
    expected = cast("np.ndarray", multipletests(p, method=correction)[1])

    assert adjust(p, correction) == pytest.approx(expected.tolist())


def test_no_correction_leaves_p_as_it_is() -> None:
    assert adjust([0.2, 0.01], "none") == [0.2, 0.01]
