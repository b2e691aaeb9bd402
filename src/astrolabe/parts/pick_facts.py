"""Which of the facts that were found a model finds helpful: it may veto them all."""

from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

from pydantic import BaseModel, Field

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Kit
from astrolabe.prompts import render
from astrolabe.prompts.template import numbered

STAGE: Final = "answer.facts"
_MAX_TOKENS: Final = 200


class PickedFacts(BaseModel, frozen=True):
    """The numbers under which the chosen facts were shown."""

    facts: Annotated[tuple[int, ...], Field(max_length=50)]


class Picked(NamedTuple):
    """The chosen facts by their places, each once, in the model's order; `reason` says what was odd or why none is."""

    places: tuple[int, ...]
    reason: str = ""


async def pick_facts(question: str, facts: Sequence[str], kit: Kit) -> Picked:
    """Return which facts help to answer a question; one call.

    Facts are shown and named by number, so that no wording has to be matched. Numbers that were not shown are left
    out and counted. A reply that cannot be used is a reason, not an error.
    """
    prompt = render(
        "pick_facts.v1",
        stage=STAGE,
        reply=PickedFacts,
        max_tokens=_MAX_TOKENS,
        holes={"question": question, "facts": numbered(facts)},
    )
    try:
        chosen = tuple(dict.fromkeys((await kit.llm.ask(prompt)).value.facts))
    except ModelError as error:
        return Picked((), f"the choice of facts could not be read ({error.status}: {error.reason})")
    known = tuple(number - 1 for number in chosen if 1 <= number <= len(facts))
    strange = len(chosen) - len(known)
    reasons = [
        f"{strange} of the chosen numbers were not shown" if strange else "",
        "" if known else f"none of the {len(facts)} facts was found helpful",
    ]
    return Picked(known, "; ".join(filter(None, reasons)))
