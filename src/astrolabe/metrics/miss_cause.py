"""Why each missed topic was missed, and where each unsupported one came from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NamedTuple, get_args

from pydantic import JsonValue

from astrolabe.core.protocols import Cut, Kit
from astrolabe.core.records import Answer, Question, Score, Span, Topic
from astrolabe.core.spelling import spell
from astrolabe.parts.judged_topics import judged_topics
from astrolabe.parts.local_topics import MATCHER, local_topics
from astrolabe.parts.mentions import mentions
from astrolabe.parts.reached import Reached, reached
from astrolabe.parts.topic_scores import Found, Gold, cannot_score, gold_topics, topic_scores, unscored

Cause = Literal["not in scope", "not retrieved", "retrieved but cut", "in context but not used", "unsure"]
Origin = Literal["in context", "in scope, not in context", "not in the scope", "unsure"]
LOST_BEFORE: Final[tuple[Cause, ...]] = ("not in scope", "not retrieved", "retrieved but cut")
"""The causes that lie before the model: it never saw the evidence."""
_MOST_PASSAGES: Final = 2_000


class _Told(NamedTuple):
    topic: str
    cause: Cause | Origin
    reason: str


class _Shown(NamedTuple):
    context: Reached
    retrieved: Reached


@dataclass(frozen=True, slots=True, kw_only=True)
class MissCause:
    """The share of the expected topics that were lost before the model saw their evidence. From 1 to 0, less is better.

    Each missed topic has a cause, told from its evidence spans, the scope and the answer's passages: `not in scope`
    (no document of its evidence is), `not retrieved`, `retrieved but cut`, `in context but not used`, or `unsure` (no
    evidence spans, or the answer names no passage that can be read). A span counts as reached where half of it is
    there. The parts `not_in_scope`, `not_retrieved`, `retrieved_but_cut`, `in_context_but_not_used` and `unsure` are
    shares of the expected topics and add up to 1 - recall. The value is the first three of them over the topics that
    are covered or whose cause is known; an answer whose misses are all unsure is unscored.

    Each unsupported topic that was found has an origin, told from its evidence spans or, without any, from its words:
    `in context`, `in scope, not in context`, `not in the scope`, or `unsure` (no documents at hand, or over 2,000
    passages). The parts `h_in_context`, `h_in_scope`, `h_not_in_scope` and `h_unsure` are shares of those found, null
    where there is none. The detail has cause and reason by topic. Source: ours.

    Attributes:
        by: Which metric tells what was missed: `topics_local`, or `topics` (its call, free once recorded).
    """

    name: ClassVar[str] = "miss_cause"

    by: Literal["topics_local", "topics"] = "topics_local"

    @property
    def range(self) -> tuple[float, float]:
        """From all lost before the model to none."""
        return (1.0, 0.0)

    async def score(self, question: Question, answer: Answer, kit: Kit) -> Score:
        """Find what was missed as the other metric does, then look where the evidence went.

        Raises:
            ModelError: By `topics`, and the judge gave no usable reply.
            ConfigError: By `topics`, and there is no judge.
        """
        if reason := cannot_score(question, answer):
            return unscored(answer, spell(self), reason)
        gold = gold_topics(question)
        found, judged_by = await self._found(question, answer.text, gold, kit)
        scores = topic_scores(found, gold)
        shown = _Shown(reached(answer.contexts, kit), reached(answer.retrieved, kit))
        missed = [_cause(topic, shown, kit) for topic in gold.expected if topic.id in scores.missed]
        hit = [_origin(topic, question, shown, kit) for topic in gold.unsupported if topic.id in scores.hit]
        return _score(answer, spell(self), missed, hit, expected=len(gold.expected), judged_by=judged_by)

    async def _found(
        self, question: Question, text: str, gold: Gold, kit: Kit
    ) -> tuple[Sequence[Found], dict[str, JsonValue]]:
        if self.by == "topics":
            return await judged_topics(question, text, gold, kit.llm), {"judge": kit.llm.id}
        local = await local_topics(question, text, gold, kit.embedder)
        return local.found, {MATCHER: local.matcher}


def _cause(topic: Topic, shown: _Shown, kit: Kit) -> _Told:
    spans = topic.evidence
    if not spans:
        return _Told(topic.id, "unsure", "the topic has no evidence spans")
    inside = [span for span in spans if kit.has_document(span.document_id)]
    if not inside:
        documents = ", ".join(sorted({span.document_id for span in spans}))
        return _Told(topic.id, "not in scope", f"the scope has none of the documents {documents}")
    return _Told(topic.id, *_way(inside, shown))


def _way(spans: Sequence[Span], shown: _Shown) -> tuple[Cause, str]:
    """Return where the evidence that the scope holds was lost."""
    if any(map(shown.context.holds, spans)):
        return "in context but not used", "the model was shown its evidence"
    if any(map(shown.retrieved.holds, spans)):
        return "retrieved but cut", "its evidence was found and left out of the context"
    if not shown.context.passages and not shown.retrieved.passages:
        return "unsure", "the answer names no passage that can be read"
    if unreadable := shown.context.unreadable + shown.retrieved.unreadable:
        return "unsure", f"{unreadable} of the answer's hits are no passages of the scope"
    return "not retrieved", "its evidence is in the scope and was not found"


def _origin(topic: Topic, question: Question, shown: _Shown, kit: Kit) -> _Told:
    spans = [span for span in topic.evidence if kit.has_document(span.document_id)]
    texts = [passage.text for passage in shown.context.passages]
    if any(map(shown.context.holds, spans)) or mentions(topic, texts, question.text):
        return _Told(topic.id, "in context", "the model was shown it")
    passages = kit.passages(Cut())
    if spans:
        return _Told(topic.id, "in scope, not in context", "its source is in the scope")
    if not passages or len(passages) > _MOST_PASSAGES:
        return _Told(topic.id, "unsure", f"the scope has {len(passages)} passages to look through")
    if mentions(topic, [passage.text for passage in passages], question.text):
        return _Told(topic.id, "in scope, not in context", "a document of the scope says it")
    return _Told(topic.id, "not in the scope", "no passage of the scope says it")


def _score(
    answer: Answer,
    metric: str,
    missed: Sequence[_Told],
    hit: Sequence[_Told],
    *,
    expected: int,
    judged_by: dict[str, JsonValue],
) -> Score:
    causes = Counter(told.cause for told in missed)
    known = expected - causes["unsure"]
    parts: dict[str, float | None] = {_slug(cause): causes[cause] / expected for cause in get_args(Cause)}
    origins = Counter(told.cause for told in hit)
    shares = {origin: origins[origin] / len(hit) if hit else None for origin in get_args(Origin)}
    parts |= {
        "h_in_context": shares["in context"],
        "h_in_scope": shares["in scope, not in context"],
        "h_not_in_scope": shares["not in the scope"],
        "h_unsure": shares["unsure"],
    }
    told_missed: list[JsonValue] = [told._asdict() for told in missed]
    told_hit: list[JsonValue] = [told._asdict() for told in hit]
    lost = sum(causes[cause] for cause in LOST_BEFORE)
    unknown = bool(missed) and causes["unsure"] == len(missed)
    return Score(
        question_id=answer.question_id,
        method=answer.method,
        scope=answer.scope,
        metric=metric,
        value=None if unknown else lost / known,
        status="unscored" if unknown else "scored",
        reason=f"no miss has a known cause: {missed[0].reason}" if unknown else None,
        parts=parts,
        detail={"missed": told_missed, "hit": told_hit, **judged_by},
    )


def _slug(cause: str) -> str:
    return cause.replace(" ", "_")
