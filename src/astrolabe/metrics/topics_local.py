"""Which topics an answer covers, without any model that has to be asked."""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Question, Score
from astrolabe.core.spelling import spell
from astrolabe.parts.local_topics import MATCHER, Nearest, local_topics
from astrolabe.parts.topic_scores import cannot_score, gold_topics, scored, unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicsLocal:
    """T-F1 without a judge: statements against references, by a matcher calibrated on people's labels. 0 to 1.

    The answer is cut into statements; each reference (its text or an alias) is expressed by those that a small
    logistic model says express it. Precision is over the statements that make a claim, near-duplicates as one, not
    over topics: these figures are not comparable with those of `topics`. Parts as there. The detail names the matcher
    (`minilm` with the embedded model's vectors, else `words`) and, for each reference, the nearest statement with its
    probability. How far each matcher agrees with people is printed with every table. It reads English best.
    """

    name: ClassVar[str] = "topics_local"

    @property
    def range(self) -> tuple[float, float]:
        """From nothing right to all right."""
        return (0.0, 1.0)

    async def score(self, question: Question, answer: Answer, kit: Kit) -> Score:
        """Embed the answer's statements (in one call) and match them."""
        if reason := cannot_score(question, answer):
            return unscored(answer, spell(self), reason)
        gold = gold_topics(question)
        local = await local_topics(question, answer.text, gold, kit.embedder)
        more: dict[str, JsonValue] = {MATCHER: local.matcher, "nearest": [_told(nearest) for nearest in local.nearest]}
        return scored(answer, spell(self), local.found, gold, more=more)


def _told(nearest: Nearest) -> dict[str, JsonValue]:
    return {"topic": nearest.topic, "probability": nearest.probability, "stretch": nearest.stretch}
