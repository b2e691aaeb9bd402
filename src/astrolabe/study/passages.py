"""The study's passages: cut once per cut, kept in `corpus/`, found again by id."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from astrolabe.core.errors import FileError
from astrolabe.core.ids import text_hash
from astrolabe.core.protocols import Cut
from astrolabe.core.records import Document, Passage
from astrolabe.corpus import cut_document
from astrolabe.store.folder import read_manifest
from astrolabe.store.lines import append_records, read_records, recover_records, write_records
from astrolabe.study.study import save_manifest


@dataclass(slots=True)
class Shelf:
    """All passages of the study's usable documents.

    Attributes:
        documents: The usable documents.
        folder: Where cut passages are kept; null keeps them in memory alone.
    """

    documents: Sequence[Document]
    folder: Path | None = None
    _cuts: dict[Cut, dict[str, list[Passage]]] = field(default_factory=dict[Cut, dict[str, list[Passage]]])
    _by_id: dict[str, Passage] = field(default_factory=dict[str, Passage])
    _documents: dict[str, Document] = field(default_factory=dict[str, Document])
    _all_read: bool = False

    def passages(self, cut: Cut, documents: Sequence[str]) -> list[Passage]:
        """Return the passages of some documents, by document (in the order given) and place."""
        if cut not in self._cuts:
            self._cuts[cut] = self._load(cut)
        return [passage for document in documents for passage in self._cuts[cut].get(document, [])]

    def read(self, passage: str) -> Passage:
        """Return a passage of any cut, also of those that an earlier command kept.

        Raises:
            KeyError: No cut has such a passage.
        """
        found = self.find(passage)
        if found is None:
            raise KeyError(passage)
        return found

    def find(self, passage: str) -> Passage | None:
        """Return a passage of any cut, or null where no cut has it."""
        if passage not in self._by_id and self.folder is not None and not self._all_read:
            self._all_read = True
            for kept in sorted(self.folder.glob("*/passages.jsonl")):
                self._by_id.update((found.id, found) for found in recover_records(kept, Passage))
        return self._by_id.get(passage)

    def document(self, document: str) -> Document | None:
        """Return a document by its id; null where there is none."""
        if not self._documents:
            self._documents.update((found.id, found) for found in self.documents)
        return self._documents.get(document)

    def add(self, passages: Sequence[Passage]) -> None:
        """Keep passages that a system of the user's own showed its model."""
        fresh = [passage for passage in passages if passage.id not in self._by_id]
        self._by_id.update((passage.id, passage) for passage in fresh)
        if self.folder is not None and fresh:
            append_records(self.folder / "system" / "passages.jsonl", fresh)

    def _load(self, cut: Cut) -> dict[str, list[Passage]]:
        every = self._kept(cut) or self._cut(cut)
        by_document: dict[str, list[Passage]] = {}
        for passage in every:
            by_document.setdefault(passage.document_id, []).append(passage)
            self._by_id[passage.id] = passage
        return by_document

    def _kept(self, cut: Cut) -> list[Passage]:
        if self.folder is None:
            return []
        place = self._place(self.folder, cut)
        manifest = read_manifest(place)
        if manifest is None or manifest.get("documents") != self._made_from():
            return []
        try:
            return read_records(place / "passages.jsonl", Passage)
        except FileError:
            return []  # damaged: they are cut again

    def _cut(self, cut: Cut) -> list[Passage]:
        every = [passage for document in self.documents for passage in cut_document(document, cut)]
        if self.folder is not None and every:
            place = self._place(self.folder, cut)
            write_records(place / "passages.jsonl", every)
            save_manifest(
                place,
                {
                    "documents": self._made_from(),
                    "size": cut.size,
                    "overlap": cut.overlap,
                    "passages": len(every),
                },
            )
        return every

    def _made_from(self) -> str:
        return text_hash("\n".join(document.id for document in self.documents))

    @staticmethod
    def _place(folder: Path, cut: Cut) -> Path:
        return folder / f"{cut.size}-{cut.overlap}"
