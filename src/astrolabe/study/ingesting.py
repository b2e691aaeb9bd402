"""Reading files into a study."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from astrolabe.core.errors import UserError
from astrolabe.core.records import Document
from astrolabe.documents import Merged, RecordFields, merge_documents, read_documents
from astrolabe.study.progress import Progress
from astrolabe.study.study import Study, save_documents


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """What an ingest did: the documents it read, and how they change the study."""

    documents: Sequence[Document]
    merged: Merged


def ingest(
    study: Study, paths: Sequence[Path], progress: Progress, *, fields: RecordFields, seconds_per_file: float
) -> IngestResult:
    """Read files and folders into the study; what has not changed is not read again.

    Raises:
        UserError: A path does not exist, or nothing usable was found; then nothing is written.
    """
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        msg = f"there is no file or folder {', '.join(map(repr, missing))}"
        raise UserError(msg)
    known = study.documents
    fresh: list[Document] = []
    progress.begin("reading", 0)
    for document in read_documents(paths, known=known, fields=fields, seconds_per_file=seconds_per_file):
        fresh.append(document)
        progress.step(f"{document.status}: {document.source}")
    progress.end()
    merged = merge_documents(known, fresh)
    if not any(document.status == "ok" for document in merged.documents):
        reasons = "\n".join(f"  {document.source}: {document.status}: {document.reason}" for document in fresh)
        msg = f"nothing usable in {', '.join(map(str, paths))}; nothing was written\n{reasons}"
        raise UserError(msg)
    save_documents(study, merged.documents)
    return IngestResult(documents=fresh, merged=merged)
