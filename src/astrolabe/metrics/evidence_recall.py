"""How much of the gold evidence an answer's passages reach."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Document, Question, Score, Span
from astrolabe.core.spelling import spell
from astrolabe.parts.gold_evidence import GoldPage, gold_pages, level_parts, page_level, passage_level, place_level
from astrolabe.parts.reached import Reached, reached
from astrolabe.parts.topic_scores import gold_topics, unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRecall:
    """The share of the gold evidence pages that the model was shown a passage of. From 0 to 1, more is better.

    Gold pages are those that the question's `extra` names under `gold_pages` (by title, address and redirects, in
    whatever corpus), else its `evidence` documents, else the documents of its topics' spans. Parts: `pages` (the
    value), `passages` (the share of gold spans of which at least half was shown) and `characters` (the share of the
    spans' characters); the same with `_retrieved` for all that was found anywhere, in searches of the trace too, before
    the context was cut.

    Of what was found anywhere, as a set, there are also recall, precision, F1 and hit (1 where any gold was found) at
    three levels: `page_...`, `exact_...` for `gold_passages` (title and text, to the letter) and `place_...` for
    `gold_places` (page, section, kind of passage), and the numbers `documents_retrieved`, `passages_retrieved_distinct`
    and `hits_retrieved` (all hits of the trace, else of `retrieved`: a passage found twice counts twice). A part is
    null where the question has no gold for it. Unscored where the question has no evidence, the answer is none, or it
    names no passage of the scope: what a method that reports nothing was shown is not known. Source: pages, passages
    and places as in the retrieval evaluation of MoNaCo and QAMPARI with APT-RAG; spans and characters are ours.
    """

    name: ClassVar[str] = "evidence_recall"

    @property
    def range(self) -> tuple[float, float]:
        """From no evidence to all."""
        return (0.0, 1.0)

    async def score(self, question: Question, answer: Answer, kit: Kit) -> Score:
        """Compare places; asks no model."""
        spans = [span for topic in gold_topics(question).expected for span in topic.evidence]
        pages = gold_pages(question, {span.document_id for span in spans})
        hits = (*answer.contexts, *answer.retrieved, *(hit for step in answer.trace for hit in step.hits))
        shown, found = reached(answer.contexts, kit), reached(hits, kit)
        if reason := _no_number(answer, pages, found):
            return unscored(answer, spell(self), reason)
        missing = _missing(pages, _documents(shown, kit))
        parts: dict[str, float | None] = {
            "pages": (len(pages) - len(missing)) / len(pages),
            "passages": _passages(spans, shown),
            "characters": _characters(spans, shown),
            "passages_retrieved": _passages(spans, found),
            "characters_retrieved": _characters(spans, found),
            **_found_anywhere(question, pages, found, kit),
            "hits_retrieved": float(_searched(answer)),
        }
        return Score(
            question_id=answer.question_id,
            method=answer.method,
            scope=answer.scope,
            metric=spell(self),
            value=parts["pages"],
            parts=parts,
            detail={
                "documents": len(pages),
                "spans": len(spans),
                "missing": missing,
                "unreadable_hits": found.unreadable,
            },
        )


def _found_anywhere(question: Question, pages: Sequence[GoldPage], found: Reached, kit: Kit) -> dict[str, float | None]:
    documents = _documents(found, kit)
    pages_found = level_parts("page", page_level(pages, documents))
    return {
        "pages_retrieved": pages_found["page_recall"],
        **pages_found,
        **level_parts("exact", passage_level(question, found.passages, kit)),
        **level_parts("place", place_level(question, found.passages, kit)),
        "documents_retrieved": float(len(documents)),
        "passages_retrieved_distinct": float(len(found.passages)),
    }


def _searched(answer: Answer) -> int:
    """Return how many hits its searches gave: those of the trace, else `retrieved`, else what was shown."""
    return sum(len(step.hits) for step in answer.trace) or len(answer.retrieved) or len(answer.contexts)


def _documents(some: Reached, kit: Kit) -> list[Document]:
    return [kit.document(document) for document in sorted(some.documents())]


def _missing(pages: Sequence[GoldPage], shown: Sequence[Document]) -> list[JsonValue]:
    return [page.label for page in pages if not any(map(page.is_page, shown))]


def _no_number(answer: Answer, pages: Sequence[GoldPage], found: Reached) -> str | None:
    if answer.status != "ok":
        return f"the answer is {answer.status}: {answer.reason}"
    if not pages:
        return "the question has no gold evidence"
    if not found.passages:
        return "the answer names no passage of this scope"
    return None


def _passages(spans: Sequence[Span], shown: Reached) -> float | None:
    return sum(map(shown.holds, spans)) / len(spans) if spans else None


def _characters(spans: Sequence[Span], shown: Reached) -> float | None:
    length = sum(span.end - span.start for span in spans)
    return sum(shown.share(span) * (span.end - span.start) for span in spans) / length if length else None
