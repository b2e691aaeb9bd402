"""The simple form of a benchmark: a question and plain topics a line, as people write it by hand."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Literal, Self

from pydantic import Field, model_validator

from astrolabe.benchmark.imported import ForeignRecord
from astrolabe.core.ids import content_id
from astrolabe.core.records import Kind, Question, Record, Span, TimeRange, Topic
from astrolabe.core.text import Text


class SimpleTopic(Record):
    """A topic with more than a text; its id may be left out."""

    id: Text | None = None
    text: Text = Field(min_length=1)
    aliases: tuple[Text, ...] = ()
    group: Text | None = None
    evidence: tuple[Span, ...] = ()
    importance: Literal["vital", "okay"] | None = None


class SimpleQuestion(ForeignRecord):
    """A line of the simple form; other fields go to `extra`."""

    id: Text | None = Field(default=None, min_length=1)
    question: Text = Field(min_length=1)
    kind: Kind = "other"
    topics: tuple[Text | SimpleTopic, ...] = ()
    hallucinations: tuple[Text | SimpleTopic, ...] = ()
    evidence: tuple[Text, ...] = ()
    time_range: TimeRange | None = None
    answers: tuple[Text | tuple[Text, ...], ...] = ()
    split: Text | None = None

    @model_validator(mode="after")
    def _name_topics_rightly(self) -> Self:
        """Refuse a field that is nearly `topics` or `hallucinations`: in `extra` they would be lost without a word."""
        for name in self.model_extra or {}:
            if near := get_close_matches(name.casefold(), ("topics", "hallucinations"), n=1, cutoff=0.85):
                msg = f"the field {name!r} is none of ours; did you mean {near[0]!r}?"
                raise ValueError(msg)
        return self

    def as_question(self) -> Question:
        """Return the record: missing ids become A1, A2, ..., H1, ... and one made of the question."""
        return Question(
            id=self.id or content_id("q", self.kind, self.question),
            text=self.question,
            kind=self.kind,
            topics=_topics(self.topics, "A"),
            hallucinations=_topics(self.hallucinations, "H"),
            evidence=self.evidence,
            time_range=self.time_range,
            answers=tuple((item,) if isinstance(item, str) else item for item in self.answers),
            split=self.split,
            extra=self.model_extra or {},
        )


def _topics(given: Sequence[str | SimpleTopic], letter: Literal["A", "H"]) -> tuple[Topic, ...]:
    topics: list[Topic] = []
    for number, item in enumerate(given, start=1):
        topic = SimpleTopic(text=item) if isinstance(item, str) else item
        topics.append(
            Topic(
                id=topic.id or f"{letter}{number}",
                text=topic.text,
                aliases=topic.aliases,
                group=topic.group,
                evidence=topic.evidence,
                importance=topic.importance,
            )
        )
    return tuple(topics)
