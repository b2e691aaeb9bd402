"""The contexts that a system of the user's own shows its model, found again in the study's documents."""

import re
from typing import Final, NamedTuple

from astrolabe.core.ids import content_id, passage_id
from astrolabe.core.records import Document, Passage
from astrolabe.core.tokens import count_tokens
from astrolabe.parts.sentences import sentence_spans

_SPREAD: Final = 2
"""Sentences that lie further apart than this many times the context's length are not one stretch."""
_SHORTEST: Final = 20
"""Characters: what is shorter stands in many places."""


class Place(NamedTuple):
    """A half-open range of characters of a document."""

    start: int
    end: int


def passage_of(text: str, document: Document | None, *, named: str | None) -> Passage:
    """Return a context as the stretch of its document that it repeats.

    Where the document does not hold it (a summary, say), the passage keeps its own text and stands behind the
    document's end, so that it counts as a visit to the document and reaches no evidence span. Where the document
    is none of the study's, it is a passage of the document that was `named`, or of none.
    """
    place = place_in(text, document.text) if document else None
    if document and place:
        text = document.text[place.start : place.end]
        identity = passage_id(document.id, place.start, place.end)
    else:
        start = len(document.text) if document else 0
        place = Place(start, start + len(text))
        identity = content_id("p", named or "", text)
    return Passage(
        id=identity,
        document_id=named or "",
        text=text,
        start=place.start,
        end=place.end,
        tokens=count_tokens(text),
    )


def place_in(text: str, document: str) -> Place | None:
    """Return where a text stands in a document, or null.

    White space may differ. A text with something before, between or after what it repeats stands where its
    sentences do; of sentences that are scattered the longest counts.
    """
    whole = _found(text, document)
    if whole:
        return whole
    sentences = [text[start:end].strip() for start, end in sentence_spans(text)]
    places = [found for one in sentences if len(one) >= _SHORTEST and (found := _found(one, document))]
    if not places:
        return None
    around = Place(min(place.start for place in places), max(place.end for place in places))
    if around.end - around.start <= _SPREAD * len(text):
        return around
    return max(places, key=lambda place: place.end - place.start)


def _found(text: str, document: str) -> Place | None:
    words = text.split()
    if not words:
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), document)
    return Place(*match.span()) if match else None
