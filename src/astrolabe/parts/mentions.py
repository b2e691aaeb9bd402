"""Whether some passages say what a topic says: by words alone, for many passages at once."""

from collections.abc import Sequence
from typing import Final

from astrolabe.core.records import Topic
from astrolabe.parts.match import WORDS_ALONE, features
from astrolabe.parts.sentences import sentence_spans
from astrolabe.parts.statements import stem_set

_WORTH_READING: Final = 0.4
"""Only sentences of passages that may have this share of the topic's own stems are compared."""
_PREFIX: Final = 4
"""A passage without a stem's first letters has no word of that stem: a test that needs no stemming."""


def mentions(topic: Topic, passages: Sequence[str], question: str) -> bool:
    """Return whether any sentence of the passages expresses the topic, by the matcher of words alone."""
    asked = stem_set(question)
    for spelling in (topic.text, *topic.aliases):
        wanted = stem_set(spelling) - asked or stem_set(spelling)
        for passage in passages:
            folded = passage.casefold()
            if sum(stem[:_PREFIX] in folded for stem in wanted) < _WORTH_READING * len(wanted):
                continue
            sentences = [passage[start:end] for start, end in sentence_spans(passage)]
            sums = features([spelling], sentences, question) @ WORDS_ALONE.weights
            if (sums >= WORDS_ALONE.threshold).any():
                return True
    return False
