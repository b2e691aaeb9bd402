"""Pages of dumps on their way into a study: written down as they are read, taken over when a dump is read whole."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from astrolabe.core.ids import content_id
from astrolabe.core.records import Document
from astrolabe.documents.dump import NAMESPACE, REDIRECT, PagesDue
from astrolabe.documents.find import FoundFile
from astrolabe.documents.read import file_key
from astrolabe.parts.page_names import ALIASES, page_name
from astrolabe.store.disk_map import DiskMap
from astrolabe.store.lines import append_records, last_record, stream_records
from astrolabe.study.sampling import ReadAs, Sample, read_as

if TYPE_CHECKING:
    from pydantic import JsonValue

_BATCH: Final = 32
"""So many pages are written at a time; those of a batch that was not written are read again."""
_MOST_ALIASES: Final = 1000


@dataclass(slots=True)
class DumpRead:
    """What was read of a dump.

    Attributes:
        source: The dump's name.
        key: The key of its file, which its pages carry.
        pages: How many pages ended in which state.
        redirects: How many pages send their reader to another; their titles are names of those.
        left_out: How many pages of other namespaces than the articles' it holds.
        not_drawn: How many articles it holds that are not in the sample, where one was asked for.
    """

    source: str
    key: str
    pages: Counter[str] = field(default_factory=Counter[str])
    redirects: int = 0
    left_out: int = 0
    not_drawn: int = 0


@dataclass(slots=True)
class DumpJournals:
    """What was read of some dumps, a file of records for each, hidden in the study's folder of documents.

    A command that was stopped finds there what it read, and goes on behind it.
    """

    folder: Path
    finished: Mapping[str, ReadAs]
    """By their files' keys, the dumps that the study holds already."""
    sample: Sample | None = None
    """Which of the pages are kept; all where there is none."""
    unchanged: list[str] = field(default_factory=list[str])
    """The names of dumps that the study holds already, as they are."""
    _reads: dict[str, DumpRead] = field(default_factory=dict[str, DumpRead])
    _numbers: dict[str, int] = field(default_factory=dict[str, int])
    _batch: list[Document] = field(default_factory=list[Document])

    @property
    def reads(self) -> Sequence[DumpRead]:
        """The dumps that are read now, in order; their counts are known once their pages were taken over."""
        return list(self._reads.values())

    def pages_due(self, file: FoundFile, sha256: str) -> PagesDue | None:
        """Return which pages of a dump are left to read; null where the study holds it.

        What was written down of another file, or of another sample of it, goes.
        """
        key = file.file_key
        wanted = ReadAs(sha256, self.sample.key if self.sample else None)
        if self.finished.get(key) == wanted:
            self.unchanged.append(file.source)
            return None
        last = last_record(self._path(key), Document)
        if last is None or read_as(last) != wanted:
            self._path(key).unlink(missing_ok=True)
            last = None
        self._reads[key] = DumpRead(file.source, key)
        self._numbers[key] = _number(last) if last else 0
        return PagesDue(self._numbers[key], self.sample.dumps[key].kept.numbers if self.sample else None)

    def add(self, page: Document) -> None:
        """Write a page down, with those that came before it once there are enough."""
        key = file_key(page) or ""
        self._numbers[key] = max(self._numbers[key], _number(page))
        if NAMESPACE in page.extra:
            return
        if self.sample:
            page = page.model_copy(update={"extra": {**page.extra, **self.sample.said_of(key, _number(page))}})
        if self._batch and file_key(self._batch[0]) != key:
            self.flush()
        self._batch.append(page)
        if len(self._batch) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write down what waits."""
        if self._batch:
            append_records(self._path(file_key(self._batch[0]) or ""), self._batch)
            self._batch.clear()

    def pages(self) -> Iterator[Document]:
        """Yield the pages of all dumps that are read now, each with the titles that redirect to it, and count them."""
        with DiskMap() as titles:
            for read in self.reads:
                written = read.redirects = 0
                for page in stream_records(self._path(read.key), Document):
                    written += 1
                    target = page.extra.get(REDIRECT)
                    if isinstance(target, str):
                        titles.add(page_name(target), page.title)
                        read.redirects += 1
                read.left_out = self._numbers[read.key] - written
                if self.sample:
                    drawn = self.sample.dumps[read.key]
                    read.left_out, read.not_drawn = drawn.left_out, drawn.articles - drawn.kept.pages
            for read in self.reads:
                for page in stream_records(self._path(read.key), Document):
                    if REDIRECT not in page.extra:
                        yield _with_aliases(page, titles)

    def remove(self) -> None:
        """Remove what was written down: the study holds it."""
        for read in self.reads:
            self._path(read.key).unlink(missing_ok=True)

    def count(self, page: Document) -> None:
        """Count a page in the state in which the study holds it."""
        self._reads[file_key(page) or ""].pages[page.status] += 1

    def _path(self, key: str) -> Path:
        return self.folder / f".reading-{key}.jsonl"


def told_apart(documents: Iterator[Document]) -> Iterator[Document]:
    """Yield documents, those whose text came before as duplicates, which hold no text and name what they repeat."""
    with DiskMap() as seen:
        for document in documents:
            first = seen.get(document.id) if document.status == "ok" else []
            if document.status == "ok" and not first:
                seen.add(document.id, document.source)
            yield _duplicate(document, first[0]) if first else document


def _duplicate(document: Document, first: str) -> Document:
    return document.model_copy(
        update={
            "id": content_id("d", document.sha256, document.source),
            "text": "",
            "status": "duplicate",
            "reason": f"the same text as {first!r}",
        }
    )


def _with_aliases(page: Document, titles: DiskMap) -> Document:
    """Return the page with every title that leads to it, also by way of another redirect."""
    found: dict[str, None] = {}
    waiting = [page.title]
    while waiting and len(found) < _MOST_ALIASES:
        fresh = [title for title in titles.get(page_name(waiting.pop())) if title not in found and title != page.title]
        found.update(dict.fromkeys(fresh))
        waiting += fresh
    if not found:
        return page
    names: list[JsonValue] = [*sorted(found)]
    return page.model_copy(update={"extra": {**page.extra, ALIASES: names}})


def _number(page: Document) -> int:
    number = page.extra.get("record")
    return number if isinstance(number, int) else 0
