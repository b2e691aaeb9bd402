"""Asking a judge which items of a set an answer gives: one call an answer, matches by id."""

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Final, NamedTuple

from pydantic import BaseModel, Field, field_validator

from astrolabe.core.prompt import Prompt
from astrolabe.core.protocols import LLM
from astrolabe.core.records import Question
from astrolabe.parts.item_forms import item_form
from astrolabe.parts.plain_numbers import number_of
from astrolabe.parts.set_scores import Shares, gold_items
from astrolabe.prompts import render

STAGE: Final = "judge.set"
MAX_TOKENS: Final = 8192
_MOST_ITEMS: Final = 600
_NO_ITEM: Final = frozenset({"", "null", "none", "n/a"})
_ASKS_WHEN: Final = re.compile(r"\b(?:years?|when|dates?)\b", re.IGNORECASE)
_YEAR: Final = re.compile(r"[12]\d{3}")


class GivenItem(BaseModel, frozen=True):
    """An item that the judge found in an answer."""

    text: Annotated[str, Field(max_length=400)]
    gold: str | None


class GivenItems(BaseModel, frozen=True):
    """A judge's reply; see `reply_type` for which ids parse."""

    items: Annotated[tuple[GivenItem, ...], Field(max_length=_MOST_ITEMS)]


class SingleResult(BaseModel, frozen=True):
    """A judge's reply where there is one gold answer."""

    answer: Annotated[str, Field(max_length=600)] | None
    number: Annotated[float, Field(allow_inf_nan=False)] | None
    matches: bool


class Judged(NamedTuple):
    """What the judge's reply stands for: the shares, the answer's distinct items, and the gold names found."""

    shares: Shares
    items: tuple[str, ...]
    found: tuple[str, ...]
    missed: tuple[str, ...]


async def judged_set(question: Question, text: str, judge: LLM) -> Judged:
    """Return what a judge finds of the question's gold items in an answer's text.

    Several gold items: the judge lists the answer's items, each with the id of the gold item that it means. Precision
    is the gold items found over the answer's distinct items, recall over the gold items; a gold item counts once, by
    whatever number of items it is meant. A single gold item: 1 or 0 for all three, or for a number see `closeness`. An
    id that was not shown makes the reply malformed: the judge is asked once more, and then it fails. An empty list is
    a judgement, too.

    Raises:
        ModelError: The judge gave no usable reply.
        ValueError: The question has no gold answers.
    """
    gold = gold_items(question)
    if len(gold) == 1:
        return _single((await judge.ask(single_prompt(question, text, gold[0]))).value, gold[0], question)
    reply = await judge.ask(set_prompt(question, text, gold))
    means: dict[str, tuple[str, str | None]] = {}
    for item in reply.value.items:
        form = item_form(item.text)
        _, known = means.get(form, ("", None))
        means[form] = (item.text, known or item.gold)
    hit = {own for _, own in means.values() if own}
    found = [names[0] for number, names in enumerate(gold, start=1) if f"G{number}" in hit]
    return Judged(
        shares=Shares(len(hit) / len(means) if means else 0.0, len(hit) / len(gold)),
        items=tuple(text for text, _ in means.values()),
        found=tuple(found),
        missed=tuple(names[0] for number, names in enumerate(gold, start=1) if f"G{number}" not in hit),
    )


def set_prompt(question: Question, text: str, gold: Sequence[Sequence[str]]) -> Prompt[GivenItems]:
    """Return what the judge is asked where there are several gold items.

    Raises:
        ValueError: There are none.
    """
    if not gold:
        msg = f"question {question.id!r} has no gold answers to judge by"
        raise ValueError(msg)
    return render(
        "judge_set.v1",
        stage=STAGE,
        reply=reply_type(len(gold)),
        max_tokens=MAX_TOKENS,
        holes={
            "question": question.text,
            "gold": "\n".join(f"G{number}: {_written(names)}" for number, names in enumerate(gold, start=1)),
            "answer": text,
        },
    )


def single_prompt(question: Question, text: str, names: Sequence[str]) -> Prompt[SingleResult]:
    """Return what the judge is asked where there is a single gold item."""
    return render(
        "judge_set_single.v1",
        stage=STAGE,
        reply=SingleResult,
        max_tokens=MAX_TOKENS,
        holes={"question": question.text, "gold": _written(names), "answer": text},
    )


def closeness(gold: float, given: float) -> float:
    """Return how near a number is to the gold one: 1 - |g - p| / max(|g|, |p|), not below 0; 1 where both are 0.

    Examples:
        >>> closeness(40.0, 50.0), closeness(0.0, 0.0), closeness(3.0, -3.0)
        (0.8, 1.0, 0.0)
    """
    largest = max(abs(gold), abs(given))
    return max(0.0, 1.0 - abs(gold - given) / largest) if largest else 1.0


def gold_number(question: Question, names: Sequence[str]) -> float | None:
    """Return the number that a single gold item is; null where it is none, or the year that the question asks for.

    A year is right or wrong: by closeness the wrong century would still be 0.95.
    """
    if _ASKS_WHEN.search(question.text) and any(_YEAR.fullmatch(name.strip()) for name in names):
        return None
    return next((number for number in map(number_of, names) if number is not None), None)


@cache
def reply_type(gold: int) -> type[GivenItems]:
    """Return the reply's type where `gold` items are shown: only their ids, or none, are matches."""
    ids = [f"G{number}" for number in range(1, gold + 1)]

    class Shown(GivenItem, frozen=True):
        gold: str | None = Field(json_schema_extra={"enum": [*ids, None]})

        @field_validator("gold", mode="before")
        @classmethod
        def _is_shown(cls, given: object) -> object:
            if isinstance(given, str) and given.strip().casefold() in _NO_ITEM:
                return None
            if given is not None and given not in ids:
                raise ValueError(f"{given!r} is no id of the list; use {ids[0]} to {ids[-1]}, or null")
            return given

    class Reply(GivenItems, frozen=True):
        items: Annotated[tuple[Shown, ...], Field(max_length=_MOST_ITEMS)]

    return Reply


def _single(reply: SingleResult, names: Sequence[str], question: Question) -> Judged:
    number = gold_number(question, names)
    near = float(reply.matches) if number is None or reply.number is None else closeness(number, reply.number)
    return Judged(
        shares=Shares(near, near),
        items=(reply.answer,) if reply.answer else (),
        found=(names[0],) if reply.matches else (),
        missed=() if reply.matches else (names[0],),
    )


def _written(names: Sequence[str]) -> str:
    """Return an item's names as JSON strings: none can pose as another line."""
    first, *others = (json.dumps(name, ensure_ascii=False) for name in names)
    return f"{first} (also: {', '.join(others)})" if others else first
