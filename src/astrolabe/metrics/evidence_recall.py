"""How much of the gold evidence an answer's passages reach."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Question, Score, Span
from astrolabe.core.spelling import spell
from astrolabe.parts.reached import Reached, reached
from astrolabe.parts.topic_scores import gold_topics, unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRecall:
    """The share of the gold evidence documents that the model was shown a passage of. From 0 to 1, more is better.

    Gold documents are the question's `evidence`, or where it has none the documents of its topics' spans. Parts:
    `pages` (the value), `passages` (the share of gold spans of which at least half was shown) and `characters` (the
    share of the spans' characters); the same with `_retrieved` before the context was cut. A part is null where the
    question has no gold for it. Unscored where the question has no evidence, the answer is none, or it names no
    passage of the scope: what a method that reports nothing was shown is not known. Source: pages and passages as in
    retrieval evaluation; the figures are ours.
    """

    name: ClassVar[str] = "evidence_recall"

    @property
    def range(self) -> tuple[float, float]:
        """From no evidence to all."""
        return (0.0, 1.0)

    async def score(self, question: Question, answer: Answer, kit: Kit) -> Score:
        """Compare places; asks no model."""
        spans = [span for topic in gold_topics(question).expected for span in topic.evidence]
        documents = set(question.evidence) or {span.document_id for span in spans}
        shown = reached(answer.contexts, kit)
        found = reached((*answer.contexts, *answer.retrieved), kit)
        if reason := _no_number(answer, documents, found):
            return unscored(answer, spell(self), reason)
        pages = len(documents & shown.documents()) / len(documents)
        parts: dict[str, float | None] = {
            "pages": pages,
            "passages": _passages(spans, shown),
            "characters": _characters(spans, shown),
            "pages_retrieved": len(documents & found.documents()) / len(documents),
            "passages_retrieved": _passages(spans, found),
            "characters_retrieved": _characters(spans, found),
        }
        return Score(
            question_id=answer.question_id,
            method=answer.method,
            scope=answer.scope,
            metric=spell(self),
            value=pages,
            parts=parts,
            detail={
                "documents": len(documents),
                "spans": len(spans),
                "missing": list[JsonValue](sorted(documents - shown.documents())),
                "unreadable_hits": found.unreadable,
            },
        )


def _no_number(answer: Answer, documents: set[str], found: Reached) -> str | None:
    if answer.status != "ok":
        return f"the answer is {answer.status}: {answer.reason}"
    if not documents:
        return "the question has no gold evidence"
    if not found.passages:
        return "the answer names no passage of this scope"
    return None


def _passages(spans: Sequence[Span], shown: Reached) -> float | None:
    return sum(map(shown.holds, spans)) / len(spans) if spans else None


def _characters(spans: Sequence[Span], shown: Reached) -> float | None:
    length = sum(span.end - span.start for span in spans)
    return sum(shown.share(span) * (span.end - span.start) for span in spans) / length if length else None
