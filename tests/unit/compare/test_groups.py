"""Groups of methods that cannot be told apart."""

from typing import Literal

from astrolabe.compare import groups
from astrolabe.core.records import Comparison, Estimate

Verdict = Literal["better", "worse", "cannot tell"]


def compared(first: str, second: str, verdict: Verdict, scope: str | None = "hard") -> Comparison:
    return Comparison(
        metric="topics",
        scope=scope,
        first=first,
        second=second,
        n=9,
        difference=0.1,
        verdict=verdict,
        correction="holm",
    )


def mean(method: str, value: float | None, scope: str | None = "hard", part: str | None = None) -> Estimate:
    return Estimate(metric="topics", part=part, method=method, scope=scope, value=value, n_scored=9, n_asked=9)


def test_a_method_between_two_others_is_in_both_groups_best_first() -> None:
    comparisons = [
        compared("extractive", "raptor", "worse"),
        compared("extractive", "vanilla", "cannot tell"),
        compared("raptor", "vanilla", "cannot tell"),
    ]
    means = [mean("extractive", 0.2), mean("raptor", 0.5), mean("vanilla", 0.4)]

    assert groups(comparisons, means) == {"hard": [["raptor", "vanilla"], ["vanilla", "extractive"]]}


def test_methods_that_all_differ_are_groups_of_one() -> None:
    comparisons = [compared("a", "b", "better"), compared("a", "c", "better"), compared("b", "c", "better")]
    means = [mean("a", 0.9), mean("b", 0.5), mean("c", 0.1)]

    assert groups(comparisons, means) == {"hard": [["a"], ["b"], ["c"]]}


def test_where_less_is_better_the_lowest_mean_leads() -> None:
    comparisons = [compared("a", "b", "cannot tell")]
    means = [mean("a", 0.9), mean("b", 0.1)]

    assert groups(comparisons, means, more_is_better=False) == {"hard": [["b", "a"]]}


def test_a_method_without_a_mean_is_in_no_group() -> None:
    comparisons = [compared("a", "b", "cannot tell"), compared("a", "c", "cannot tell"), compared("b", "c", "better")]
    means = [mean("a", None), mean("b", 0.5), mean("c", 0.1)]

    assert groups(comparisons, means) == {"hard": [["b"], ["c"]]}


def test_scopes_are_apart_and_other_parts_are_passed_over() -> None:
    comparisons = [compared("a", "b", "cannot tell", None), compared("a", "b", "better", "hard")]
    means = [mean("a", 0.9, None), mean("b", 0.5, None), mean("a", 0.9), mean("b", 0.5), mean("b", 0.99, part="t_rec")]

    assert groups(comparisons, means) == {None: [["a", "b"]], "hard": [["a"], ["b"]]}


def test_a_method_with_fewer_than_six_questions_in_common_is_in_no_group() -> None:
    few = compared("a", "c", "cannot tell").model_copy(update={"n": 5})
    comparisons = [compared("a", "b", "cannot tell"), few, few.model_copy(update={"first": "b"})]
    means = [mean("a", 0.9), mean("b", 0.8), mean("c", 0.1)]

    assert groups(comparisons, means) == {"hard": [["a", "b"]]}
