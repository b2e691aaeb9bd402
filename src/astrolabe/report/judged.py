"""What a judge found in an answer, read from scores: topics with their stretches, misses with their causes."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from astrolabe.core.records import Score

MISS_CAUSE = "miss_cause"
Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The topics found in one answer, by id, each with the half-open stretches that it rests on."""

    topics: Mapping[str, Sequence[Stretch]] = field(default_factory=dict[str, Sequence[Stretch]])


def found_topics(score: Score, text: str) -> Found:
    """Return the topics that a topic metric found in an answer's text.

    Reads `detail["matches"]`: a list of objects with a `topic` (id) and, where the judge names it, the
    stretch as `start` and `end` or as a `quote`. What does not have this form is passed over.
    """
    topics: dict[str, list[Stretch]] = {}
    for match in _objects(score.detail.get("matches")):
        topic = match.get("topic")
        if isinstance(topic, str):
            stretches = topics.setdefault(topic, [])
            if stretch := _stretch(match, text):
                stretches.append(stretch)
    return Found(topics={topic: sorted(set(stretches)) for topic, stretches in topics.items()})


def causes(score: Score) -> dict[str, str]:
    """Return the cause of each missed topic of one answer, by topic id.

    Reads `detail["missed"]` of a `miss_cause` score: a list of objects with `topic` and `cause`.
    """
    return _causes(score, "missed")


def origins(score: Score) -> dict[str, str]:
    """Return where each hallucinated topic of one answer came from, by topic id; as `causes`."""
    return _causes(score, "hallucinated")


def count_causes(scores: Sequence[Score]) -> dict[str, Counter[str]]:
    """Return by method how often each cause of a missed topic occurs, over all its answers."""
    counted: dict[str, Counter[str]] = {}
    for score in scores:
        if is_miss_cause(score):
            counted.setdefault(score.method, Counter()).update(causes(score).values())
    return counted


def is_miss_cause(score: Score) -> bool:
    """Whether a score says why topics are missed."""
    return score.metric.partition("(")[0] == MISS_CAUSE


def _causes(score: Score, key: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in _objects(score.detail.get(key)):
        topic, cause = one.get("topic"), one.get("cause")
        if isinstance(topic, str) and isinstance(cause, str):
            found[topic] = cause
    return found


def _objects(value: JsonValue) -> Iterable[Mapping[str, JsonValue]]:
    for one in value if isinstance(value, list) else []:
        if isinstance(one, dict):
            yield one


def _stretch(match: Mapping[str, JsonValue], text: str) -> Stretch | None:
    start, end, quote = match.get("start"), match.get("end"), match.get("quote")
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text):
        return start, end
    if isinstance(quote, str) and quote and (place := text.find(quote)) >= 0:
        return place, place + len(quote)
    return None
