"""Files to documents: each ends ok, empty, failed or duplicate, with its reason."""

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final

from astrolabe.core.ids import content_id, document_id
from astrolabe.core.records import Document, Extra
from astrolabe.documents.dump import WIKITEXT, PagesDue, is_dump
from astrolabe.documents.extract import Extract
from astrolabe.documents.fields import RecordFields
from astrolabe.documents.find import FoundFile, find_files, folder_keys
from astrolabe.documents.language import language_of
from astrolabe.documents.parse import failed
from astrolabe.documents.parsers import Parsers
from astrolabe.documents.storable import storable

_DEFAULT_FIELDS: Final = RecordFields()
PagesOf = Callable[[FoundFile, str], PagesDue | None]
_AHEAD: Final = 2
"""Files a worker that are read ahead of the one whose documents are due: what bounds memory."""


def read_documents(
    paths: Sequence[Path],
    *,
    known: Sequence[Document] = (),
    fields: RecordFields = _DEFAULT_FIELDS,
    seconds_per_file: float = 60.0,
    workers: int = 2,
    pages_due: PagesOf = lambda _file, _sha256: PagesDue(),
) -> Iterator[Document]:
    """Read files and folders and yield their documents, in the order of `paths` and of names in a folder.

    A MediaWiki dump yields one document a page as it is read, which takes the memory of some pages, not of the dump.
    Redirects and pages of other namespaces are empty ones, told by `REDIRECT` and `NAMESPACE` in their `extra`; a
    page's text is not compared with others.

    Nothing that a file does stops the others: it ends `failed` with its reason. Parsing happens in
    processes of their own, so that a parser that never returns is killed at the limit. A text that came
    before, in this read or in a known document that stays, makes a `duplicate`, which holds no text and
    names what it repeats.

    Args:
        paths: Files and folders; folders with all that is in them.
        known: Documents of an earlier read. A file that has not changed since is not parsed again where
            it ended ok or empty; its document is yielded as it was, the very same object.
        fields: Where JSON records keep what.
        seconds_per_file: The limit for a file, or for each record of a file of records.
        workers: Parsing processes at most.
        pages_due: Which pages of a dump, told by its file and that file's SHA-256, are read; the others are passed
            over. Null leaves the dump out.

    Raises:
        UserError: A path does not exist; before anything is read.
    """
    found = find_files(paths)
    return _Reading(found, known, folder_keys(paths), fields, pages_due).run(seconds_per_file, workers)


@dataclass(frozen=True, slots=True)
class _Content:
    sha256: str
    extracts: list[Extract]
    unchanged: Document | None = None


