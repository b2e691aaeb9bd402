"""The Markdown in which every format's headings, lists and tables are kept."""

import re
from collections.abc import Sequence
from typing import Final

DEEPEST: Final = 6
_LOOKS_LIKE_MARKDOWN: Final = re.compile(r"\A(?=#{1,6}[ \t]|\||```|~~~)")


def one_line(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(text.split())


def heading(level: int, text: str) -> str:
    """Return a heading line; levels beyond those of Markdown become its deepest."""
    return f"{'#' * min(max(level, 1), DEEPEST)} {one_line(text)}"


def paragraph(text: str) -> str:
    """Return a paragraph that is not read as a heading, a table or code, whatever it begins with."""
    return _LOOKS_LIKE_MARKDOWN.sub("\\\\", text, count=1)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as lines of cells, an empty cell kept so that no column shifts; empty rows are left out."""
    kept = [[one_line(cell).replace("|", "\\|") for cell in row] for row in rows]
    kept = [row for row in kept if any(row)]
    if not kept:
        return ""
    columns = max(map(len, kept))
    lines = [_row([*row, *[""] * (columns - len(row))]) for row in kept]
    return "\n".join([lines[0], _row(["---"] * columns), *lines[1:]])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
