"""Whether an answer does for a question, and the stretches of its passages that are it."""

import math
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, Field, StrictBool

from astrolabe.core.protocols import Kit
from astrolabe.parts.tree_node import Node
from astrolabe.prompts import render

_CHECK_TOKENS: Final = 500
_SPAN_TOKENS: Final = 1_000
_ENOUGH: Final = 6.0


def _whole(number: object) -> object:
    return math.floor(number) if isinstance(number, float) and math.isfinite(number) else number


# Whole numbers, because a grammar made from a schema holds these to their bounds, and others not.
_UpToTen = Annotated[int, Field(ge=0, le=10), BeforeValidator(_whole)]
_UpToHundred = Annotated[int, Field(ge=0, le=100), BeforeValidator(_whole)]


class Checked(BaseModel, frozen=True):
    """How well an answer settles a question."""

    coherence: _UpToTen
    answerability: _UpToHundred
    overall: _UpToTen | None = None
    valid: StrictBool | None = None

    @property
    def does(self) -> bool:
        """Whether the answer does: as the model says, else if it comes to at least 6 of 10 in all.

        Where the model leaves out the whole, it is the mean of coherence and a tenth of answerability.
        """
        if self.valid is not None:
            return self.valid
        overall = (self.coherence + self.answerability / 10) / 2 if self.overall is None else self.overall
        return overall >= _ENOUGH


class Spans(BaseModel, frozen=True):
    """What stands in a text and answers a question."""

    spans: Annotated[tuple[Annotated[str, Field(max_length=1_000)], ...], Field(max_length=200)]


async def does(answer: str, question: str, kit: Kit) -> bool:
    """Tell whether an answer does for a question.

    Raises:
        ModelError: The model did not say; it does not, then.
    """
    holes = {"question": question, "answer": answer}
    prompt = render("check_answer.v1", stage="answer.check", reply=Checked, max_tokens=_CHECK_TOKENS, holes=holes)
    return (await kit.llm.ask(prompt)).value.does


async def spans(node: Node, kit: Kit) -> tuple[str, ...]:
    """Return the stretches of the passages that a node was shown which answer its question, in order, each once.

    What stands in none of the passages, blanks and case apart, is left out.

    Raises:
        ModelError: The model marked nothing that can be used.
    """
    texts = [kit.read(hit.passage_id).text.strip() for hit in node.shown]
    holes = {"question": node.question, "context": "\n\n".join(texts)}
    prompt = render("spans.v1", stage="answer.span", reply=Spans, max_tokens=_SPAN_TOKENS, holes=holes)
    said = (await kit.llm.ask(prompt)).value.spans
    held = [_folded(text) for text in texts]
    marked: dict[str, str] = {}
    for span in said:
        marked.setdefault(_folded(span), " ".join(span.split()))
    return tuple(span for folded, span in marked.items() if folded and any(folded in text for text in held))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
