"""What a model read in each passage of a scope, whatever it was asked to read."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from astrolabe.core.errors import ModelError
from astrolabe.core.prompt import Prompt
from astrolabe.core.protocols import Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.ask_all import ask_all

X = TypeVar("X", bound=BaseModel)


class Read(NamedTuple, Generic[X]):
    """What was read in one passage, and whether a reply ended at the token limit."""

    found: X
    short: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings(Generic[X]):
    """What was read in each passage of a scope.

    Attributes:
        of: By passage id, in the order of the passages; those that failed are missing.
        gaps: Which passages could not be read, and why.
        cut_short: Passages whose reply ended at the token limit: its whole items are there.
    """

    of: Mapping[str, X]
    gaps: Gaps = field(default_factory=Gaps)
    cut_short: tuple[str, ...] = ()


async def read_passages(passages: Sequence[Passage], read: Callable[[Passage], Awaitable[Read[X]]]) -> Readings[X]:
    """Return what `read` finds in every passage; equal requests are sent once, by the record of calls.

    A passage is one thing asked for, however many calls it takes; a `ModelError` is its gap and stops no other.
    """
    outcomes = list(zip(passages, await ask_all(passages, read), strict=True))
    done = {passage.id: outcome for passage, outcome in outcomes if not isinstance(outcome, ModelError)}
    return Readings(
        of={passage: outcome.found for passage, outcome in done.items()},
        gaps=Gaps(
            asked=len(passages),
            failed={passage.id: outcome.reason for passage, outcome in outcomes if isinstance(outcome, ModelError)},
        ),
        cut_short=tuple(passage for passage, outcome in done.items() if outcome.short),
    )


async def ask_for(prompt: Prompt[X], kit: Kit, *, something: Callable[[X], bool]) -> Read[X]:
    """Return a reply; of one that was cut at the token limit the whole items, where they hold `something`.

    Raises:
        ModelError: The model gave no usable reply.
    """
    try:
        return Read((await kit.llm.ask(prompt)).value, short=False)
    except ModelError as error:
        if isinstance(error.partial, prompt.reply) and something(error.partial):
            return Read(error.partial, short=True)
        raise
