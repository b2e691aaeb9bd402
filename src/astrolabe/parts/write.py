"""Writing an answer: the prompts that all methods share, one for a text and one for a list of items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from astrolabe.core.errors import ModelError
from astrolabe.core.prompt import Prompt
from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Hit, Question, Step
from astrolabe.parts.listed import listed
from astrolabe.parts.look import numbered
from astrolabe.parts.pack import fit, material, no_context
from astrolabe.prompts import render

STAGE: Final = "answer.write"
_TOKENS_A_SENTENCE: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What an answer is written from, and how it was found.

    Attributes:
        text: What the model is shown.
        contexts: The passages whose own text stands in it, in that order.
        retrieved: All passages that were reached, by their own text or by what was written about them; best first.
        trace: What was looked at.
    """

    text: str
    contexts: Sequence[Hit] = ()
    retrieved: Sequence[Hit] = ()
    trace: Sequence[Step] = ()


async def write_answer(
    question: Question, hits: Sequence[Hit], kit: Kit, *, trace: Sequence[Step] = (), prompt: str = "write.v1"
) -> Answer:
    """Return an answer written from the hits' passages, best first, as many as the budget takes.

    Without any hit nothing is asked: the answer's status is `empty`. A reply that cannot be used
    becomes an answer with that status and reason. `prompt` is as in `write_from`.
    """
    kept = fit(hits, kit)
    shown = Shown(text=material(kept, kit), contexts=kept, retrieved=hits, trace=trace)
    return await write_from(question, shown, kit, prompt=prompt)


async def write_from(question: Question, shown: Shown, kit: Kit, *, prompt: str = "write.v1") -> Answer:
    """Return an answer written from what is shown: a list of items for the kind `set`, else text for people.

    Where that is nothing, nothing is asked: the answer's status is `empty`. A reply that cannot be used becomes an
    answer with that status and reason.

    Args:
        question: What is asked.
        shown: What it is answered from; longer than the kit's context budget only if the caller wants it so.
        kit: The model and its budgets.
        prompt: The prompt for a text: one with the holes `question`, `context` and `sentences`.
    """
    found = {"contexts": tuple(shown.contexts), "retrieved": tuple(shown.retrieved), "trace": numbered(shown.trace)}
    if not shown.text.strip():
        return no_context(question, shown.retrieved).model_copy(update=found)
    holes = {"question": question.text, "context": shown.text}
    if question.kind == "set":
        answer = await listed("list_items.v1", question, kit, stage=STAGE, holes=holes)
        return answer.model_copy(update=found)
    asked = render(
        prompt,
        stage=STAGE,
        reply=str,
        max_tokens=kit.answer_tokens,
        holes={**holes, "sentences": _sentences(kit)},
    )
    return (await _ask(question, asked, kit)).model_copy(update=found)


async def write_alone(question: Question, kit: Kit) -> Answer:
    """Return an answer written without any document: a list of items for the kind `set`, else text for people."""
    if question.kind == "set":
        return await listed("list_alone.v1", question, kit, stage=STAGE, holes={"question": question.text})
    prompt = render(
        "write_alone.v1",
        stage=STAGE,
        reply=str,
        max_tokens=kit.answer_tokens,
        holes={"question": question.text, "sentences": _sentences(kit)},
    )
    return await _ask(question, prompt, kit)


def _sentences(kit: Kit) -> str:
    """Return how many sentences fit an answer: models keep to a number of sentences better than of words."""
    return str(max(1, kit.answer_tokens // _TOKENS_A_SENTENCE))


async def _ask(question: Question, prompt: Prompt[str], kit: Kit) -> Answer:
    try:
        reply = await kit.llm.ask(prompt)
    except ModelError as error:
        text = str(error.partial or "") if error.status == "truncated" else error.text
        return Answer(question_id=question.id, text=text, status=error.status, reason=error.reason)
    return Answer(question_id=question.id, text=reply.value)
