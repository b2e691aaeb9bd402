from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astrolabe.benchmark import ScopedBenchmark, compute_scopes
from astrolabe.core.errors import UserError
from astrolabe.core.ids import text_hash
from astrolabe.core.protocols import Vectors
from astrolabe.core.records import Document, Kind, Question


def document(name: str, text: str = "text") -> Document:
    status = "ok" if text else "empty"
    return Document(
        id=name,
        title=name,
        text=text,
        source=name,
        media_type="text/plain",
        sha256=text_hash(text),
        status=status,
        reason=None if text else "no text",
    )


def question(name: str, *evidence: str, kind: Kind = "single_sum") -> Question:
    return Question(id=name, text=f"{name}?", kind=kind, evidence=evidence)


def points(*numbers: float) -> Vectors:
    angles = np.array(numbers, dtype=np.float32)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def scoped(questions: Sequence[Question], vectors: Vectors, *, seed: int = 1, size: int = 2) -> ScopedBenchmark:
    documents = [document(f"d{n}") for n in range(10)]
    return compute_scopes(questions, documents, vectors=vectors, rng=np.random.default_rng(seed), cluster_size=size)


def held(benchmark: ScopedBenchmark, name: str) -> list[set[str]]:
    by_id = {scope.id: set(scope.documents) for scope in benchmark.scopes}
    return [by_id[question.scopes[name]] for question in benchmark.questions]


def test_simple_is_the_questions_middle_the_clusters_and_hard_the_kinds_evidence() -> None:
    questions = [
        question("a", "d0"),
        question("b", "d1"),
        question("c", "d2"),
        question("d", "d3", "d4"),
        question("e", "d5", kind="temporal"),
    ]

    benchmark = scoped(questions, points(0.0, 0.1, 2.0, 2.1, 0.0))

    assert held(benchmark, "simple") == [{"d0"}, {"d1"}, {"d2"}, {"d3", "d4"}, {"d5"}]
    near, far = {"d0", "d1"}, {"d2", "d3", "d4"}
    assert held(benchmark, "middle") == [near, near, far, far, {"d5"}]
    assert held(benchmark, "hard") == [near | far] * 4 + [{"d5"}]
    assert not benchmark.problems


def test_fewer_questions_than_two_clusters_hold_are_one_cluster() -> None:
    questions = [question(name, f"d{n}") for n, name in enumerate("abc")]

    benchmark = scoped(questions, points(0.0, 1.0, 2.0), size=2)

    assert held(benchmark, "middle") == held(benchmark, "hard")


def test_questions_that_share_documents_share_the_record_and_a_mixed_one_has_no_kind() -> None:
    questions = [question("a", "d0"), question("b", "d0"), question("c", "d0", kind="temporal")]

    benchmark = scoped(questions, points(0.0, 0.0, 0.0))

    assert [(scope.name, scope.kind, scope.documents) for scope in benchmark.scopes] == [
        ("simple", None, ("d0",)),
        ("middle", None, ("d0",)),
        ("hard", None, ("d0",)),
    ]


def test_a_question_without_evidence_gets_all_documents_with_text_and_is_named() -> None:
    documents = [document("d0"), document("d1"), document("blank", "")]

    benchmark = compute_scopes(
        [question("a", "d0"), question("b")], documents, vectors=points(0.0, 0.1), rng=np.random.default_rng(1)
    )

    assert held(benchmark, "simple") == [{"d0"}, {"d0", "d1"}]
    assert held(benchmark, "hard") == [{"d0"}, {"d0", "d1"}]
    assert [(p.field, p.value, p.severity) for p in benchmark.problems] == [("evidence", '"b"', "warning")]


def test_scopes_that_a_user_set_are_kept() -> None:
    own = question("a", "d0").model_copy(update={"scopes": {"hard": "mine", "extra": "s-1"}})

    benchmark = scoped([own], points(0.0))

    assert benchmark.questions[0].scopes["hard"] == "mine"
    assert benchmark.questions[0].scopes["extra"] == "s-1"
    assert {scope.name for scope in benchmark.scopes} == {"simple", "middle"}


def test_evidence_that_cannot_be_read_stops_before_any_scope_is_made() -> None:
    documents = [document("d0"), document("blank", "")]
    questions = [question("a", "d0", "blank"), question("b", "d9")]

    with pytest.raises(UserError, match=r"'a' names 'blank'; 'b' names 'd9'"):
        compute_scopes(questions, documents, vectors=points(0, 1), rng=np.random.default_rng(1))


def test_a_vector_is_needed_for_each_question() -> None:
    with pytest.raises(UserError, match="1 questions need as many vectors, got 2"):
        scoped([question("a", "d0")], points(0, 1))


def test_no_questions_have_no_scopes() -> None:
    benchmark = scoped([], np.zeros((0, 2), dtype=np.float32))

    assert (benchmark.questions, benchmark.scopes) == ((), ())


def test_equal_vectors_ask_for_no_more_clusters_than_there_are_points() -> None:
    benchmark = scoped([question(f"q{n}", f"d{n}") for n in range(8)], points(*[0.5] * 8), size=1)

    assert held(benchmark, "middle") == held(benchmark, "hard")


@settings(max_examples=10)
@given(st.data())
def test_simple_is_within_middle_within_hard_and_order_does_not_matter(data: st.DataObject) -> None:
    names = [f"d{n}" for n in range(10)]
    count = data.draw(st.integers(1, 12))
    questions = [
        question(
            f"q{n}",
            *data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)),
            kind=data.draw(st.sampled_from(["single_sum", "temporal"])),
        )
        for n in range(count)
    ]
    vectors = np.random.default_rng(count).normal(size=(count, 4)).astype(np.float32)
    order = data.draw(st.permutations(range(count)))

    benchmark = scoped(questions, vectors)
    shuffled = scoped([questions[n] for n in order], vectors[list(order)])

    for simple, middle, hard in zip(*(held(benchmark, name) for name in ("simple", "middle", "hard")), strict=True):
        assert simple <= middle <= hard
    assert {q.id: q.scopes for q in benchmark.questions} == {q.id: q.scopes for q in shuffled.questions}
    assert {scope.id for scope in benchmark.scopes} == {scope.id for scope in shuffled.scopes}
