"""What answers took, and every figure by the number of gold pages that questions need."""

import pytest

from astrolabe.core.records import Answer, Question, Score, Span, Step, Topic, Usage
from astrolabe.study.taken import Estimating, by_gold_pages, gold_page_count, taken_scores

HOW = Estimating(seed=0, confidence=0.95, ranges={"set_f1": (0.0, 1.0), "evidence_recall": (0.0, 1.0)})


def asked(name: str, pages: int) -> Question:
    """Return a question that needs so many pages."""
    return Question(id=name, text="Which towns?", evidence=tuple(f"d{number}" for number in range(pages)))


def answered(name: str, calls: int, *trace: Step) -> Answer:
    """Return an answer that took so many calls of ten tokens."""
    usage = Usage(calls=calls, prompt_tokens=7 * calls, completion_tokens=3 * calls)
    return Answer(question_id=name, method="apt", text="Oslo", usage=usage, duration_seconds=0.5 * calls, trace=trace)


def scored(name: str, value: float | None, metric: str = "set_f1", **parts: float) -> Score:
    """Return a score; null is one that could not be given."""
    status, reason = ("scored", None) if value is not None else ("unscored", "why")
    return Score(
        question_id=name, method="apt", metric=metric, value=value, parts={**parts}, status=status, reason=reason
    )


def node(name: str, parent: str | None) -> Step:
    return Step(id=name, parent=parent, stage="node", mode="external")


@pytest.mark.parametrize(
    ("pages", "title"),
    [
        (0, "none"),
        (1, "1 to 10"),
        (10, "1 to 10"),
        (11, "11 to 20"),
        (20, "11 to 20"),
        (21, "21 to 30"),
        (31, "31 and more"),
    ],
)
def test_a_question_is_in_the_bucket_of_its_gold_pages(pages: int, title: str) -> None:
    other = asked("other", 25 if pages != 21 else 5)
    questions = {one.id: one for one in (asked("q", pages), other)}

    buckets = by_gold_pages([scored("q", 0.5), scored("other", 0.5)], [], questions, HOW)

    assert title in {bucket.pages for bucket in buckets}
    assert all(bucket.questions == 1 for bucket in buckets)


def test_each_bucket_has_the_means_of_its_own_questions() -> None:
    questions = {name: asked(name, pages) for name, pages in (("a", 2), ("b", 3), ("c", 12), ("d", 0))}
    scores = [scored("a", 1.0), scored("b", 0.5), scored("c", 0.2), scored("d", 0.0)]
    recall = [scored(name, 0.0, "evidence_recall", page_recall=value) for name, value in (("a", 0.5), ("b", 1.0))]
    taken = taken_scores([answered("a", 2), answered("b", 4), answered("c", 9), answered("d", 1)])

    buckets = by_gold_pages([*scores, *recall], taken, questions, HOW)

    means = [
        {(one.metric, one.part): one.value for one in bucket.estimates if one.part in {None, "page_recall", "tokens"}}
        for bucket in buckets
    ]
    assert [(bucket.pages, bucket.questions) for bucket in buckets] == [("1 to 10", 2), ("11 to 20", 1), ("none", 1)]
    assert [one["set_f1", None] for one in means] == [0.75, 0.2, 0.0]
    assert [one["answer", None] for one in means] == [3.0, 9.0, 1.0]
    assert [one["answer", "tokens"] for one in means] == [30.0, 90.0, 10.0]
    assert means[0]["evidence_recall", "page_recall"] == 0.75


def test_an_unscored_answer_counts_as_asked_in_its_bucket() -> None:
    questions = {name: asked(name, pages) for name, pages in (("a", 2), ("b", 3), ("c", 12))}

    buckets = by_gold_pages([scored("a", 1.0), scored("b", None), scored("c", 1.0)], [], questions, HOW)

    assert [(one.value, one.n_scored, one.n_asked) for one in buckets[0].estimates] == [(1.0, 1, 2)]


def test_questions_of_one_bucket_are_not_shown_a_second_time() -> None:
    questions = {name: asked(name, 2) for name in "ab"}

    assert by_gold_pages([scored("a", 1.0), scored("b", 0.0)], [], questions, HOW) == []


def test_gold_pages_are_those_of_the_topics_where_the_question_names_none() -> None:
    spans = tuple(Span(document_id=name, start=0, end=1, quote="x") for name in ("d1", "d2"))
    topical = Question(id="q", text="Why?", topics=(Topic(id="A1", text="tides", evidence=spans),))
    named = Question(id="q", text="Which?", extra={"gold_pages": ["Oslo", "Bergen", "Oslo"]})

    assert (gold_page_count(topical), gold_page_count(named), gold_page_count(asked("q", 3))) == (2, 2, 3)


def test_what_an_answer_took_is_read_from_its_usage_and_trace() -> None:
    tree = answered("q", 2, node("0", None), node("1", "0"), node("2", "0"))

    (score,) = taken_scores([tree])

    assert (score.metric, score.value) == ("answer", 2.0)
    assert score.parts == {"tokens": 20.0, "seconds": 1.0, "depth": 2.0, "breadth": 2.0}


def test_an_answer_with_a_call_from_the_record_has_no_tokens_and_seconds() -> None:
    answer = answered("q", 2).model_copy(update={"usage": Usage(calls=2, recorded=1, prompt_tokens=7)})

    (score,) = taken_scores([answer])

    assert (score.value, score.parts["tokens"], score.parts["seconds"]) == (2.0, None, None)


def test_without_a_trace_there_is_no_depth_and_without_a_split_no_breadth() -> None:
    bare, whole = taken_scores([answered("q", 1), answered("q", 1, node("0", None))])

    assert not {"depth", "breadth"} & bare.parts.keys()
    assert (whole.parts["depth"], "breadth" in whole.parts) == (1.0, False)
