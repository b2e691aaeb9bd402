"""Telling without a model which topics a statement expresses: a matcher calibrated on people's labels.

Each topic is compared with each statement by three features, every one of them in what the question has not
already said, since words that stand in the question stand in every statement about it:

- the cosine of the two vectors after the question's direction is taken out of both,
- the share of the topic's stems that the statement has,
- the cosine of the two sets of letter trigrams, which sees word families that stemming parts.

Their weighted sum minus a threshold is a log-odds. Weights and threshold are fitted by
`python benchmarks/calibrate.py` on the labels of `argkp` and `summhay_coverage`; no other data was looked at. The
features were chosen on the same labels, so the agreement that tables print is somewhat optimistic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from astrolabe.core.protocols import Embedder, Vectors
from astrolabe.core.words import STOP_WORDS, words
from astrolabe.parts.statements import stem_set

Matrix = npt.NDArray[np.float64]
_LETTERS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Weights of the features, in their order, and the sum from which on a statement expresses a topic.

    Attributes:
        name: What records and tables call this matcher.
        vector: Of the cosine apart from the question; 0 where vectors are not used at all.
        stems: Of the share of the topic's stems.
        letters: Of the cosine of the letter trigrams.
        threshold: Where precision and recall are balanced on both data sets.
    """

    name: str
    vector: float
    stems: float
    letters: float
    threshold: float

    @property
    def weights(self) -> Matrix:
        """The weights as a column."""
        return np.array([self.vector, self.stems, self.letters])


WITH_MINILM: Final = Calibration(name="minilm", vector=3.53, stems=2.74, letters=3.27, threshold=2.75)
WORDS_ALONE: Final = Calibration(name="words", vector=0.0, stems=3.42, letters=5.16, threshold=2.25)
_MINILM: Final = "embedded:minilm@"


def calibration_for(embedder: Embedder) -> Calibration:
    """Return the calibration that fits the embedder's vectors; words alone for any that was not calibrated."""
    return WITH_MINILM if embedder.id.startswith(_MINILM) else WORDS_ALONE


class Matches(NamedTuple):
    """How sure it is that each topic (rows) is expressed by each statement (columns): probabilities in [0, 1]."""

    probability: Matrix
    matcher: str

    @property
    def express(self) -> npt.NDArray[np.bool_]:
        """Which pairs count as a match."""
        return self.probability >= 0.5  # noqa: PLR2004 - as likely as not: the threshold is in the calibration


async def match(
    topics: Sequence[Sequence[str]], statements: Sequence[str], question: str, embedder: Embedder
) -> Matches:
    """Return how likely each statement expresses each topic.

    A topic's spellings are compared one by one and its best one counts, so adding one never lowers anything. No
    topic's figures depend on the other topics, nor a statement's on the other statements. One call of the embedder
    (none where its vectors are not calibrated).

    Args:
        topics: The spellings of each topic, at least one each.
        statements: The statements, in any order.
        question: The question that they answer.
        embedder: Decides which calibration is used.
    """
    calibration = calibration_for(embedder)
    flat = [spelling for topic in topics for spelling in topic]
    if not flat or not statements:
        return Matches(np.zeros((len(topics), len(statements))), calibration.name)
    vectors = await _apart(flat, statements, question, embedder) if calibration.vector else None
    sums = features(flat, statements, question, vectors=vectors) @ calibration.weights
    likely = 1.0 / (1.0 + np.exp(calibration.threshold - sums))
    starts = np.cumsum([0, *(len(topic) for topic in topics[:-1])])
    return Matches(np.maximum.reduceat(likely, starts, axis=0), calibration.name)


def features(
    topics: Sequence[str], statements: Sequence[str], question: str, *, vectors: tuple[Vectors, Vectors] | None = None
) -> Matrix:
    """Return the three features of each pair, in the shape (topics, statements, 3), each in [0, 1] or a cosine.

    Args:
        topics: One spelling each.
        statements: The statements.
        question: What its words and its direction are taken out of.
        vectors: Of topics and of statements, apart from the question (see `apart`); without them that feature is 0.
    """
    asked = _text(question)
    said = [_text(statement) for statement in statements]
    found = np.zeros((len(topics), len(statements), 3))
    if vectors is not None:
        found[:, :, 0] = vectors[0] @ vectors[1].T
    letters = [statement.letters - asked.letters for statement in said]
    for row, topic in enumerate(map(_text, topics)):
        own = (topic.stems - asked.stems) or topic.stems
        own_letters = (topic.letters - asked.letters) or topic.letters
        for column, statement in enumerate(said):
            found[row, column, 1] = len(own & statement.stems) / max(1, len(own))
            shared = len(own_letters & letters[column])
            found[row, column, 2] = shared / max(1.0, (len(own_letters) * len(letters[column])) ** 0.5)
    return found


def apart(vectors: Vectors, question: Vectors) -> Vectors:
    """Return vectors without their part in the question's direction, of norm 1 again; zeros stay zeros."""
    rest = vectors - np.outer(vectors @ question, question)
    norms = np.linalg.norm(rest, axis=1, keepdims=True)
    return np.divide(rest, norms, out=np.zeros_like(rest), where=norms > _NOTHING).astype(np.float32)


_NOTHING: Final = 1e-6


async def _apart(
    topics: Sequence[str], statements: Sequence[str], question: str, embedder: Embedder
) -> tuple[Vectors, Vectors]:
    vectors = await embedder.embed([question, *topics, *statements], side="passage")
    rest = apart(vectors[1:], vectors[0])
    return rest[: len(topics)], rest[len(topics) :]


class _Text(NamedTuple):
    stems: frozenset[str]
    letters: frozenset[str]


@lru_cache(maxsize=20_000)
def _text(text: str) -> _Text:
    """Return a text's stems and letter trigrams; a text is compared with many others, so it is kept."""
    content = [f"^{word}$" for word in words(text) if word not in STOP_WORDS]
    letters = {word[at : at + _LETTERS] for word in content for at in range(len(word) - _LETTERS + 1)}
    return _Text(stem_set(text), frozenset(letters))
