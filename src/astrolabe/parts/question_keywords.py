"""The keywords of a question on two levels: its themes and the single things that it speaks of."""

from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Kit
from astrolabe.parts.entity_names import names_once
from astrolabe.parts.extract import told
from astrolabe.parts.readings import ask_for
from astrolabe.prompts import render

STAGE: Final = "answer.keywords"
_MAX_TOKENS: Final = 300


def _no_letters(phrases: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a phrase that was taken for a list and spelled out in its characters.

    Raises:
        ValueError: There are several phrases, each a single letter.
    """
    if len(phrases) > 1 and all(len(phrase.strip()) <= 1 and phrase.isascii() for phrase in phrases):
        raise ValueError(f"phrases are needed, not characters: {phrases[:10]!r}")
    return phrases


Phrases = Annotated[
    tuple[Annotated[str, told(maxLength=200)], ...],
    told(maxItems=20),
    BeforeValidator(lambda given: () if given is None else given),
    AfterValidator(_no_letters),
]


class KeywordsRead(BaseModel, frozen=True):
    """The themes of a question and the single things that it speaks of."""

    high_level: Phrases = ()
    low_level: Phrases = ()


class Words(NamedTuple):
    """What is searched for; `reason` says why that is the whole question, where it is."""

    query: str
    reason: str = ""


class Keywords(NamedTuple):
    """What is searched for on each level."""

    high: Words
    low: Words


async def question_keywords(question: str, kit: Kit) -> Keywords:
    """Return a question's keywords on both levels, each joined to a query; one call.

    The call is the same whichever level is searched, so that ways of searching which share a record of calls pay for
    it once. Where a level has no keyword, or the reply cannot be used, the whole question is searched for instead.
    """
    prompt = render(
        "keywords.v1", stage=STAGE, reply=KeywordsRead, max_tokens=_MAX_TOKENS, holes={"question": question}
    )
    try:
        read = (await ask_for(prompt, kit, something=lambda found: bool(found.high_level or found.low_level))).found
    except ModelError as error:
        whole = Words(question, f"no keywords ({error.status}: {error.reason}): the whole question is searched for")
        return Keywords(high=whole, low=whole)
    return Keywords(
        high=_words(read.high_level, question, "high-level"), low=_words(read.low_level, question, "low-level")
    )


def _words(phrases: Sequence[str], question: str, level: str) -> Words:
    kept = names_once(phrases)
    if not kept:
        return Words(question, f"no {level} keyword: the whole question is searched for")
    return Words(", ".join(kept))
