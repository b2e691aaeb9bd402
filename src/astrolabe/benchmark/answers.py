"""Answers made elsewhere: JSON lines or CSV, of which the smallest line is a question's id and a text."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, cast

from pydantic import JsonValue, ValidationError
from pydantic_core import from_json

from astrolabe.benchmark.gold_rules import Unique, fault
from astrolabe.benchmark.imported import no_records, placed
from astrolabe.benchmark.tables import TableRow, table_rows
from astrolabe.core.errors import FileError, Problem
from astrolabe.core.records import Answer
from astrolabe.store.lines import Checked, faults, text_lines

_NESTED: Final = frozenset({"items", "claims", "contexts", "retrieved", "trace", "usage", "stages"})
_TRIED_AGAIN: Final = frozenset({"failed", "unparsed"})


class _Row(NamedTuple):
    line: int
    fields: dict[str, JsonValue]


def read_answers(path: Path, *, method: str | None = None) -> list[Answer]:
    """Return the answers of a file, in order.

    Args:
        path: JSON lines, or CSV where the name ends in `.csv` (UTF-8, a header with the field names,
            lists written as JSON). Fields are those of Answer; `question_id` and `text` suffice.
        method: Who answered, where a line does not say; by default the file's name without its end.

    An empty or null text becomes status `empty` with a reason: it is counted, never dropped.

    Raises:
        FileError: A field is unknown, missing or of the wrong type, or a method answers a question in
            the same scope twice; names every such line.
    """
    checked = numbered_answers(path, method=method)
    errors = [problem for problem in checked.problems if problem.severity == "error"]
    if errors:
        raise FileError(str(path), errors)
    return [answer for _, answer in checked.records]


def numbered_answers(path: Path, *, method: str | None = None) -> Checked[Answer]:
    """Read a file of answers as `read_answers` does, but return every fault instead of raising."""
    records: list[tuple[int, Answer]] = []
    problems: list[Problem] = []
    rows = _csv_rows if path.suffix.casefold() == ".csv" else _json_rows
    for row in rows(path):
        if isinstance(row, Problem):
            problems.append(row)
            continue
        if "text" not in row.fields and row.fields.get("status") in {None, "ok"}:
            problems.append(fault("text", "", "is missing", "Add the field", line=row.line))
            continue
        try:
            answer = Answer.model_validate(_filled(row.fields, method or path.stem))
        except ValidationError as error:
            problems.extend(faults(error, row.line))
        else:
            records.append((row.line, answer))
    unique = _latest(records)
    problems.extend(unique.problems)
    if not records and not problems:
        problems.append(no_records(path))
    return Checked(unique.records, sorted(placed(path, problems), key=lambda problem: problem.line))


def _filled(fields: Mapping[str, JsonValue], method: str) -> dict[str, JsonValue]:
    filled = dict(fields)
    filled["method"] = filled.get("method") or method
    text = filled.get("text")
    bare = text is None or (isinstance(text, str) and not text.strip())
    if bare and filled.get("status", "ok") == "ok":
        said = "the text is null" if text is None else "the text is empty"
        filled |= {"text": "", "status": "empty", "reason": filled.get("reason") or said}
    elif text is None:
        filled["text"] = ""
    return filled


def _latest(numbered: list[tuple[int, Answer]]) -> Unique[Answer]:
    """Return one answer a job: a second one is an error, unless it tries again what had failed."""
    kept: dict[tuple[str, str, str | None], tuple[int, Answer]] = {}
    problems: list[Problem] = []
    for line, answer in numbered:
        job = (answer.method, answer.question_id, answer.scope)
        if job in kept:
            before, earlier = kept[job]
            again = earlier.status in _TRIED_AGAIN
            within = f" in scope {answer.scope!r}" if answer.scope else ""
            problems.append(
                fault(
                    "question_id",
                    answer.question_id,
                    f"method {answer.method!r} answers this question{within} on line {before} already"
                    + (f", where it {earlier.status}; the later line counts" if again else ""),
                    "Keep one of the two lines, or name two methods",
                    line=line,
                    severity="warning" if again else "error",
                )
            )
        kept[job] = (line, answer)
    return Unique(records=list(kept.values()), problems=problems)


def _json_rows(path: Path) -> Iterator[_Row | Problem]:
    for line in text_lines(path):
        try:
            read = cast("JsonValue", from_json(line.text, allow_inf_nan=False))
        except ValueError as error:
            problem, fields = f"is not JSON: {error}", None
        else:
            problem, fields = "is not a JSON object", read if isinstance(read, dict) else None
        if fields is None:
            yield fault("line", line.text, problem, "Write one JSON object a line", line=line.number)
        else:
            yield _Row(line.number, fields)


def _csv_rows(path: Path) -> Iterator[_Row | Problem]:
    for row in table_rows(path, list(Answer.model_fields)):
        yield row if isinstance(row, Problem) else _from_cells(row)


def _from_cells(row: TableRow) -> _Row | Problem:
    fields: dict[str, JsonValue] = {}
    for name, cell in row.cells.items():
        if name not in _NESTED:
            if cell.strip() or name == "text":
                fields[name] = cell
        elif cell.strip():
            try:
                fields[name] = cast("JsonValue", from_json(cell, allow_inf_nan=False))
            except ValueError as error:
                return fault(name, cell, f"is not JSON: {error}", "Write a JSON list", line=row.line)
    return _Row(row.line, fields)
