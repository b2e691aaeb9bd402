"""A table as Markdown, LaTeX and CSV. What a cell says is data: it is escaped in each."""

import csv
import io
import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from astrolabe.report.table import Cell, Table

_MARKDOWN: Final = re.compile(r"([\\`*_\[\]<>|&~#])")
_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",
    "]": "{]}",
}
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH COMMERCIAL AT}")
_ESTIMATE_TITLES: Final = ("value", "low", "high", "worst", "best", "n_scored", "n_asked", "groups")


def to_markdown(table: Table) -> str:
    """Return a table with its caption above and its notes below."""
    rows = [[_markdown_cell(cell) for cell in row] for row in table.rows]
    header = [escape_markdown(title) for title in table.header]
    rule = ["---:" if numeric else ":---" for numeric in table.numeric]
    lines = ["| " + " | ".join(line) + " |" for line in (header, rule, *rows)]
    notes = [f"- {escape_markdown(note)}" for note in table.notes]
    return "\n".join([f"**{escape_markdown(table.caption)}**", "", *lines, *(["", *notes] if notes else []), ""])


def to_latex(table: Table) -> str:
    """Return a `table` environment; it needs the package booktabs, and graphicx to fit the page."""
    header = [escape_latex(column.title) for column in table.columns]
    groups = [(group, len(list(columns))) for group, columns in groupby(column.group for column in table.columns)]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(table.caption)}}}",
        rf"\label{{tab:{re.sub('[^a-z0-9]+', '-', table.name)}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{''.join('r' if numeric else 'l' for numeric in table.numeric)}}}",
        r"\toprule",
        *([_latex_groups(groups)] if any(group for group, _ in groups) else []),
        " & ".join(header) + r" \\",
        r"\midrule",
        *(" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}}",
        *(rf"\par\smallskip\footnotesize {escape_latex(note)}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def to_csv(table: Table) -> str:
    """Return a table for programs: numbers unscaled and in columns of their own, null as empty.

    A column of estimates becomes eight: value, low, high, worst, best, n_scored, n_asked, groups; one with marked
    names two: the names and their marks. A text that a spreadsheet would take for a formula gets an apostrophe before
    it.
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    columns = [[row[index] for row in table.rows] for index in range(len(table.columns))]
    fields = [_csv_column(title, cells) for title, cells in zip(table.header, columns, strict=True)]
    for line in zip(*fields, strict=True):
        writer.writerow(field for cell in line for field in cell)
    return written.getvalue()


def _csv_column(title: str, cells: Sequence[Cell]) -> list[list[str]]:
    """Return a column's heading and fields, each as the list of the columns that it takes."""
    safe = _guarded(title)
    if any(cell.estimate for cell in cells):
        return [[_guarded(f"{title} {name}") for name in _ESTIMATE_TITLES], *(_estimate_fields(cell) for cell in cells)]
    if any(cell.mark for cell in cells):
        return [[safe, _guarded(f"{title} mark")], *([_guarded(cell.name), _guarded(cell.mark)] for cell in cells)]
    return [[safe], *([_guarded(cell.name) if cell.number is None else _number(cell.number)] for cell in cells)]


def escape_markdown(text: str) -> str:
    """Return a text on one line in which nothing is markup, a link or HTML."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def escape_latex(text: str) -> str:
    """Return a text on one line in which nothing is a command."""
    printable = (character for character in " ".join(text.split()) if character.isprintable())
    return "".join(_LATEX.get(character, character) for character in printable)


def _markdown_cell(cell: Cell) -> str:
    if cell.estimate is None:
        return f"{escape_markdown(cell.name)} *{cell.mark}*" if cell.mark else escape_markdown(cell.shown)
    letters = f" <sup>{cell.letters}</sup>" if cell.letters else ""
    bounds = f" {cell.bounds}" if cell.bounds else ""
    return f"{cell.value} {cell.span}, {cell.counts}{bounds}{letters}"


def _latex_cell(cell: Cell) -> str:
    if cell.estimate is None:
        return rf"{escape_latex(cell.name)} \emph{{{cell.mark}}}" if cell.mark else escape_latex(cell.shown)
    letters = rf"\textsuperscript{{{cell.letters}}}" if cell.letters else ""
    bounds = f" {cell.bounds}" if cell.bounds else ""
    return rf"{cell.value}{letters} {{\scriptsize {cell.span}, {cell.counts}{bounds}}}"


def _latex_groups(groups: Sequence[tuple[str, int]]) -> str:
    cells = [rf"\multicolumn{{{count}}}{{c}}{{{escape_latex(group)}}}" for group, count in groups]
    return " & ".join(cells) + r" \\"


def _estimate_fields(cell: Cell) -> list[str]:
    one = cell.estimate
    if one is None:
        return [_guarded(cell.name), *[""] * (len(_ESTIMATE_TITLES) - 1)]
    numbers = (one.value, one.low, one.high, one.worst, one.best, one.n_scored, one.n_asked)
    return [*(_number(value) for value in numbers), cell.letters]


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
