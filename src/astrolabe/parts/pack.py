"""Fitting passages into what a model may be shown."""

from collections.abc import Sequence

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Hit, Question
from astrolabe.core.tokens import first_tokens


def fit(hits: Sequence[Hit], kit: Kit, *, beside: int = 0) -> list[Hit]:
    """Return the first hits whose passages fit the kit's context budget together; always the first.

    It stops at the first passage that does not fit, so that a better passage never gives way to a
    worse one. What is shown beside the passages takes `beside` tokens of the budget. A first passage
    that is too long by itself is cut where it is shown: see `material`.
    """
    kept: list[Hit] = []
    spent = 0
    for hit in hits:
        spent += kit.read(hit.passage_id).tokens
        if kept and spent + beside > kit.context_tokens:
            break
        kept.append(hit)
    return kept


def material(hits: Sequence[Hit], kit: Kit, *, beside: int = 0) -> str:
    """Return the passages of hits that `fit` as a model is shown them, in their order, apart by empty lines.

    One that is alone and too long is cut to the budget.
    """
    text = "\n\n".join(kit.read(hit.passage_id).text.strip() for hit in hits)
    return first_tokens(text, kit.context_tokens - beside) if len(hits) == 1 else text


def no_context(question: Question, hits: Sequence[Hit]) -> Answer:
    """Return the named state of a question for which the scope holds nothing to answer from."""
    reason = "the search found passages without sentences" if hits else "the search found no passage in this scope"
    return Answer(question_id=question.id, retrieved=tuple(hits), status="empty", reason=reason)
