"""Which gold spans the passages of an answer reach."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Hit, Passage, Span

_ENOUGH = 0.5
"""A span is reached where this share of its characters stands in the passages."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The text that some hits brought, by document.

    Attributes:
        passages: The passages that could be read.
        unreadable: How many hits name no passage of the scope (a summary, an entity, an outsider's own id).
    """

    passages: tuple[Passage, ...]
    unreadable: int
    _places: Mapping[str, Sequence[tuple[int, int]]]

    def documents(self) -> set[str]:
        """Return the ids of the documents that at least one passage is of."""
        return set(self._places)

    def share(self, span: Span) -> float:
        """Return the share of a span's characters that the passages hold, in [0, 1]; 1 for an empty span inside."""
        places = self._places.get(span.document_id, ())
        if span.start == span.end:
            return float(any(start <= span.start < end for start, end in places))
        held = sum(max(0, min(end, span.end) - max(start, span.start)) for start, end in places)
        return held / (span.end - span.start)

    def holds(self, span: Span) -> bool:
        """Return whether at least half of the span is there."""
        return self.share(span) >= _ENOUGH


def reached(hits: Iterable[Hit], kit: Kit) -> Reached:
    """Read the hits' passages; each passage counts once, characters in two of them count once."""
    passages: dict[str, Passage] = {}
    unreadable = 0
    for hit in hits:
        try:
            passages[hit.passage_id] = kit.read(hit.passage_id)
        except KeyError:
            unreadable += 1
    places: dict[str, list[tuple[int, int]]] = {}
    for passage in passages.values():
        places.setdefault(passage.document_id, []).append((passage.start, passage.end))
    joined = {document: _joined(own) for document, own in places.items()}
    return Reached(tuple(passages.values()), unreadable, joined)


def _joined(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
