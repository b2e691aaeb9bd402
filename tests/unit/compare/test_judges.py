"""How far two judges agree, on scores worked out by hand."""

import pytest

from astrolabe.compare import judges_agree
from astrolabe.core.records import Score


def scores(*values: float, method: str = "apt") -> list[Score]:
    return [Score(question_id=f"q{n}", method=method, metric="m", value=value) for n, value in enumerate(values)]


def test_agreement_is_told_by_equal_scores_by_distance_and_by_order() -> None:
    first, second = scores(0.0, 0.5, 1.0, 0.8), scores(0.0, 0.6, 0.7, 0.8)

    found = judges_agree(first, second)

    assert (found.answers, found.equal) == (4, 0.5)
    assert found.apart == pytest.approx(0.1)
    assert found.over_answers.value == pytest.approx(4 / 6)
    assert (found.over_methods.value, found.over_methods.reason) == (None, "fewer than two items")


def test_judges_that_put_methods_in_opposite_order_are_minus_one_apart() -> None:
    first = [*scores(0.9, 0.8), *scores(0.1, 0.3, method="vanilla")]
    second = [*scores(0.2, 0.2), *scores(0.5, 0.5, method="vanilla")]

    assert judges_agree(first, second).over_methods.value == -1.0


def test_a_judge_against_itself_agrees_wholly() -> None:
    found = judges_agree(scores(0.1, 0.7), scores(0.1, 0.7))

    assert (found.equal, found.apart, found.over_answers.value) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize("other", [[], scores(0.1), scores(0.1, 0.2, method="vanilla")])
def test_scores_of_different_answers_are_refused(other: list[Score]) -> None:
    with pytest.raises(ValueError, match="the same answers, in one order"):
        judges_agree(scores(0.1, 0.2) if other else [], other)
