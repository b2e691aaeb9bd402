"""A study on disk: its settings, documents, questions and scopes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from pydantic import JsonValue

import astrolabe
from astrolabe.core.errors import ConfigError, UserError
from astrolabe.core.ids import text_hash
from astrolabe.core.records import Document, Question, Scope
from astrolabe.core.tokens import COUNTER
from astrolabe.store.files import write_whole
from astrolabe.store.folder import StudyFolder, read_manifest, write_manifest
from astrolabe.store.lines import read_records, write_records
from astrolabe.study.settings import Settings, read_settings, settings_template

LAYOUT: Final = 1
"""The layout of a study's folders and records; a program that changes it in a way that older ones misread counts up."""
M = TypeVar("M", Document, Question, Scope)


@dataclass(frozen=True)
class Study:
    """What a study's folder holds; read when first asked for."""

    folder: StudyFolder
    given: Settings | None = None

    @cached_property
    def settings(self) -> Settings:
        """The settings: those given by the command, else those of `study.toml`."""
        return self.given or read_settings(self.folder.settings)

    @cached_property
    def documents(self) -> list[Document]:
        """Every ingested document, failed ones too; empty before the first ingest."""
        return _read(self.folder.documents, Document)

    @cached_property
    def questions(self) -> list[Question]:
        """The benchmark's questions; empty before there is a benchmark."""
        return _read(self.folder.questions, Question)

    @cached_property
    def scopes(self) -> dict[str, Scope]:
        """The scopes by their id."""
        return {scope.id: scope for scope in _read(self.folder.scopes, Scope)}

    def need_documents(self) -> list[Document]:
        """Return the usable documents.

        Raises:
            UserError: There are none.
        """
        usable = [document for document in self.documents if document.status == "ok"]
        if not usable:
            root = self.folder.root
            msg = f"{root} holds no usable documents; run: astrolabe ingest PATH... --study {root}"
            raise UserError(msg)
        return usable

    def need_questions(self) -> list[Question]:
        """Return the questions.

        Raises:
            UserError: There are none.
        """
        if not self.questions:
            msg = f"{self.folder.root} holds no questions; run: astrolabe import jsonl FILE --study {self.folder.root}"
            raise UserError(msg)
        return self.questions

    def fingerprint(self) -> str:
        """Return a hash of the documents, questions and scopes that answers are made from."""
        documents = sorted(document.id for document in self.documents if document.status == "ok")
        questions = [question.model_dump_json() for question in self.questions]
        scopes = [scope.model_dump_json() for scope in self.scopes.values()]
        return text_hash("\n".join([*documents, *questions, *scopes]))


def open_study(root: Path, *, seed: int | None = None) -> Study:
    """Return the study in a folder.

    Args:
        root: The folder.
        seed: Replaces the seed of the settings; at least 0. Null keeps it.

    Raises:
        UserError: The folder does not exist, or a newer Astrolabe wrote in it.
        ConfigError: The seed is below 0, or, where one is given, `study.toml` has faults.
    """
    if not root.is_dir():
        msg = f"there is no study folder {str(root)!r}; make one with: astrolabe new {root}"
        raise UserError(msg)
    _refuse_a_newer_one(root)
    study = Study(StudyFolder(root))
    if seed is None:
        return study
    if seed < 0:
        msg = f"seed {seed!r}: a seed is a whole number of at least 0"
        raise ConfigError(msg)
    return replace(study, given=study.settings.model_copy(update={"seed": seed}))


def new_study(root: Path, *, added: str = "") -> Study:
    """Make a study folder with commented settings and return it.

    Args:
        root: The folder.
        added: Settings that stand below those of the template, as TOML.

    Raises:
        UserError: The folder holds a study already, or cannot be written to.
    """
    study = Study(StudyFolder(root))
    if study.folder.settings.exists():
        msg = f"{study.folder.settings} exists already; choose another folder, or use that study with --study {root}"
        raise UserError(msg)
    write_whole(study.folder.settings, settings_template() + added)
    return study


def open_or_new(root: Path) -> Study:
    """Return the study in a folder, made where there is none.

    Raises:
        UserError: A newer Astrolabe wrote in it, or the folder cannot be written to.
    """
    return open_study(root) if (root / "study.toml").exists() else new_study(root)


def save_documents(study: Study, documents: Iterable[Document]) -> None:
    """Write the study's documents, one at a time, and what they were made from."""
    counts: dict[str, JsonValue] = {"documents": write_records(study.folder.documents, documents)}
    save_manifest(study.folder.documents.parent, counts)
    study.__dict__.pop("documents", None)


def save_benchmark(study: Study, questions: Sequence[Question], scopes: Sequence[Scope]) -> None:
    """Write the study's questions and scopes."""
    write_records(study.folder.questions, questions)
    write_records(study.folder.scopes, scopes)
    save_manifest(
        study.folder.questions.parent,
        {"questions": len(questions), "scopes": len(scopes), "seed": study.settings.seed},
    )
    study.__dict__.pop("questions", None)
    study.__dict__.pop("scopes", None)


def save_manifest(folder: Path, content: Mapping[str, JsonValue]) -> None:
    """Write a folder's manifest with the versions that made it."""
    made_by: dict[str, JsonValue] = {"astrolabe": astrolabe.__version__, "layout": LAYOUT, "token_counter": COUNTER}
    write_manifest(folder, {**made_by, **content})


def _refuse_a_newer_one(root: Path) -> None:
    """Refuse a study whose files say more than this program knows: it would drop what it does not understand.

    Raises:
        UserError: A folder of it was written by a newer Astrolabe.
    """
    for path in sorted(root.glob("*/manifest.json")):
        manifest = read_manifest(path.parent) or {}
        layout = manifest.get("layout", LAYOUT)
        if isinstance(layout, int) and layout > LAYOUT:
            msg = (
                f"{path} is of layout {layout}, this program knows {LAYOUT}: Astrolabe {manifest.get('astrolabe')} "
                "wrote it; install that version or a newer one"
            )
            raise UserError(msg)


def _read(path: Path, kind: type[M]) -> list[M]:
    return read_records(path, kind) if path.exists() else []
