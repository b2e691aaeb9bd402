"""What a question names: where a walk over a graph of facts begins."""

from typing import Final, NamedTuple

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Kit
from astrolabe.parts.entity_names import names_once
from astrolabe.parts.readings import ask_for
from astrolabe.parts.triples import NamesRead
from astrolabe.prompts import render

STAGE: Final = "answer.entities"
_MAX_TOKENS: Final = 300


class Named(NamedTuple):
    """The entities of a question, each once, in its order; where there are none, why."""

    entities: tuple[str, ...]
    reason: str = ""


async def question_entities(question: str, kit: Kit) -> Named:
    """Return what a question names; one call. A reply that cannot be used is a reason, not an error."""
    prompt = render(
        "question_entities.v1", stage=STAGE, reply=NamesRead, max_tokens=_MAX_TOKENS, holes={"question": question}
    )
    try:
        read = await ask_for(prompt, kit, something=lambda found: bool(found.entities))
    except ModelError as error:
        return Named((), f"the entities of the question could not be read ({error.status}: {error.reason})")
    entities = tuple(names_once(read.found.entities))
    return Named(entities, "" if entities else "the question names no entity")
