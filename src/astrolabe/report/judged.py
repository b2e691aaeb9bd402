"""What was found in an answer, read from scores: topics with their stretches, misses with their causes.

Metrics keep these in a score's `detail`, which may also come from a file that people wrote: what does not have
the form described here is passed over.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue

from astrolabe.core.records import Score

MISS_CAUSE: Final = "miss_cause"
SET_METRICS: Final = ("set_f1_judged", "set_f1")


class Stretch(NamedTuple):
    """A half-open range of characters of an answer's text."""

    start: int
    end: int


class Cause(NamedTuple):
    """Why a topic was missed (or where an unsupported one came from), and how that is known."""

    cause: str
    reason: str


def found_topics(score: Score, text: str) -> dict[str, list[Stretch]]:
    """Return the references that a topic metric found in an answer's text, each with the stretches it rests on.

    They are the ids under `covered` and `hit`; the stretches are those of the objects under `found`, each with
    `topics` (ids) and `stretch` (a quote of the text; one that the text does not hold has no place in it).
    """
    topics: dict[str, list[Stretch]] = {id_: [] for key in ("covered", "hit") for id_ in _texts(score.detail.get(key))}
    for one in _objects(score.detail.get("found")):
        quote = one.get("stretch")
        place = text.find(quote) if isinstance(quote, str) and quote else -1
        for topic in _texts(one.get("topics")):
            if topic in topics and place >= 0:
                topics[topic].append(Stretch(place, place + len(str(quote))))
    return {topic: sorted(set(stretches)) for topic, stretches in topics.items()}


def found_items(score: Score) -> dict[str, list[str]]:
    """Return what a set metric says of an answer: the gold items `found` and `missed`, and its own that are `wrong`.

    Kinds without items are left out; a topic metric has none.
    """
    if score.metric.partition("(")[0] not in SET_METRICS:
        return {}
    items = {name: list(_texts(score.detail.get(name))) for name in ("found", "missed", "wrong")}
    return {name: own for name, own in items.items() if own}


def causes(score: Score) -> dict[str, Cause]:
    """Return by id why each missed topic of one answer was missed: the objects under `missed` of a `miss_cause` score.

    Each has `topic`, `cause` and `reason`.
    """
    return _causes(score.detail.get("missed"))


def origins(score: Score) -> dict[str, Cause]:
    """Return by id where each unsupported topic of one answer came from: the objects under `hit`; see `causes`."""
    return _causes(score.detail.get("hit"))


def count_causes(scores: Sequence[Score]) -> dict[str, Counter[str]]:
    """Return by method how often each cause of a missed topic occurs, over all its answers."""
    counted: dict[str, Counter[str]] = {}
    for score in scores:
        if is_miss_cause(score):
            counted.setdefault(score.method, Counter()).update(one.cause for one in causes(score).values())
    return counted


def is_miss_cause(score: Score) -> bool:
    """Whether a score says why topics are missed."""
    return score.metric.partition("(")[0] == MISS_CAUSE


def _causes(value: JsonValue) -> dict[str, Cause]:
    found: dict[str, Cause] = {}
    for one in _objects(value):
        topic, cause, reason = one.get("topic"), one.get("cause"), one.get("reason")
        if isinstance(topic, str) and isinstance(cause, str):
            found[topic] = Cause(cause, reason if isinstance(reason, str) else "")
    return found


def _objects(value: JsonValue) -> Iterable[Mapping[str, JsonValue]]:
    return (one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def _texts(value: JsonValue) -> Iterable[str]:
    return (one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
