"""The three scopes of a benchmark: a question's evidence, that of its cluster, that of its kind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from astrolabe.benchmark.gold_rules import fault
from astrolabe.core.errors import Problem, UserError
from astrolabe.core.ids import content_id
from astrolabe.core.protocols import Vectors
from astrolabe.core.records import Document, Kind, Question, Scope

if TYPE_CHECKING:
    import numpy.typing as npt

SCOPES: Final = ("simple", "middle", "hard")
CLUSTER_SIZE: Final = 15
"""Questions a cluster; the published benchmark has 869 in 54 clusters, 16 each on average."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopedBenchmark:
    """Questions that name their scopes, the scopes, and which questions had no evidence to go by."""

    questions: tuple[Question, ...]
    scopes: tuple[Scope, ...]
    problems: tuple[Problem, ...] = ()


def compute_scopes(
    questions: Sequence[Question],
    documents: Sequence[Document],
    *,
    vectors: Vectors,
    rng: np.random.Generator,
    cluster_size: int = CLUSTER_SIZE,
) -> ScopedBenchmark:
    """Return the questions with a simple, a middle and a hard scope each.

    Simple holds the question's evidence documents; middle the evidence of the related questions of its
    kind (k-means over the question vectors, one cluster for about `cluster_size` questions); hard the
    evidence of all questions of its kind. So simple is part of middle and middle of hard. A kind with
    fewer than two clusters' worth of questions is one cluster: middle equals hard there.

    A question without evidence gets all documents that have text as each scope; `problems` names it.
    Scopes of one name with the same documents are one record, whose `kind` is null where questions of
    several kinds share it. A scope that a question names already is kept, and no record made for it.
    The outcome depends on the questions, the vectors and the seed, not on the questions' order.

    Args:
        questions: May be empty.
        documents: The corpus.
        vectors: One row a question, in the order of `questions`.
        rng: Seeds the clustering.
        cluster_size: The questions aimed at per cluster, at least 1.

    Raises:
        UserError: Evidence names a document that is not in the corpus or has no text, or there is not
            one vector a question.
    """
    if len(vectors) != len(questions):
        msg = f"{len(questions)} questions need as many vectors, got {len(vectors)}; embed every question once"
        raise UserError(msg)
    readable = {document.id for document in documents if document.status == "ok"}
    _refuse_unreadable(questions, readable)
    clusters = _clusters(questions, vectors, rng, cluster_size)
    made = _Scopes()
    scoped: list[Question] = []
    for place, question in enumerate(questions):
        related = [other for other, at in zip(questions, clusters, strict=True) if at == clusters[place]]
        of_kind = [other for other in questions if other.kind == question.kind]
        pools = dict(zip(SCOPES, ([question], related, of_kind), strict=True))
        named = dict(question.scopes)
        for name, pool in pools.items():
            if name not in named:
                held = _evidence(pool) if question.evidence else readable
                named[name] = made.named(name, held, question.kind)
        scoped.append(question.model_copy(update={"scopes": named}))
    return ScopedBenchmark(
        questions=tuple(scoped),
        scopes=made.records(),
        problems=tuple(_without_evidence(question) for question in questions if not question.evidence),
    )


class _Scopes:
    """Scope records by id, in order of first use, with the kinds that use each."""

    def __init__(self) -> None:
        self._scopes: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._kinds: dict[str, set[Kind]] = {}

    def named(self, name: str, documents: Iterable[str], kind: Kind) -> str:
        """Return the id of the scope of this name with these documents."""
        held = tuple(sorted(set(documents)))
        scope = content_id("s", name, *held)
        self._scopes.setdefault(scope, (name, held))
        self._kinds.setdefault(scope, set()).add(kind)
        return scope

    def records(self) -> tuple[Scope, ...]:
        """Return the records."""
        return tuple(
            Scope(id=scope, name=name, kind=_only(self._kinds[scope]), documents=documents)
            for scope, (name, documents) in self._scopes.items()
        )


def _only(kinds: set[Kind]) -> Kind | None:
    return next(iter(kinds)) if len(kinds) == 1 else None


def _evidence(questions: Iterable[Question]) -> set[str]:
    return {document for question in questions for document in question.evidence}


def _clusters(
    questions: Sequence[Question], vectors: Vectors, rng: np.random.Generator, size: int
) -> list[tuple[Kind, int]]:
    """Return each question's cluster: its kind and a number within it."""
    seed = int(rng.integers(2**31))
    numbers = [0] * len(questions)
    for kind in {question.kind for question in questions}:
        places = [place for place, question in enumerate(questions) if question.kind == kind]
        places.sort(key=lambda place: questions[place].id)
        labels = _k_means(vectors[places], seed, size)
        for place, label in zip(places, labels.tolist(), strict=True):
            numbers[place] = label
    return [(question.kind, number) for question, number in zip(questions, numbers, strict=True)]


def _k_means(vectors: Vectors, seed: int, size: int) -> "npt.NDArray[np.int32]":
    wanted = max(1, round(len(vectors) / size)) if len(vectors) >= 2 * size else 1
    clusters = min(wanted, len(np.unique(vectors, axis=0)))
    if clusters == 1:
        return np.zeros(len(vectors), dtype=np.int32)
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    k_means = KMeans(clusters, n_init=10, random_state=seed)  # pyright: ignore[reportArgumentType] - its default is a word
    # One thread adds up in one order, and on a busy machine threads that wait by spinning take 12 times as long.
    with threadpool_limits(limits=1):
        return np.asarray(k_means.fit_predict(vectors), dtype=np.int32)


def _refuse_unreadable(questions: Sequence[Question], readable: set[str]) -> None:
    missing = [
        f"{question.id!r} names {document!r}"
        for question in questions
        for document in question.evidence
        if document not in readable
    ]
    if missing:
        msg = (
            f"evidence that is not in the corpus or has no text: question {'; '.join(missing[:5])}"
            f"{f' and {len(missing) - 5} more' if len(missing) > 5 else ''}; "  # noqa: PLR2004 - a few show the fault
            "run `astrolabe check` on the benchmark"
        )
        raise UserError(msg)


def _without_evidence(question: Question) -> Problem:
    return fault(
        "evidence",
        question.id,
        "no evidence, so each of its scopes is the whole corpus",
        "Name the documents that its answer rests on",
        severity="warning",
    )
