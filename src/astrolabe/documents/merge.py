"""An earlier read and a fresh one together: what changed is replaced, and nothing else."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from astrolabe.core.records import Document
from astrolabe.documents.read import file_key, folder_key, is_record


class Merged(NamedTuple):
    """All documents after a read, and the sources of those it added, replaced, left and removed.

    A source that is new and one that holds another text, or another state, than before are told apart.
    """

    documents: tuple[Document, ...]
    added: tuple[str, ...]
    replaced: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


def merge_documents(known: Sequence[Document], fresh: Sequence[Document]) -> Merged:
    """Return the documents of `fresh` together with those of `known` that it says nothing about.

    A known document is replaced by the fresh one of the same file and record. It is removed where its
    file was read and has no such record any more, or where its file is gone from a folder that was read
    (that is, any of whose files are in `fresh`). All others stay, in front and in their order.

    Documents that came from no file, such as those of an imported benchmark, are known by their text alone:
    one whose text is there already changes nothing.
    """
    texts = {document.id: document for document in known if document.status == "ok"}
    fresh = [document if file_key(document) else texts.get(document.id, document) for document in fresh]
    before = {_identity(document): document for document in known}
    now = {_identity(document): document for document in fresh}
    files = {file_key(document) for document in fresh} - {None}
    folders = {folder_key(document) for document in fresh} - {None}

    def was_read(document: Document) -> bool:
        return file_key(document) in files or folder_key(document) in folders

    stays = [document for key, document in before.items() if key not in now and not was_read(document)]
    return Merged(
        documents=(*stays, *now.values()),
        added=_sources(document for key, document in now.items() if key not in before),
        replaced=_sources(document for key, document in now.items() if key in before and before[key] != document),
        unchanged=_sources(document for key, document in now.items() if before.get(key) == document),
        removed=_sources(document for key, document in before.items() if key not in now and was_read(document)),
    )


def _identity(document: Document) -> tuple[str, str]:
    """Return what stays the same when a file's text changes: the file, and the place there; else the text's id."""
    place = document.source.rpartition("#")[2] if is_record(document) else ""
    return file_key(document) or document.id, place


def _sources(documents: Iterable[Document]) -> tuple[str, ...]:
    return tuple(document.source for document in documents)
