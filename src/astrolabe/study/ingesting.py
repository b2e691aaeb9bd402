"""Reading files into a study."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from astrolabe.core.errors import UserError
from astrolabe.core.records import Document
from astrolabe.documents import Merged, RecordFields, is_page, merge_documents, read_documents
from astrolabe.documents.find import find_files, folder_keys
from astrolabe.documents.read import file_key, folder_key
from astrolabe.store.lines import stream_records
from astrolabe.study.dumps import DumpJournals, DumpRead, told_apart
from astrolabe.study.progress import Progress
from astrolabe.study.sampling import ReadAs, Sample, draw_sample, read_as
from astrolabe.study.study import Study, save_documents


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """What an ingest did.

    Attributes:
        documents: The documents that it read, pages of dumps apart.
        merged: How they change the study.
        dumps: What it read of dumps, whose pages take no memory.
        unchanged_dumps: The names of dumps that the study holds as they are; they were not read again.
        sample: Which of the dumps' pages were kept, where not all were.
        kept: The study's file of documents.
    """

    documents: Sequence[Document]
    merged: Merged
    dumps: Sequence[DumpRead]
    unchanged_dumps: Sequence[str]
    sample: Sample | None
    kept: Path

    def pages(self) -> Iterator[Document]:
        """Yield the pages of the dumps that were read, as the study holds them, one at a time."""
        keys = {read.key for read in self.dumps}
        if keys:
            yield from (one for one in stream_records(self.kept, Document) if is_page(one) and file_key(one) in keys)


def ingest(
    study: Study,
    paths: Sequence[Path],
    progress: Progress,
    *,
    fields: RecordFields,
    seconds_per_file: float,
    sample: int | None = None,
) -> IngestResult:
    """Read files and folders into the study; what has not changed is not read again.

    The pages of a MediaWiki dump are written down as they are read: memory does not grow with the dump, and a command
    that was stopped goes on behind the last page that it wrote down. With a `sample`, those pages of all dumps are kept
    that the study's benchmark names as gold, and so many others: see `draw_sample`.

    Raises:
        UserError: A path does not exist, there is nothing to draw a sample from, or nothing usable was found; then
            nothing is written.
    """
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        msg = f"there is no file or folder {', '.join(map(repr, missing))}"
        raise UserError(msg)
    known, finished = _known(study)
    drawn = None if sample is None else draw_sample(study, paths, sample, finished=finished, progress=progress)
    journals = DumpJournals(study.folder.documents.parent, finished, drawn)
    fresh: list[Document] = []
    progress.begin("reading", 0)
    for document in read_documents(
        paths, known=known, fields=fields, seconds_per_file=seconds_per_file, pages_due=journals.pages_due
    ):
        if is_page(document):
            journals.add(document)
        else:
            fresh.append(document)
        progress.step(f"{document.status}: {document.source}")
    journals.flush()
    progress.end()
    merged = merge_documents(known, fresh)
    stays = _Staying(study, paths, journals)
    usable = any(document.status == "ok" for document in merged.documents)
    if not usable and not any(page.status == "ok" for page in chain(journals.pages(), stays.pages())):
        reasons = "\n".join(f"  {document.source}: {document.status}: {document.reason}" for document in fresh)
        msg = f"nothing usable in {', '.join(map(str, paths))}; nothing was written\n{reasons}"
        raise UserError(msg)
    save_documents(study, _everything(merged.documents, stays, journals))
    journals.remove()
    return IngestResult(
        documents=fresh,
        merged=merged,
        dumps=journals.reads,
        unchanged_dumps=journals.unchanged,
        sample=drawn,
        kept=study.folder.documents,
    )


def _known(study: Study) -> tuple[list[Document], dict[str, ReadAs]]:
    """Return the study's documents without pages of dumps, and by their files' keys the dumps."""
    known: list[Document] = []
    finished: dict[str, ReadAs] = {}
    for document in stream_records(study.folder.documents, Document):
        if is_page(document):
            finished[file_key(document) or ""] = read_as(document)
        else:
            known.append(document)
    return known, finished


class _Staying:
    """The pages that the study holds and that stay: of dumps that are not read now and not gone from a read folder."""

    def __init__(self, study: Study, paths: Sequence[Path], journals: DumpJournals) -> None:
        self._kept = study.folder.documents
        self._read = {read.key for read in journals.reads}
        self._files = {file.file_key for file in find_files(paths)}
        self._folders = folder_keys(paths)

    def pages(self) -> Iterator[Document]:
        for document in stream_records(self._kept, Document):
            is_gone = folder_key(document) in self._folders and file_key(document) not in self._files
            if is_page(document) and file_key(document) not in self._read and not is_gone:
                yield document


def _everything(documents: Sequence[Document], stays: _Staying, journals: DumpJournals) -> Iterator[Document]:
    """Yield all documents of the study, pages of dumps last."""

    def in_order() -> Iterator[Document]:
        yield from documents
        yield from stays.pages()
        yield from journals.pages()

    fresh = {read.key for read in journals.reads}
    for document in told_apart(in_order()):
        if is_page(document) and file_key(document) in fresh:
            journals.count(document)
        yield document
