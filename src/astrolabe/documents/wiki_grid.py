"""A wiki's tables as Markdown, whatever they were written in: spans filled, header rows joined, nothing cut."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from astrolabe.documents.markdown import table

CAPTION: Final = "Table: "
"""What a caption begins with; it stands on the line above its table."""
_WIDEST: Final = 200
_LONGEST_SPAN: Final = 1000


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text on one line, whether it is a header, and how many columns and rows it covers."""

    text: str
    is_header: bool
    columns: int
    rows: int


def cell_of(text: str, *, is_header: bool, columns: int, rows: int) -> Cell:
    """Return a cell whose spans are at least 1 and no longer than a table can be."""
    return Cell(text, is_header, max(1, min(columns, _WIDEST)), max(1, min(rows, _LONGEST_SPAN)))


def written_table(caption: str, rows: Sequence[Sequence[Cell]]) -> str:
    """Return a Markdown table with its caption on the line above; empty where no cell says anything.

    A cell that spans several columns or rows stands in each. Leading rows of header cells become one header row, and
    of equal headers the second is numbered. Columns without any value below their header are left out.
    """
    written = table(_with_values(_with_one_header(_grid(rows))))
    return f"{CAPTION}{caption}\n{written}" if caption and written else written


def _grid(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Return rows in which each spanning cell stands in every place that it covers."""
    grid: list[list[Cell]] = []
    open_: dict[int, tuple[Cell, int]] = {}
    for row in rows:
        placed: list[Cell] = []
        waiting = [cell for cell in row for _ in range(cell.columns)]
        while (waiting or len(placed) in open_) and len(placed) < _WIDEST:
            column = len(placed)
            cell, left = open_.pop(column, (None, 0))
            if cell is None:
                cell = waiting.pop(0)
                left = cell.rows
            if left > 1:
                open_[column] = (cell, left - 1)
            placed.append(cell)
        grid.append(placed)
    return grid


def _with_one_header(grid: list[list[Cell]]) -> list[list[str]]:
    rows = [[cell.text for cell in row] for row in grid]
    headers = sum(1 for _ in takewhile(lambda row: all(cell.is_header for cell in row), grid))
    if not headers:
        return rows
    columns = max(map(len, rows[:headers]))
    joined = [" ".join(dict.fromkeys(_column(rows[:headers], column))) for column in range(columns)]
    counts: dict[str, int] = {}
    for column, name in enumerate(joined):
        counts[name] = counts.get(name, 0) + 1
        if name and counts[name] > 1:
            joined[column] = f"{name} ({counts[name]})"
    return [joined, *rows[headers:]]


def _column(rows: list[list[str]], column: int) -> list[str]:
    return [row[column] for row in rows if column < len(row) and row[column]]


def _with_values(rows: list[list[str]]) -> list[list[str]]:
    if len(rows) < 2:  # noqa: PLR2004 - a header without rows keeps all its columns
        return rows
    columns = max(map(len, rows))
    kept = [column for column in range(columns) if _column(rows[1:], column)]
    return [[row[column] if column < len(row) else "" for column in kept] for row in rows]
