"""Finding a question's topics in an answer without a model: statements against references."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from astrolabe.core.protocols import Embedder
from astrolabe.core.records import Question
from astrolabe.parts.match import match
from astrolabe.parts.statements import Statement, statements, stem_set
from astrolabe.parts.topic_scores import Found, Gold

MATCHER: Final = "matcher"
"""Where a score's `detail` names the matcher that filled it."""
_ALIKE: Final = 0.8
"""From this share of common stems on, two statements are one."""


class Nearest(NamedTuple):
    """The statement that comes nearest to expressing a reference, and how likely it does."""

    topic: str
    probability: float
    stretch: str


class LocalTopics(NamedTuple):
    """What an answer holds, the nearest statement to each reference, and the matcher's name."""

    found: list[Found]
    nearest: list[Nearest]
    matcher: str


async def local_topics(question: Question, text: str, gold: Gold, embedder: Embedder) -> LocalTopics:
    """Return an answer's distinct statements with the references that they express.

    Found is every statement that makes a claim or expresses a reference; statements with four fifths of their stems
    in common are one, which expresses what any of them does. A text without statements holds nothing.
    """
    said = statements(text)
    spellings = [(topic.text, *topic.aliases) for topic in gold.references]
    matches = await match(spellings, [statement.read_as for statement in said], question.text, embedder)
    ids = [topic.id for topic in gold.references]
    found = [
        Found(statement.text, frozenset(ids[row] for row in matches.express[:, column].nonzero()[0]), statement.text)
        for column, statement in enumerate(said)
    ]
    kept = [topic for topic, statement in zip(found, said, strict=True) if topic.topics or statement.is_claim]
    return LocalTopics(_merged(kept), _nearest(ids, said, matches.probability.tolist()), matches.matcher)


def _nearest(ids: Sequence[str], said: Sequence[Statement], likely: Sequence[Sequence[float]]) -> list[Nearest]:
    if not said:
        return []
    best = [max(range(len(said)), key=row.__getitem__) for row in likely]
    return [
        Nearest(topic, round(row[column], 4), said[column].text)
        for topic, row, column in zip(ids, likely, best, strict=True)
    ]


def _merged(found: Sequence[Found]) -> list[Found]:
    """Return the statements that differ, each with all that its near-duplicates express; in order of appearance."""
    kept: list[tuple[frozenset[str], Found]] = []
    for topic in found:
        own = stem_set(topic.label)
        twin = next((place for place, (other, _) in enumerate(kept) if _alike(own, other)), None)
        if twin is None:
            kept.append((own, topic))
        else:
            other, first = kept[twin]
            kept[twin] = (other, first._replace(topics=first.topics | topic.topics))
    return [topic for _, topic in kept]


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter, longer = sorted((len(one), len(other)))
    return shorter >= _ALIKE * longer and len(one & other) >= _ALIKE * max(1, len(one | other))
