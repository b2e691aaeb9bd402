"""A benchmark's documents in the file beside it: full records, or the short form `{"id", "text"}`."""

from pathlib import Path
from typing import Final

from pydantic import Field

from astrolabe.benchmark.gold import first_line, imported_document
from astrolabe.benchmark.gold_rules import keep_first
from astrolabe.benchmark.imported import ForeignRecord, placed
from astrolabe.core.errors import Problem
from astrolabe.core.records import Document
from astrolabe.core.text import Text
from astrolabe.store.lines import check_records, text_lines

_NAMES: Final = ("documents.jsonl", "corpus.jsonl")
_ONLY_IN_FULL: Final = '"sha256"'


class ShortDocument(ForeignRecord):
    """A document in the short form; its other fields go to `extra`."""

    id: Text | None = Field(default=None, min_length=1)
    text: Text
    title: Text = ""
    source: Text = ""
    date: Text | None = None


def documents_file(benchmark: Path) -> Path | None:
    """Return the file of documents beside a benchmark's file, or null where there is none."""
    beside = (benchmark.parent / name for name in _NAMES)
    return next((path for path in beside if path.is_file() and path != benchmark), None)


def check_documents(path: Path) -> tuple[list[Document], list[Problem]]:
    """Read a file of documents and name every fault.

    An id twice with different texts is an error; with the same text it is a warning, and the
    document is kept once. A document in the short form keeps the id that it has, since evidence
    names it; without one it gets the id made of its text.
    """
    full = any(_ONLY_IN_FULL in line.text for line in text_lines(path))
    if full:
        checked = check_records(path, Document)
        numbered, problems = checked.records, checked.problems
    else:
        short = check_records(path, ShortDocument)
        numbered = [(line, _document(record, path)) for line, record in short.records]
        problems = short.problems
    unique = keep_first(
        [(line, record) for line, record in numbered if record.status != "duplicate"],
        key=lambda document: document.id,
        content=lambda document: document.text,
        field="id",
    )
    return [record for _, record in unique.records], placed(path, [*problems, *unique.problems])


def _document(short: ShortDocument, path: Path) -> Document:
    document = imported_document(
        short.text,
        title=short.title or first_line(short.text),
        source=short.source or path.name,
        date=short.date,
        extra=short.model_extra or {},
    )
    return document.model_copy(update={"id": short.id}) if short.id else document
