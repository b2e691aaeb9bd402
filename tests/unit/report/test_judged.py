"""Reading what was found: only what has the form is taken, everything else is passed over."""

from pydantic import JsonValue

from astrolabe.core.records import Score
from astrolabe.report.judged import causes, count_causes, found_topics, origins


def score(detail: dict[str, JsonValue], *, metric: str = "topics", method: str = "a") -> Score:
    return Score(question_id="q", method=method, metric=metric, value=1.0, detail=detail)


def test_a_found_topic_has_the_place_of_its_stretch() -> None:
    text = "Wind is cheap. Sun is free."
    found: list[JsonValue] = [
        {"label": "wind", "topics": ["A1", "A2"], "stretch": "Wind is cheap."},
        {"label": "sun", "topics": ["A2"], "stretch": "Sun is free."},
        {"label": "else", "topics": [], "stretch": "absent"},
    ]

    topics = found_topics(score({"covered": ["A1", "A2"], "hit": ["H1"], "found": found}), text)

    assert topics == {"A1": [(0, 14)], "A2": [(0, 14), (15, 27)], "H1": []}


def test_a_stretch_that_the_answer_does_not_hold_has_no_place() -> None:
    found: list[JsonValue] = [{"topics": ["A1"], "stretch": "made up"}]

    assert found_topics(score({"covered": ["A1"], "found": found}), "short") == {"A1": []}


def test_what_does_not_have_the_form_is_passed_over() -> None:
    found: list[JsonValue] = ["A1", {"topics": 3}, {"topics": ["A1", 7], "stretch": None}]

    assert found_topics(score({"covered": ["A1", 2], "hit": "A1", "found": found}), "short") == {"A1": []}
    assert found_topics(score({}), "short") == {}
    assert causes(score({"missed": ["A1", {"topic": "A2"}]})) == {}


def test_causes_and_origins_come_with_their_reasons_and_are_counted_by_method() -> None:
    missed: list[JsonValue] = [
        {"topic": "A1", "cause": "not retrieved", "reason": "not found"},
        {"topic": "A2", "cause": "unsure"},
    ]
    hit: list[JsonValue] = [{"topic": "H1", "cause": "in context", "reason": "the model was shown it"}]
    scores = [
        score({"missed": missed, "hit": hit}, metric="miss_cause"),
        score({"missed": missed}, metric="miss_cause(by=topics)", method="b"),
        score({"missed": ["A1"]}),
    ]

    assert causes(scores[0]) == {"A1": ("not retrieved", "not found"), "A2": ("unsure", "")}
    assert origins(scores[0]) == {"H1": ("in context", "the model was shown it")}
    assert {method: dict(counts) for method, counts in count_causes(scores).items()} == {
        "a": {"not retrieved": 1, "unsure": 1},
        "b": {"not retrieved": 1, "unsure": 1},
    }
