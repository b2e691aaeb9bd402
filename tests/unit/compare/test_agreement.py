"""Agreement and rank correlation; the degenerate values are those of field case D33."""

import pytest
from sklearn.metrics import cohen_kappa_score  # pyright: ignore[reportUnknownVariableType]  # has no types

from astrolabe.compare import Statistic, cohen_kappa, rank_correlation, raw_agreement, sign_test


def test_two_raters_with_one_label_have_no_kappa_and_full_raw_agreement() -> None:
    ones = [1, 1, 1]

    assert cohen_kappa(ones, ones) == Statistic(None, "only one label")
    assert raw_agreement(ones, ones) == Statistic(1.0)


@pytest.mark.parametrize(
    ("first", "second", "raw"),
    [([1, 1, 0, 0], [1, 0, 0, 1], 0.5), ([1] * 9 + [0], [1] * 10, 0.9)],
)
def test_agreement_that_chance_explains_is_kappa_zero(first: list[int], second: list[int], raw: float) -> None:
    kappa = cohen_kappa(first, second)

    assert kappa == Statistic(0.0)
    assert raw_agreement(first, second) == Statistic(raw)


def test_kappa_is_that_of_the_grant_example() -> None:
    # 50 grants read by two readers: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no. Agreement 0.7, by chance
    # 0.5, kappa 0.4: the worked example of the encyclopedia's article on Cohen's kappa.
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15

    kappa = cohen_kappa(first, second)

    assert kappa.value == pytest.approx(0.4)


def test_kappa_is_that_of_scikit_learn_for_three_labels() -> None:
    first = [0, 1, 2, 2, 1, 0, 0, 2, 1, 1]
    second = [0, 2, 2, 2, 1, 0, 1, 2, 0, 1]

    kappa = cohen_kappa(first, second)

    assert kappa.value == pytest.approx(cohen_kappa_score(first, second))


def test_no_items_have_no_agreement() -> None:
    assert cohen_kappa([], []) == Statistic(None, "no items")


def test_raters_of_different_items_are_refused_with_both_counts() -> None:
    with pytest.raises(ValueError, match="2 items against 3"):
        cohen_kappa([1, 0], [1, 0, 1])


def test_a_constant_side_has_no_rank_correlation() -> None:
    assert rank_correlation([1, 1, 1], [1, 2, 3]) == Statistic(None, "constant input")
    assert rank_correlation([1], [1]) == Statistic(None, "fewer than two items")


def test_ties_count_as_tau_b_has_them() -> None:
    # Pairs: 5 concordant, 0 discordant, 1 tied on the left alone: 5 / sqrt(5 * 6) by hand.
    tau = rank_correlation([1, 1, 2, 3], [1, 2, 3, 4])

    assert tau.value == pytest.approx(5 / 30**0.5)


@pytest.mark.parametrize(("wins", "losses", "p"), [(5, 0, 0.0625), (4, 0, 0.125), (0, 4, 0.125), (3, 3, 1.0)])
def test_the_sign_test_is_exact(wins: int, losses: int, p: float) -> None:
    assert sign_test(wins, losses) == Statistic(p)


def test_the_sign_test_without_wins_and_losses_says_why_it_is_null() -> None:
    assert sign_test(0, 0) == Statistic(None, "no differences")
