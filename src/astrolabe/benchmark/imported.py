"""What an importer makes, how foreign files are read, and how the outcome is written down."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar, cast

from pydantic import BaseModel, ConfigDict

from astrolabe.core.errors import FileError, Problem
from astrolabe.core.records import Answer, Comment, Document, Label, Question, Scope
from astrolabe.store.lines import Checked, check_record, check_records, text_lines, whole_text, write_records

M = TypeVar("M", bound=BaseModel)
_SHOWN: Final = 80
_GAP: Final = re.compile(r"[ \t\r\n,]*")


class ForeignRecord(BaseModel):
    """A line of a foreign format: fields that it does not name are kept for `extra`."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A foreign benchmark as our records; `problems` says what was doubtful (warnings) or wrong (errors).

    `scopes` are those that questions name; what they do not name is computed when a study takes them.
    """

    questions: tuple[Question, ...] = ()
    documents: tuple[Document, ...] = ()
    answers: tuple[Answer, ...] = ()
    comments: tuple[Comment, ...] = ()
    labels: tuple[Label, ...] = ()
    scopes: tuple[Scope, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep it from being written."""
        return tuple(problem for problem in self.problems if problem.severity == "error")


def write_imported(imported: Imported, folder: Path) -> list[Path]:
    """Write `bench.jsonl`, `documents.jsonl`, `answers.jsonl`, `comments.jsonl`, `labels.jsonl` and `scopes.jsonl`.

    Files without records are not written.

    Returns:
        The paths written, in that order.

    Raises:
        FileError: The import found errors; nothing is written.
        UserError: The folder cannot be written to.
    """
    if imported.errors:
        raise FileError(imported.errors[0].file, imported.errors)
    files: dict[str, Sequence[BaseModel]] = {
        "bench.jsonl": imported.questions,
        "documents.jsonl": imported.documents,
        "answers.jsonl": imported.answers,
        "comments.jsonl": imported.comments,
        "labels.jsonl": imported.labels,
        "scopes.jsonl": imported.scopes,
    }
    written = [folder / name for name, records in files.items() if records]
    for path in written:
        write_records(path, files[path.name])
    return written


def read_foreign(path: Path, kind: type[M]) -> list[tuple[int, M]]:
    """Return the records of a foreign file (JSON lines, or one JSON list) with their line numbers.

    Raises:
        FileError: The file is missing or holds no record, or any record lacks what `kind` needs; names all faults.
    """
    checked = _check_list(path, kind) if _is_list(path) else check_records(path, kind)
    if not checked.records and not checked.problems:
        checked.problems.append(no_records(path))
    if checked.problems:
        raise FileError(str(path), placed(path, checked.problems))
    return checked.records


def read_shape(path: Path, shapes: Mapping[str, type[M]]) -> list[tuple[int, M]]:
    """Return the records of a foreign file that comes in several shapes; its first record tells which it is.

    Args:
        path: JSON lines, or one JSON list.
        shapes: What reads a shape, by a field that only this shape and those after it have.

    Raises:
        FileError: As `read_foreign`, or the first record has none of the fields; names those it has.
    """
    first = _first_fields(path)
    for mark, kind in shapes.items():
        if mark in first:
            return read_foreign(path, kind)
    fault = Problem(
        line=1,
        field="line",
        value=", ".join(sorted(first))[:_SHOWN],
        problem=f"has none of the fields {', '.join(shapes)}, one of which each known shape of this format has",
        fix="Give a file of this format",
        file=str(path),
    )
    raise FileError(str(path), [fault])


def placed(path: Path, problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems with the file's path written into them."""
    return [replace(problem, file=str(path)) for problem in problems]


def no_records(path: Path) -> Problem:
    """Return the problem of a file that holds no record."""
    return Problem(
        line=0,
        field="file",
        value="",
        problem="holds no record",
        fix="Write one JSON object a line",
        file=str(path),
    )


def part_of(folder: Path, name: str) -> Path:
    """Return a file that a release's folder must hold.

    Raises:
        FileError: The folder or the file is not there; says what was looked for.
    """
    path = folder / name
    if not path.is_file():
        what = f"is no folder that holds {name}" if not folder.is_dir() else f"holds no file {name}"
        fault = Problem(line=0, field="path", value=repr(str(folder)), problem=what, fix="Give the release's folder")
        raise FileError(str(folder), [fault])
    return path


def _first_fields(path: Path) -> set[str]:
    line = next((line.text for line in text_lines(path)), "")
    text = whole_text(path).lstrip(" \t\r\n[") if line.lstrip().startswith("[") else line
    try:
        record: object = json.JSONDecoder().raw_decode(text.lstrip())[0]
    except (ValueError, RecursionError):
        return set()
    return set(cast("dict[str, object]", record)) if isinstance(record, dict) else set()


def _is_list(path: Path) -> bool:
    return next((line.text.lstrip().startswith("[") for line in text_lines(path)), False)


def _check_list(path: Path, kind: type[M]) -> Checked[M]:
    """Read one JSON list; each item's line is where it begins."""
    text = path.read_bytes().decode("utf-8-sig")
    decoder = json.JSONDecoder()
    checked = Checked[M]([], [])
    line = 1
    past = 0
    place = _after_gap(text, text.index("[") + 1)
    while text[place : place + 1] != "]":
        line += text.count("\n", past, place)
        past = place
        try:
            _, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            checked.problems.append(_unreadable(error, text[place : place + 60], line))
            break
        check_record(text[place:end], kind, line, checked)
        place = _after_gap(text, end)
    return checked


def _after_gap(text: str, place: int) -> int:
    gap = _GAP.match(text, place)
    return gap.end() if gap else place


def _unreadable(error: Exception, given: str, line: int) -> Problem:
    return Problem(
        line=line, field="line", value=repr(given), problem=f"is not JSON: {error}", fix="Correct the JSON list"
    )
