"""A study's folder: the names of its parts and their manifests."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from astrolabe.core.spelling import slug
from astrolabe.store.files import write_json

SETTINGS: Final = "study.toml"
MADE_FOLDERS: Final = frozenset({"corpus", "benchmark", "indexes", "answers", "scores", "comparison", "report", "log"})
"""The folders of a study that hold nothing but what Astrolabe made."""
MADE_FILES: Final = frozenset(
    {
        SETTINGS,
        "calls.sqlite",
        "calls.sqlite-wal",
        "calls.sqlite-shm",
        "calls.sqlite-claims",
        "documents/documents.jsonl",
        "documents/manifest.json",
    }
)
"""The files that it makes beside those of the user's, relative to the study's folder."""


@dataclass(frozen=True, slots=True)
class StudyFolder:
    """Where a study keeps what; nothing is created until something is written."""

    root: Path

    @property
    def settings(self) -> Path:
        """The commented settings that people edit."""
        return self.root / SETTINGS

    @property
    def documents(self) -> Path:
        """Document records, one a source."""
        return self.root / "documents" / "documents.jsonl"

    @property
    def questions(self) -> Path:
        """Question records."""
        return self.root / "benchmark" / "questions.jsonl"

    @property
    def scopes(self) -> Path:
        """Scope records."""
        return self.root / "benchmark" / "scopes.jsonl"

    @property
    def indexes(self) -> Path:
        """One folder an index, named by its key."""
        return self.root / "indexes"

    @property
    def calls(self) -> Path:
        """The record of calls and vectors."""
        return self.root / "calls.sqlite"

    @property
    def comparison(self) -> Path:
        """Comparison records."""
        return self.root / "comparison" / "comparisons.jsonl"

    @property
    def report(self) -> Path:
        """The folder of the report's files."""
        return self.root / "report"

    @property
    def log(self) -> Path:
        """The folder of logs."""
        return self.root / "log"

    def answers(self, method: str) -> Path:
        """The answers file of a spelled method."""
        return self.root / "answers" / f"{slug(method)}.jsonl"

    def scores(self, metric: str, method: str) -> Path:
        """The scores file of a spelled metric and method."""
        return self.root / "scores" / slug(metric) / f"{slug(method)}.jsonl"

    def scores_by(self, metric: str, judge: str) -> Path:
        """The folder of the scores that a judge gave for a spelled metric before another one did."""
        return self.root / "scores" / slug(metric) / "by" / slug(judge)


def write_manifest(folder: Path, content: Mapping[str, JsonValue]) -> None:
    """Write a folder's `manifest.json`: versions, parameters, seeds, hashes of its sources."""
    write_json(folder / "manifest.json", content)


def read_manifest(folder: Path) -> dict[str, JsonValue] | None:
    """Return a folder's manifest, or null where there is none that can be read: its folder is then made again."""
    return read_object(folder / "manifest.json")


def read_object(path: Path) -> dict[str, JsonValue] | None:
    """Return the JSON object that a file of ours holds, or null where it is missing or holds none."""
    if not path.exists():
        return None
    try:
        content: JsonValue = json.loads(path.read_text("utf-8"))
    except ValueError:  # no JSON, or no UTF-8
        return None
    return content if isinstance(content, dict) else None
