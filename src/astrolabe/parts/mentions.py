"""Whether some passages say what a topic says: by words alone, for many passages at once."""

from collections.abc import Sequence
from typing import Final

from astrolabe.core.records import Topic
from astrolabe.parts.match import WORDS_ALONE, features
from astrolabe.parts.sentences import sentence_spans
from astrolabe.parts.words import stems

_WORTH_READING: Final = 0.4
"""Only sentences of passages with this share of the topic's own stems are compared."""


def mentions(topic: Topic, passages: Sequence[str], question: str) -> bool:
    """Return whether any sentence of the passages expresses the topic, by the matcher of words alone."""
    asked = frozenset(stems(question))
    for spelling in (topic.text, *topic.aliases):
        wanted = frozenset(stems(spelling)) - asked or frozenset(stems(spelling))
        for passage in passages:
            if len(wanted & frozenset(stems(passage))) < _WORTH_READING * len(wanted):
                continue
            sentences = [passage[start:end] for start, end in sentence_spans(passage)]
            sums = features([spelling], sentences, question) @ WORDS_ALONE.weights
            if (sums >= WORDS_ALONE.threshold).any():
                return True
    return False
