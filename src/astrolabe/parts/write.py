"""Writing an answer: the one prompt that all methods share."""

from collections.abc import Sequence
from typing import Final

from astrolabe.core.errors import ModelError
from astrolabe.core.prompt import Prompt
from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Hit, Question
from astrolabe.parts.pack import fit, no_context
from astrolabe.prompts import render

STAGE: Final = "answer.write"
_TOKENS_A_SENTENCE: Final = 40


async def write_answer(question: Question, hits: Sequence[Hit], kit: Kit) -> Answer:
    """Return an answer written from the hits' passages, best first, as many as the budget takes.

    Without any hit nothing is asked: the answer's status is `empty`. A reply that cannot be used
    becomes an answer with that status and reason.
    """
    kept = fit(hits, kit)
    if not kept:
        return no_context(question, hits)
    context = "\n\n".join(kit.read(hit.passage_id).text.strip() for hit in kept)
    prompt = render(
        "write.v1",
        stage=STAGE,
        reply=str,
        max_tokens=kit.answer_tokens,
        holes={"question": question.text, "context": context, "sentences": _sentences(kit)},
    )
    return (await _ask(question, prompt, kit)).model_copy(update={"contexts": tuple(kept), "retrieved": tuple(hits)})


async def write_alone(question: Question, kit: Kit) -> Answer:
    """Return an answer written without any document."""
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
        return Answer(question_id=question.id, text=error.text, status=error.status, reason=error.reason)
    return Answer(question_id=question.id, text=reply.value)
