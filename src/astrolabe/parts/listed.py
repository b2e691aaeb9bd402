"""Answers to questions of the kind `set`: items, and no prose around them."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, Field

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Question
from astrolabe.prompts import render


class Items(BaseModel, frozen=True):
    """What a question asks for, an entry each."""

    items: Annotated[tuple[Annotated[str, Field(max_length=1_000)], ...], Field(max_length=1_000)]


async def listed(name: str, question: Question, kit: Kit, *, stage: str, holes: Mapping[str, str]) -> Answer:
    """Return an answer that lists items, each once and in order; its text has one a line.

    Without any item its status is `empty`; a reply that cannot be used becomes an answer with that status and reason.

    Args:
        name: What is asked: a prompt whose reply is an object with `items`.
        question: The question.
        kit: The model and its budgets.
        stage: What the call is for.
        holes: Those of the prompt.
    """
    prompt = render(name, stage=stage, reply=Items, max_tokens=kit.answer_tokens, holes=holes)
    try:
        reply = await kit.llm.ask(prompt)
    except ModelError as error:
        return Answer(question_id=question.id, text=error.text, status=error.status, reason=error.reason)
    items = tuple(dict.fromkeys(item for one in reply.value.items if (item := " ".join(one.split()))))
    if not items:
        return Answer(
            question_id=question.id, status="empty", reason="the model found no item that the question asks for"
        )
    return Answer(question_id=question.id, text="\n".join(items), items=items)
