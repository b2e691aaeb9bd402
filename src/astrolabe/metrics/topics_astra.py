"""Which topics an answer covers, by the protocol of the published numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from pydantic import BaseModel, Field

from astrolabe.core.prompt import Prompt
from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Question, Score, Topic
from astrolabe.core.spelling import spell
from astrolabe.parts.judged_topics import MAX_TOKENS, mixed
from astrolabe.parts.topic_scores import (
    NO_TOPICS,
    Found,
    Gold,
    cannot_score,
    distinct,
    gold_topics,
    plain,
    scored,
    unscored,
)
from astrolabe.prompts import numbered, render

_STAGE: Final = "judge.topics_astra"


class Labels(BaseModel, frozen=True):
    """The judge's reply."""

    topics: Annotated[tuple[Annotated[str, Field(max_length=600)], ...], Field(max_length=120)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicsAstra:
    """T-F1 by the published protocol of ASTRA-QA, to compare with its numbers. From 0 to 1, more is better.

    One call an answer. The judge extracts the answer's topics and writes those that mean a reference in the
    reference's words; the lists are then compared as strings, apart from case, spacing and punctuation. A topic that
    is expected and unsupported at once counts on both sides: this is how we read set operations on the published
    lists, whereas `topics` removes it from the expected ones. Parts as in `topics`. A judge that rewords a reference
    loses the match here, so prefer `topics` for anything but this comparison.
    """

    name: ClassVar[str] = "topics_astra"

    @property
    def range(self) -> tuple[float, float]:
        """From nothing right to all right."""
        return (0.0, 1.0)

    async def score(self, question: Question, answer: Answer, kit: Kit) -> Score:
        """Ask the judge once.

        Raises:
            ModelError: The judge gave no usable reply.
            ConfigError: There is no judge.
        """
        known = gold_topics(question)
        gold = Gold((*known.expected, *known.removed), known.unsupported, ())
        if answer.status == "ok" and gold.expected:
            reply = await kit.llm.ask(_prompt(question, answer.text, mixed(question, gold.references)))
            found = distinct(Found(label, _named(label, gold.references)) for label in reply.value.topics)
            return scored(answer, spell(self), found, gold, judge=kit.llm.id)
        return unscored(answer, spell(self), cannot_score(question, answer) or NO_TOPICS)


def _prompt(question: Question, text: str, shown: Sequence[Topic]) -> Prompt[Labels]:
    return render(
        "judge_labels.v1",
        stage=_STAGE,
        reply=Labels,
        max_tokens=MAX_TOKENS,
        holes={
            "question": question.text,
            "references": numbered(list(dict.fromkeys(topic.text for topic in shown))),
            "answer": text,
        },
    )


def _named(label: str, topics: Sequence[Topic]) -> frozenset[str]:
    return frozenset(topic.id for topic in topics if plain(topic.text) == plain(label))