@dataclass(slots=True)
class _Reading:
    found: list[FoundFile]
    known: Sequence[Document]
    folders: set[str]
    fields: RecordFields
    pages_due: PagesOf
    _seen: dict[str, Document] = field(default_factory=dict[str, Document])
    _kept: dict[str, Document] = field(default_factory=dict[str, Document])

    def run(self, seconds: float, workers: int) -> Iterator[Document]:
        """Yield the documents in the order of the files, however quickly each is read."""
        self._sort_known()
        parsers = Parsers(seconds)
        waiting = deque(self.found)
        due: deque[tuple[FoundFile, Future[_Content] | None]] = deque()
        threads = ThreadPoolExecutor(workers, thread_name_prefix="documents")
        try:
            while waiting or due:
                while waiting and len(due) < workers * _AHEAD:
                    file = waiting.popleft()
                    dump = is_dump(file.path)
                    due.append((file, None if dump else threads.submit(self._content, file, parsers)))
                file, content = due.popleft()
                yield from self._pages(file, parsers) if content is None else self._documents(file, content.result())
        finally:
            parsers.close()
            threads.shutdown(cancel_futures=True)

    def _sort_known(self) -> None:
        """Tell documents that may come again from those that stay whatever is read now."""
        files = {file.file_key for file in self.found}
        for document in self.known:
            if document.status in {"ok", "empty"} and not is_record(document):
                self._kept.setdefault(file_key(document) or "", document)
            stays = file_key(document) not in files and folder_key(document) not in self.folders
            if document.status == "ok" and stays:
                self._seen.setdefault(document.id, document)

    def _content(self, file: FoundFile, parsers: Parsers) -> _Content:
        try:
            sha256 = file_hash(file.path)
        except OSError as error:
            return _Content("", [failed(f"cannot be read: {error.strerror}")])
        kept = self._kept.get(file.file_key)
        if kept is not None and kept.sha256 == sha256:
            return _Content(sha256, [], kept)
        return _Content(sha256, parsers.parse(file.path, self.fields))

    def _pages(self, file: FoundFile, parsers: Parsers) -> Iterator[Document]:
        sha256 = file_hash(file.path)
        due = self.pages_due(file, sha256)
        if due is not None:
            for extract in parsers.pages(file.path, self.fields, due):
                yield _document(file, sha256, storable(extract))

    def _documents(self, file: FoundFile, content: _Content) -> Iterator[Document]:
        if content.unchanged is not None:
            yield self._told_apart(content.unchanged)
            return
        extracts = content.extracts or [Extract(media_type="application/json", emptiness="no records in the file")]
        places: set[str] = set()
        for extract in extracts:
            yield self._told_apart(_document(file, content.sha256, _at_a_place_of_its_own(storable(extract), places)))

    def _told_apart(self, document: Document) -> Document:
        if document.status != "ok":
            return document
        first = self._seen.setdefault(document.id, document)
        if first is document:
            return document
        return document.model_copy(
            update={
                "id": content_id("d", document.sha256, document.source),
                "text": "",
                "status": "duplicate",
                "reason": f"the same text as {first.source!r}",
            }
        )


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file's content."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def is_page(document: Document) -> bool:
    """Return whether a document is a page of a dump."""
    return document.media_type == WIKITEXT and is_record(document)


def _at_a_place_of_its_own(extract: Extract, places: set[str]) -> Extract:
    """Return the extract with another place where an earlier record of the file has the same id."""
    if extract.place is None:
        return extract
    place = extract.place
    if place in places:
        number = extract.extra.get("line", extract.extra.get("record"))
        extract = extract.warned(f"the id {place!r} stands in the file before")
        place = f"{place} ({number})"
    places.add(place)
    return replace(extract, place=place)


def is_record(document: Document) -> bool:
    """Return whether a document is one record of a file of several."""
    return "line" in document.extra or "record" in document.extra


def file_key(document: Document) -> str | None:
    """Return the key of the file that a document came from; null for one that came otherwise."""
    key = document.extra.get("file_key")
    return key if isinstance(key, str) else None


def folder_key(document: Document) -> str | None:
    """Return the key of the folder that was named when a document was read; null for a file named itself."""
    key = document.extra.get("folder_key")
    return key if isinstance(key, str) else None


def _document(file: FoundFile, sha256: str, extract: Extract) -> Document:
    source = file.source if extract.place is None else f"{file.source}#{extract.place}"
    keys: Extra = {"file_key": file.file_key, **({"folder_key": file.folder_key} if file.folder_key else {})}
    blank = not extract.text.strip()
    usable = extract.failure is None and not blank
    return Document(
        id=document_id(extract.text) if usable else content_id("d", sha256, source),
        title=extract.title or (PurePosixPath(file.source).stem if extract.place is None else source),
        text=extract.text if usable else "",
        source=source,
        media_type=extract.media_type,
        sha256=sha256,
        date=extract.date,
        language=language_of(extract.text) if usable else None,
        status="failed" if extract.failure is not None else "empty" if blank else "ok",
        reason=extract.failure if extract.failure is not None else extract.emptiness if blank else None,
        warnings=extract.warnings,
        extra={**extract.extra, **keys},
    )
