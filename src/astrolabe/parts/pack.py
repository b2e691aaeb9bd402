"""Fitting passages into what a model may be shown."""

from collections.abc import Sequence

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Hit, Question


def fit(hits: Sequence[Hit], kit: Kit) -> list[Hit]:
    """Return the first hits whose passages fit the kit's context budget together; always the first.

    It stops at the first passage that does not fit, so that a better passage never gives way to a
    worse one.
    """
    kept: list[Hit] = []
    spent = 0
    for hit in hits:
        spent += kit.read(hit.passage_id).tokens
        if kept and spent > kit.context_tokens:
            break
        kept.append(hit)
    return kept


def no_context(question: Question, hits: Sequence[Hit]) -> Answer:
    """Return the named state of a question for which the scope holds nothing to answer from."""
    reason = "the search found passages without sentences" if hits else "the search found no passage in this scope"
    return Answer(question_id=question.id, retrieved=tuple(hits), status="empty", reason=reason)
