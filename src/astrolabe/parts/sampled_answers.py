"""Short answers that are drawn several times and voted on, and other words to search with where none was found."""

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, Field, StrictBool

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Kit
from astrolabe.core.words import STOP_WORDS, words
from astrolabe.parts.ask_all import ask_all
from astrolabe.prompts import render

T = TypeVar("T")

_OBJECT_TOKENS: Final = 60
_LINE_TOKENS: Final = 200
_BESIDE: Final = "?!.,;:()[]\"'"
_QUERY_TEMPERATURE: Final = 0.5
_RESTATED_TEMPERATURE: Final = 0.6


class Found(BaseModel, frozen=True):
    """Whether something answers a question, and the answer."""

    found: StrictBool
    answer: Annotated[str, Field(max_length=8_000)] = ""

    @property
    def text(self) -> str:
        """The answer, blanks made one; empty where nothing was found."""
        return " ".join(self.answer.split()) if self.found else ""


def draws(count: int, temperature: float) -> int:
    """Return how many of several draws differ: one at temperature 0, where each is the likeliest reply."""
    return count if temperature else 1


def most_frequent(things: Sequence[T], alike: Callable[[T], Hashable]) -> T:
    """Return the first of the things that are most often alike; of equally frequent kinds the one that came first.

    Examples:
        >>> most_frequent(["b", "a", "A", "B", "c"], str.lower)
        'b'
    """
    counts = Counter(map(alike, things))
    return max(things, key=lambda thing: counts[alike(thing)])


async def enough_draws(
    draw: Callable[[int], Awaitable[T]], *, count: int, temperature: float, alike: Callable[[T], Hashable]
) -> list[T | ModelError]:
    """Return draws in order, for `most_frequent` to choose from; no more of them than the vote needs.

    As many are made as are a majority, all at once. Where these are alike, the others could change nothing and are
    not made.

    Args:
        draw: Makes the draw of a number from 0 on.
        count: How many draws; one at temperature 0.
        temperature: Of the draws.
        alike: What is the same in draws that vote for the same.
    """
    number = draws(count, temperature)
    majority = number // 2 + 1
    said = await ask_all(range(majority), draw)
    kinds = {alike(one) for one in said if not isinstance(one, ModelError)}
    if len(kinds) == 1 and not any(isinstance(one, ModelError) for one in said):
        return said
    return [*said, *await ask_all(range(majority, number), draw)]


async def found_in(
    context: str, question: str, kit: Kit, *, stage: str, count: int = 1, temperature: float = 0.0
) -> str | None:
    """Return the answer that most draws find in a context, null where most find none; ties by the first draw.

    A draw that says nothing has no vote. Once a majority finds the same, the other draws are not made.

    Args:
        context: Where to look.
        question: The question.
        kit: The model.
        stage: What the calls are for.
        count: How many draws at most, each a call of its own; one is made at temperature 0.
        temperature: Of the draws.

    Raises:
        ModelError: No draw said anything; the first one's error.
    """

    async def drawn(number: int) -> str:
        """Return one draw."""
        prompt = render(
            "answer_or_none.v1",
            stage=stage,
            reply=Found,
            max_tokens=kit.answer_tokens + _OBJECT_TOKENS,
            holes={"question": question, "context": context},
            temperature=temperature,
            repetition=number,
        )
        return (await kit.llm.ask(prompt)).value.text

    said = await enough_draws(drawn, count=count, temperature=temperature, alike=str)
    votes = [one for one in said if isinstance(one, str)]
    if not votes:
        raise next(one for one in said if isinstance(one, ModelError))
    return most_frequent(votes, str) or None


def keywords(question: str) -> str:
    """Return the words of a question that say what it is about, as they are written; all of it where none does.

    Examples:
        >>> keywords("Who was the first keeper of the Eddystone Lighthouse in 1698?")
        'first keeper Eddystone Lighthouse 1698'
    """
    telling = (piece.strip(_BESIDE) for piece in question.split() if set(words(piece)) - STOP_WORDS)
    return " ".join(dict.fromkeys(telling)) or question


async def another_query(question: str, tried: Sequence[str], kit: Kit) -> str | None:
    """Return another search query; null where the model has none, or none but those that were tried."""
    holes = {"question": question, "queries": "\n".join(tried)}
    said = await _line("another_query.v1", "answer.query", holes, kit, temperature=_QUERY_TEMPERATURE)
    return None if said in tried else said


async def restated(question: str, kit: Kit, *, repetition: int) -> str | None:
    """Return a question in other words; null where the model has none."""
    holes = {"question": question}
    said = await _line(
        "restate.v1", "answer.restate", holes, kit, temperature=_RESTATED_TEMPERATURE, repetition=repetition
    )
    return None if said == question else said


async def _line(
    name: str, stage: str, holes: Mapping[str, str], kit: Kit, *, temperature: float, repetition: int = 0
) -> str | None:
    prompt = render(
        name,
        stage=stage,
        reply=str,
        max_tokens=_LINE_TOKENS,
        holes=holes,
        temperature=temperature,
        repetition=repetition,
    )
    try:
        said = (await kit.llm.ask(prompt)).value
    except ModelError:
        return None
    return next((line for line in map(str.strip, said.splitlines()) if line), None)
