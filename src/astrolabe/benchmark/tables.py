"""CSV tables that people write: UTF-8, a header of known names, every fault with its line."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from astrolabe.benchmark.gold_rules import fault
from astrolabe.core.errors import Problem
from astrolabe.store.lines import whole_text

_LONGEST_CELL: Final = 100_000_000


class TableRow(NamedTuple):
    """A row, the line that it begins on, and its cells by column."""

    line: int
    cells: dict[str, str]


def table_rows(path: Path, columns: Sequence[str]) -> Iterator[TableRow | Problem]:
    """Yield a CSV file's rows, or what is wrong where a row should be.

    Cells keep their text exactly, quoted line breaks included. Rows without any text are skipped. A
    column that is not one of `columns` is a problem of the header.

    Raises:
        FileError: The file cannot be read or is not UTF-8.
    """
    # The limit of the csv module (131,072 characters) is shorter than some answers.
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(whole_text(path), newline=""), strict=True)
    header: list[str] | None = None
    line = 1
    try:
        for cells in reader:
            if header is None:
                header = [name.strip() for name in cells]
                yield from _odd_header(header, columns)
            elif any(cell.strip() for cell in cells):
                yield _row(header, cells, line)
            line = reader.line_num + 1
    except csv.Error as error:
        yield fault("line", "", f"is not CSV: {error}", "Put quotation marks around the cell", line=line)


def _odd_header(header: Sequence[str], columns: Sequence[str]) -> Iterator[Problem]:
    for name in header:
        if name not in columns:
            yield fault(
                "header",
                name,
                "is no known column",
                f"Use commas between the columns, and of these names: {', '.join(columns)}",
                line=1,
            )
    for name in sorted({name for name in header if header.count(name) > 1}):
        yield fault("header", name, "stands twice", "Keep one of the columns", line=1)


def _row(header: Sequence[str], cells: Sequence[str], line: int) -> TableRow | Problem:
    if len(cells) == len(header):
        return TableRow(line, dict(zip(header, cells, strict=True)))
    return fault(
        "line",
        ",".join(cells),
        f"has {len(cells)} cells where the header has {len(header)}",
        "Put quotation marks around a text that holds commas or line breaks",
        line=line,
    )
