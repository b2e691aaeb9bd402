"""The simple form as a table for spreadsheets: one row a topic, so that no separator joins topics."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from astrolabe.benchmark.gold_rules import fault
from astrolabe.benchmark.imported import no_records, placed
from astrolabe.benchmark.simple_form import SimpleQuestion
from astrolabe.benchmark.tables import TableRow, table_rows
from astrolabe.core.errors import FileError, Problem
from astrolabe.core.records import Question
from astrolabe.store.files import write_whole
from astrolabe.store.lines import faults

_COLUMNS: Final = ("id", "question", "kind", "side", "topic")
_QUESTION_COLUMNS: Final = ("id", "question", "kind")
_SIDES: Final = {"A": "topics", "": "topics", "H": "hallucinations"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gathered:
    """What the rows of one question say so far."""

    line: int
    given: dict[str, str]
    topics: dict[str, list[str]] = field(default_factory=lambda: {"topics": [], "hallucinations": []})


def write_topic_table(path: Path, questions: Sequence[Question]) -> None:
    """Write the questions' topics as CSV; what else a question holds (evidence, scopes) is left out.

    Raises:
        UserError: The folder cannot be written to.
    """
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(_COLUMNS)
    for question in questions:
        for side, topics in (("A", question.topics), ("H", question.hallucinations)):
            writer.writerows([question.id, question.text, question.kind, side, topic.text] for topic in topics)
    write_whole(path, table.getvalue())


def read_topic_table(path: Path) -> list[tuple[int, SimpleQuestion]]:
    """Return the questions of a table of topics, each with the line that it begins on.

    Columns: `question` and `topic`, and if wanted `id`, `kind` and `side` (`A`, which is the default, or
    `H`). Rows with the same id (without ids: the same question) are one question. Texts stay exact.

    Raises:
        FileError: The table or a row is not as it should be; names all faults.
    """
    gathered: dict[str, _Gathered] = {}
    problems: list[Problem] = []
    for row in table_rows(path, _COLUMNS):
        found = row if isinstance(row, Problem) else _gather(row, gathered)
        if found is not None:
            problems.append(found)
    questions: list[tuple[int, SimpleQuestion]] = []
    for held in gathered.values():
        try:
            questions.append((held.line, SimpleQuestion.model_validate({**held.given, **held.topics})))
        except ValidationError as error:
            problems.extend(faults(error, held.line))
    if not questions and not problems:
        problems.append(no_records(path))
    if problems:
        raise FileError(str(path), placed(path, problems))
    return questions


def _gather(row: TableRow, gathered: dict[str, _Gathered]) -> Problem | None:
    cells = row.cells
    side = _SIDES.get(cells.get("side", "").strip().upper())
    if side is None:
        return fault("side", cells["side"], "is no side", "Write A (expected) or H (unsupported)", line=row.line)
    given = {name: cells[name] for name in _QUESTION_COLUMNS if cells.get(name)}
    key = given.get("id") or given.get("question", "")
    held = gathered.setdefault(key, _Gathered(line=row.line, given=given))
    if held.given != given:
        return fault(
            "id",
            key,
            f"has another question or kind than on line {held.line}",
            "Write the same question and kind in all its rows",
            line=row.line,
        )
    if cells.get("topic"):
        held.topics[side].append(cells["topic"])
    return None
