"""The arithmetic of topic scores: from which topics were found to precision, recall and unsupported shares."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from pydantic import JsonValue

from astrolabe.core.records import Answer, Extra, Question, Score, Topic
from astrolabe.core.words import words

NO_TOPICS: Final = "no topics"
"""Why a question without answer topics is unscored."""


class Gold(NamedTuple):
    """A question's references as they count: the expected topics, the unsupported ones, and what was left out."""

    expected: tuple[Topic, ...]
    unsupported: tuple[Topic, ...]
    removed: tuple[Topic, ...]

    @property
    def references(self) -> tuple[Topic, ...]:
        """All topics that an answer is compared with."""
        return (*self.expected, *self.unsupported)


class Found(NamedTuple):
    """A topic that an answer holds: what it is called, the ids of the references it means, where it stands."""

    label: str
    topics: frozenset[str]
    stretch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicScores:
    """The five figures, each in [0, 1], and the ids behind them.

    Attributes:
        t_prec: Share of the found topics that mean an expected one; 0 where none was found.
        t_rec: Share of the expected topics that were found.
        t_f1: Their harmonic mean, 0 where both are 0.
        h_topic: Share of the unsupported topics that were found; 0 where there are none (the definition).
        h_resp: 1 where any unsupported topic was found, else 0.
        covered: Ids of the expected topics that were found, in the question's order.
        missed: Ids of the other expected topics.
        hit: Ids of the unsupported topics that were found.
    """

    t_prec: float
    t_rec: float
    t_f1: float
    h_topic: float
    h_resp: float
    covered: tuple[str, ...]
    missed: tuple[str, ...]
    hit: tuple[str, ...]


def gold_topics(question: Question) -> Gold:
    """Return the topics that count: without rejected ones, and without expected ones that are unsupported, too.

    Two topics are the same where any spelling (text or alias) of one equals any of the other, apart from case,
    spacing and punctuation. Such a topic leaves the expected ones and stays among the unsupported.
    """
    unsupported = _kept(question.hallucinations)
    doubtful = {spelling for topic in unsupported for spelling in spellings(topic)}
    expected = _kept(question.topics)
    removed = tuple(topic for topic in expected if doubtful & spellings(topic))
    return Gold(tuple(topic for topic in expected if topic not in removed), unsupported, removed)


def spellings(topic: Topic) -> set[str]:
    """Return a topic's text and aliases in the form in which spellings are compared."""
    return {plain(spelling) for spelling in (topic.text, *topic.aliases)}


def plain(text: str) -> str:
    """Return the form in which two spellings are compared: case, spacing and punctuation count for nothing.

    Examples:
        >>> plain("Limited  PL knowledge.")
        'limited pl knowledge'
    """
    return " ".join(words(text)) or text.strip()


def distinct(found: Iterable[Found]) -> list[Found]:
    """Return the found topics, those of one label as one that means all that they mean; in order of appearance."""
    unique: dict[str, Found] = {}
    for topic in found:
        label = plain(topic.label)
        known = unique.get(label)
        unique[label] = known._replace(topics=known.topics | topic.topics) if known else topic
    return list(unique.values())


def topic_scores(found: Sequence[Found], gold: Gold) -> TopicScores:
    """Return the scores of an answer that holds the `found` topics, all of them different.

    Several found topics may mean one reference: each then counts for precision, the reference once for recall.
    An id that is no reference of the question counts as none. Blind to the order of topics and references.

    Raises:
        ValueError: There is no expected topic, so that recall is of nothing.
    """
    if not gold.expected:
        raise ValueError(NO_TOPICS)
    means = frozenset[str]().union(*(topic.topics for topic in found))
    expected = frozenset(topic.id for topic in gold.expected)
    covered = tuple(topic.id for topic in gold.expected if topic.id in means)
    hit = tuple(topic.id for topic in gold.unsupported if topic.id in means)
    precision = sum(bool(topic.topics & expected) for topic in found) / max(1, len(found))
    recall = len(covered) / len(gold.expected)
    return TopicScores(
        t_prec=precision,
        t_rec=recall,
        t_f1=2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        h_topic=len(hit) / max(1, len(gold.unsupported)),
        h_resp=float(bool(hit)),
        covered=covered,
        missed=tuple(topic.id for topic in gold.expected if topic.id not in means),
        hit=hit,
    )


def cannot_score(question: Question, answer: Answer) -> str | None:
    """Return why this answer gets no number for its topics, or null where it can be judged.

    Only an answer of status `ok` is judged: one that failed, was refused or was cut off is none, whatever
    text it left behind.
    """
    if answer.status != "ok":
        return f"the answer is {answer.status}: {answer.reason}"
    return None if gold_topics(question).expected else NO_TOPICS


def unscored(
    answer: Answer, metric: str, reason: str, *, judge: str | None = None, detail: Extra | None = None
) -> Score:
    """Return the record of an answer that gets no number, with the reason."""
    return Score(
        question_id=answer.question_id,
        method=answer.method,
        scope=answer.scope,
        metric=metric,
        status="unscored",
        reason=reason,
        judge=judge,
        detail=detail or {},
    )


def scored(
    answer: Answer,
    metric: str,
    found: Sequence[Found],
    gold: Gold,
    *,
    judge: str | None = None,
    more: Mapping[str, JsonValue] | None = None,
) -> Score:
    """Return the record of an answer's topic scores: T-F1 as its value, all five figures as its parts.

    `detail` holds the ids `covered`, `missed`, `hit` and `removed` (expected topics that are unsupported, too),
    and under `found` each topic of the answer with what it means and the stretch that it rests on.
    """
    scores = topic_scores(found, gold)
    parts: dict[str, float | None] = {
        "t_prec": scores.t_prec,
        "t_rec": scores.t_rec,
        "t_f1": scores.t_f1,
        "h_topic": scores.h_topic,
        "h_resp": scores.h_resp,
    }
    told: list[JsonValue] = [_told(topic) for topic in found]
    detail: Extra = {
        "covered": list(scores.covered),
        "missed": list(scores.missed),
        "hit": list(scores.hit),
        "removed": [topic.id for topic in gold.removed],
        "found": told,
        **(more or {}),
    }
    return Score(
        question_id=answer.question_id,
        method=answer.method,
        scope=answer.scope,
        metric=metric,
        value=scores.t_f1,
        parts=parts,
        detail=detail,
        judge=judge,
    )


def _told(topic: Found) -> dict[str, JsonValue]:
    return {"label": topic.label, "topics": list[JsonValue](sorted(topic.topics)), "stretch": topic.stretch}


def _kept(topics: Sequence[Topic]) -> tuple[Topic, ...]:
    return tuple(topic for topic in topics if topic.state != "rejected")
