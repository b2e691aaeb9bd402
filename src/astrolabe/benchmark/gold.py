"""Small makers of gold records that the importers share."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from astrolabe.core.ids import document_id, text_hash
from astrolabe.core.records import Document, Extra, Kind, Topic

_KIND_WORDS: Final[tuple[tuple[str, Kind], ...]] = (
    ("single", "single_sum"),
    ("pair", "pair_comp"),
    ("multi", "multi_comp"),
    ("enum", "enumeration"),
    ("tempor", "temporal"),
)


def numbered_topics(texts: Sequence[str], letter: Literal["A", "H"]) -> tuple[Topic, ...]:
    """Return imported topics with the ids A1, A2, ... (or H1, H2, ...), in order; a text twice stands once."""
    return tuple(Topic(id=f"{letter}{number}", text=text) for number, text in enumerate(dict.fromkeys(texts), start=1))


def kind_named(name: str) -> Kind | None:
    """Return the kind that a release's type name or file name speaks of, or null.

    Examples:
        >>> kind_named("Pair-Comp"), kind_named("astra_temporal.jsonl"), kind_named("answers")
        ('pair_comp', 'temporal', None)
    """
    plain = re.sub(r"[^a-z]", "", name.casefold())
    found: list[Kind] = [kind for word, kind in _KIND_WORDS if word in plain]
    return found[0] if len(found) == 1 else None


def imported_document(text: str, *, title: str, source: str, date: str | None = None, extra: Extra) -> Document:
    """Return the record of an imported text, under the id made of it; without text its status is `empty`."""
    bare = bool(text.strip())
    return Document(
        id=document_id(text),
        title=title,
        text=text,
        source=source,
        media_type="text/plain",
        sha256=text_hash(text),
        date=date,
        status="ok" if bare else "empty",
        reason=None if bare else "the record holds no text",
        extra=extra,
    )


def first_line(text: str) -> str:
    """Return the first line with anything on it, at most 120 characters, or an empty string."""
    return next((line.strip()[:120] for line in text.split("\n") if line.strip()), "")
