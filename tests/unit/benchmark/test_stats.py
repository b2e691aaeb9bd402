from pathlib import Path

from astrolabe.benchmark import benchmark_stats, import_qmsum
from astrolabe.core.ids import text_hash
from astrolabe.core.records import Document, Question, Scope, Span, Topic


def document(name: str, text: str) -> Document:
    return Document(id=name, title=name, text=text, source=name, media_type="text/plain", sha256=text_hash(text))


def test_figures_by_kind_and_scope_are_counted_by_hand() -> None:
    span = Span(document_id="d1", start=0, end=3, quote="one")
    questions = [
        Question(
            id="a",
            text="?",
            kind="temporal",
            topics=(Topic(id="A1", text="x", evidence=(span,)), Topic(id="A2", text="y", state="rejected")),
            hallucinations=(Topic(id="H1", text="z"),),
            evidence=("d1",),
            scopes={"simple": "s1", "hard": "s2"},
        ),
        Question(id="b", text="?", topics=(Topic(id="A1", text="x"), Topic(id="A2", text="y")), scopes={"hard": "s2"}),
    ]
    documents = [document("d1", "one two"), document("d2", "three four five")]
    scopes = [Scope(id="s1", name="simple", documents=("d1",)), Scope(id="s2", name="hard", documents=("d1", "d2"))]

    stats = benchmark_stats(questions, documents, scopes)

    assert [(k.kind, k.questions, k.topics, k.hallucinations) for k in stats.kinds] == [
        ("temporal", 1, 1, 1),
        ("other", 1, 2, 0),
    ]
    assert (stats.total.topics_mean, stats.total.topics_with_evidence) == (1.5, 1)
    assert (stats.total.questions_with_hallucinations, stats.total.evidence_documents_mean) == (1, 1.0)
    assert [(s.name, s.scopes, s.questions, s.documents_mean, s.tokens_mean) for s in stats.scopes] == [
        ("simple", 1, 1, 1.0, 2.0),
        ("hard", 1, 2, 2.0, 5.0),
    ]
    assert (stats.documents, stats.tokens) == (2, 5)


def test_what_was_not_counted_is_null_and_not_zero() -> None:
    scope = Scope(id="s", name="hard", documents=("d1",))

    stats = benchmark_stats([Question(id="a", text="?", scopes={"hard": "s"})], [], [scope])
    nothing = benchmark_stats([], [], [])

    assert (stats.tokens, stats.scopes[0].tokens_mean, stats.total.evidence_documents_mean) == (None, None, None)
    assert (nothing.total.questions, nothing.total.topics_mean, nothing.kinds, nothing.scopes) == (0, None, (), ())


def test_qmsum_has_the_figures_of_its_description(shared: Path) -> None:
    imported = import_qmsum(shared / "qmsum")

    stats = benchmark_stats(imported.questions, imported.documents[:1], [])

    assert (stats.total.questions, stats.total.evidence_documents) == (87, 14)
    assert stats.tokens is not None
    assert stats.tokens > 5000
