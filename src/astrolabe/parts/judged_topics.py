"""Asking a judge which reference topics an answer holds: one call an answer, matches by id."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Final

from pydantic import BaseModel, Field, JsonValue, field_validator

from astrolabe.core.ids import text_hash
from astrolabe.core.prompt import Prompt
from astrolabe.core.protocols import LLM
from astrolabe.core.records import Question, Topic
from astrolabe.parts.topic_scores import Found, Gold, distinct
from astrolabe.prompts import render

STAGE: Final = "judge.topics"
MAX_TOKENS: Final = 4096
_NO_REFERENCE: Final = frozenset({"", "null", "none", "n/a"})


class FoundTopic(BaseModel, frozen=True):
    """A topic that the judge found in an answer."""

    label: Annotated[str, Field(max_length=300)]
    reference: str | None
    stretch: Annotated[str, Field(max_length=1000)]


class FoundTopics(BaseModel, frozen=True):
    """A judge's reply; see `reply_type` for which references parse."""

    topics: Annotated[tuple[FoundTopic, ...], Field(max_length=120)]


async def judged_topics(question: Question, text: str, gold: Gold, judge: LLM) -> list[Found]:
    """Return the distinct topics that the judge finds in a text, with the ids of the references that they mean.

    The judge sees the references mixed, expected and unsupported ones alike, under ids that tell nothing. An id that
    was not shown makes the reply malformed: the judge is asked once more with the fault shown, and then it fails.
    An empty list is a judgement, too: nothing was found.

    Raises:
        ModelError: The judge gave no usable reply.
    """
    shown = mixed(question, gold.references)
    reply = await judge.ask(topics_prompt(question, text, shown))
    topics = {f"T{number}": topic.id for number, topic in enumerate(shown, start=1)}
    return distinct(
        Found(item.label, frozenset({topics[item.reference]} if item.reference else ()), item.stretch)
        for item in reply.value.topics
    )


def topics_prompt(question: Question, text: str, shown: Sequence[Topic]) -> Prompt[FoundTopics]:
    """Return what the judge is asked about a text, with the references in the order in which they are shown."""
    return render(
        "judge_topics.v1",
        stage=STAGE,
        reply=reply_type(len(shown)),
        max_tokens=MAX_TOKENS,
        holes={
            "question": question.text,
            "references": "\n".join(f"T{number}: {_written(topic)}" for number, topic in enumerate(shown, start=1)),
            "answer": text,
        },
    )


def mixed(question: Question, topics: Sequence[Topic]) -> list[Topic]:
    """Return the topics in an order that depends on the question and their texts alone, not on what they are."""
    return sorted(topics, key=lambda topic: (text_hash(f"{question.id}\n{topic.text}"), topic.id))


def stands_in(stretch: str, text: str) -> bool:
    """Return whether the stretch occurs in the text, apart from case and white space; an empty one does not."""
    wanted = " ".join(stretch.casefold().split())
    return bool(wanted) and wanted in " ".join(text.casefold().split())


def stretch_notes(found: Sequence[Found], text: str) -> dict[str, JsonValue]:
    """Return, for a score's detail, the labels whose stretch the text does not hold: the judge made it up."""
    return {"stretch_not_in_answer": [topic.label for topic in found if not stands_in(topic.stretch, text)]}


@cache
def reply_type(references: int) -> type[FoundTopics]:
    """Return the reply's type where `references` topics are shown: only their ids, or none, are matches."""
    ids = [f"T{number}" for number in range(1, references + 1)]

    class Shown(FoundTopic, frozen=True):
        reference: str | None = Field(json_schema_extra={"enum": [*ids, None]})

        @field_validator("reference", mode="before")
        @classmethod
        def _is_shown(cls, given: object) -> object:
            if isinstance(given, str) and given.strip().casefold() in _NO_REFERENCE:
                return None
            if given is not None and given not in ids:
                raise ValueError(f"{given!r} is no id of the list; use {ids[0]} to {ids[-1]}, or null")
            return given

    class Reply(FoundTopics, frozen=True):
        topics: Annotated[tuple[Shown, ...], Field(max_length=120)]

    return Reply


def _written(topic: Topic) -> str:
    """Return a topic's text as a JSON string, and its aliases as more of them: none can pose as another."""
    text, *aliases = (json.dumps(spelling, ensure_ascii=False) for spelling in (topic.text, *topic.aliases))
    return f"{text} (also: {', '.join(aliases)})" if aliases else text
