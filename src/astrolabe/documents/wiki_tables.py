"""Tables in wikitext as Markdown: spans filled, header rows joined, nothing cut."""

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from astrolabe.documents.markdown import table
from astrolabe.documents.wiki_text import BLOCK, one_value

CAPTION: Final = "Table: "
"""What a caption begins with; it stands on the line above its table."""
_SPAN: Final = re.compile(r"(col|row)span\s*=\s*[\"']?\s*(\d{1,4})", re.IGNORECASE)
_ATTRIBUTES: Final = re.compile(r"\s*(?:[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'|]+)\s*|nowrap\s*)*")
_WIDEST: Final = 200
_LONGEST_SPAN: Final = 1000


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    is_header: bool
    columns: int = 1
    rows: int = 1


def wiki_table(body: str) -> str:
    """Return what stands between `{|` and `|}` as a Markdown table with its caption above.

    A cell that spans several columns or rows stands in each. Leading rows of header cells become one header row, and
    of equal headers the second is numbered. A cell's lines are divided by semicolons; columns without any value below
    their header are left out. A table that holds another one is the page's layout: its cells become paragraphs.
    """
    caption, rows = _rows(body)
    if BLOCK in body:
        cells = "\n\n".join(cell.text.strip() for row in rows for cell in row)
        return f"{caption}\n\n{cells}" if caption else cells
    grid = _grid(rows)
    written = table(_with_values(_with_one_header(grid)))
    title = one_value(caption)
    return f"{CAPTION}{title}\n{written}" if title and written else written


def _rows(body: str) -> tuple[str, list[list[_Cell]]]:
    caption = ""
    rows: list[list[_Cell]] = [[]]
    written = ""
    for line in [*body.split("\n")[1:], "|-"]:
        bare = line.lstrip()
        if not bare.startswith(("|", "!")):
            written += f"\n{line}"
            continue
        if written.startswith("|+"):
            caption = _content(written[2:])
        elif written[:1] in {"|", "!"}:
            rows[-1] += _cells(written)
        written = bare
        if bare.startswith("|-"):
            rows.append([])
            written = ""
    return caption, [row for row in rows if row]


def _cells(line: str) -> list[_Cell]:
    is_header = line.startswith("!")
    pieces = re.split(r"\|\||!!" if is_header else r"\|\|", line[1:])
    return [_cell(piece, is_header=is_header) for piece in pieces]


def _cell(piece: str, *, is_header: bool) -> _Cell:
    attributes, bar, _ = piece.partition("|")
    spans = {found[1].lower(): int(found[2]) for found in _SPAN.finditer(attributes)} if bar else {}
    columns = max(1, min(spans.get("col", 1), _WIDEST))
    return _Cell(_content(piece), is_header, columns, max(1, min(spans.get("row", 1), _LONGEST_SPAN)))


def _content(piece: str) -> str:
    attributes, bar, content = piece.partition("|")
    return content if bar and _ATTRIBUTES.fullmatch(attributes) else piece


def _grid(rows: list[list[_Cell]]) -> list[list[_Cell]]:
    """Return rows in which each spanning cell stands in every place that it covers."""
    grid: list[list[_Cell]] = []
    open_: dict[int, tuple[_Cell, int]] = {}
    for row in rows:
        placed: list[_Cell] = []
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


def _with_one_header(grid: list[list[_Cell]]) -> list[list[str]]:
    rows = [[one_value(cell.text) for cell in row] for row in grid]
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
