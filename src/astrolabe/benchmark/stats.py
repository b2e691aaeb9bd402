"""What a benchmark holds, in numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from astrolabe.core.records import KINDS, Document, Kind, Question, Scope
from astrolabe.core.tokens import count_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class KindStats:
    """The questions of one kind, or of all kinds where `kind` is null.

    Means are over questions and null where there are none. Rejected topics do not count.
    `evidence_documents_mean` is over questions that name evidence, `topics_with_evidence` counts topics.
    """

    kind: Kind | None
    questions: int
    topics: int
    topics_mean: float | None
    topics_with_evidence: int
    hallucinations: int
    questions_with_hallucinations: int
    evidence_documents: int
    evidence_documents_mean: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeStats:
    """The scopes of one name that questions use; means are over questions, tokens null without documents."""

    name: str
    scopes: int
    questions: int
    documents_mean: float
    tokens_mean: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkStats:
    """Figures by kind (only kinds that occur), over all, and by scope name (in order of first use)."""

    kinds: tuple[KindStats, ...]
    total: KindStats
    scopes: tuple[ScopeStats, ...]
    documents: int
    tokens: int | None


def benchmark_stats(
    questions: Sequence[Question], documents: Sequence[Document], scopes: Sequence[Scope]
) -> BenchmarkStats:
    """Return the figures of a benchmark.

    Tokens are those of the vendored counter. Documents without text count neither as documents nor in
    tokens; without any document, tokens are null, for none were counted. A scope that a question names
    but that is not among `scopes` is left out of the means.
    """
    tokens = {document.id: count_tokens(document.text) for document in documents if document.status == "ok"}
    by_kind: dict[Kind, list[Question]] = {
        kind: [question for question in questions if question.kind == kind] for kind in KINDS
    }
    return BenchmarkStats(
        kinds=tuple(_kind_stats(kind, asked) for kind, asked in by_kind.items() if asked),
        total=_kind_stats(None, questions),
        scopes=tuple(_scope_stats(questions, scopes, tokens)),
        documents=len(tokens),
        tokens=sum(tokens.values()) if tokens else None,
    )


def _kind_stats(kind: Kind | None, questions: Sequence[Question]) -> KindStats:
    topics = [topic for question in questions for topic in question.topics if topic.state != "rejected"]
    unsupported = [[topic for topic in question.hallucinations if topic.state != "rejected"] for question in questions]
    evidence = [len(set(question.evidence)) for question in questions if question.evidence]
    return KindStats(
        kind=kind,
        questions=len(questions),
        topics=len(topics),
        topics_mean=len(topics) / len(questions) if questions else None,
        topics_with_evidence=sum(bool(topic.evidence) for topic in topics),
        hallucinations=sum(map(len, unsupported)),
        questions_with_hallucinations=sum(map(bool, unsupported)),
        evidence_documents=len({document for question in questions for document in question.evidence}),
        evidence_documents_mean=fmean(evidence) if evidence else None,
    )


def _scope_stats(questions: Sequence[Question], scopes: Sequence[Scope], tokens: Mapping[str, int]) -> list[ScopeStats]:
    known = {scope.id: scope for scope in scopes}
    uses: dict[str, list[Scope]] = {}
    for question in questions:
        for name, scope in question.scopes.items():
            if scope in known:
                uses.setdefault(name, []).append(known[scope])
    return [
        ScopeStats(
            name=name,
            scopes=len({scope.id for scope in used}),
            questions=len(used),
            documents_mean=fmean(len(scope.documents) for scope in used),
            tokens_mean=fmean(sum(tokens.get(document, 0) for document in scope.documents) for scope in used)
            if tokens
            else None,
        )
        for name, used in uses.items()
    ]
