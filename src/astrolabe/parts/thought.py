"""One step of reasoning over what was found so far, to search with it again (IRCoT, Trivedi et al. 2023)."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import BaseModel, Field

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Kit
from astrolabe.core.records import Hit
from astrolabe.parts.pack import fit, material
from astrolabe.parts.question_entities import Named
from astrolabe.prompts import render

STAGE: Final = "answer.thought"
_MAX_TOKENS: Final = 300


class Thought(BaseModel, frozen=True):
    """A step, and whether what was found is enough to answer."""

    thought: Annotated[str, Field(max_length=2_000)]
    enough: bool = False


async def think(question: str, hits: Sequence[Hit], thoughts: Sequence[str], kit: Kit) -> Named:
    """Return the next step over the hits' passages, as many as the budget takes; one call.

    There is none where what was found is enough, or where the reply cannot be used: the reason says which.
    """
    holes = {
        "context": material(fit(hits, kit), kit),
        "question": question,
        "thoughts": "\n".join(thoughts) or "(none)",
    }
    prompt = render("thought.v1", stage=STAGE, reply=Thought, max_tokens=_MAX_TOKENS, holes=holes)
    try:
        thought = (await kit.llm.ask(prompt)).value
    except ModelError as error:
        return Named((), f"no usable thought ({error.status}: {error.reason})")
    step = " ".join(thought.thought.split())
    return Named((), "the passages are enough") if thought.enough or not step else Named((step,))
