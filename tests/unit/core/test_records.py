from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from astrolabe.core.records import Answer, Passage, Question, Score, Usage


def test_an_unknown_field_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="colour"):
        Question.model_validate({"id": "q1", "text": "why?", "colour": "red"})


def test_a_passage_must_span_its_text() -> None:
    with pytest.raises(ValidationError, match="start 3 and end 9 do not lie in a text of 2 characters"):
        Passage(id="p", document_id="d", text="ab", start=3, end=9, tokens=1)


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "ok", "text": " "},
        {"status": "failed"},
        {"status": "empty", "reason": ""},
    ],
)
def test_an_answer_has_text_or_says_why_not(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Answer.model_validate({"question_id": "q", **fields})


@pytest.mark.parametrize(
    "fields",
    [
        {"value": None},
        {"value": 0.0, "status": "unscored", "reason": "no topics"},
        {"value": None, "status": "unscored"},
        {"value": float("nan")},
    ],
)
def test_a_failure_is_never_a_number(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Score.model_validate({"question_id": "q", "method": "m", "metric": "topics", **fields})


usages = st.builds(
    Usage,
    calls=st.integers(0, 9),
    recorded=st.integers(0, 9),
    prompt_tokens=st.integers(0, 9),
    usd=st.none() | st.integers(0, 9).map(float),
    seconds=st.integers(0, 9).map(float),
)


@given(usages, usages, usages)
def test_usage_adds_up_in_any_order(one: Usage, two: Usage, three: Usage) -> None:
    assert one + two == two + one
    assert (one + two) + three == one + (two + three)
    assert one + Usage() == one


def test_a_sum_with_an_unknown_price_is_unknown() -> None:
    assert (Usage(usd=1.0) + Usage(usd=None)).usd is None
