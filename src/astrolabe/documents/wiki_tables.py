"""Tables in wikitext as Markdown."""

import re
from dataclasses import replace
from typing import Final

from astrolabe.documents.wiki_grid import Cell, cell_of, written_table
from astrolabe.documents.wiki_text import BLOCK, one_value

_SPAN: Final = re.compile(r"(col|row)span\s*=\s*[\"']?\s*(\d{1,4})", re.IGNORECASE)
_ATTRIBUTES: Final = re.compile(r"\s*(?:[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'|]+)\s*|nowrap\s*)*")


def wiki_table(body: str) -> str:
    """Return what stands between `{|` and `|}` as a Markdown table with its caption above, as `written_table` has it.

    A table that holds another one is the page's layout: its cells become paragraphs.
    """
    caption, rows = _rows(body)
    if BLOCK in body:
        cells = "\n\n".join(cell.text.strip() for row in rows for cell in row)
        return f"{caption}\n\n{cells}" if caption else cells
    return written_table(
        one_value(caption), [[replace(cell, text=one_value(cell.text)) for cell in row] for row in rows]
    )


def _rows(body: str) -> tuple[str, list[list[Cell]]]:
    caption = ""
    rows: list[list[Cell]] = [[]]
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


def _cells(line: str) -> list[Cell]:
    is_header = line.startswith("!")
    pieces = re.split(r"\|\||!!" if is_header else r"\|\|", line[1:])
    return [_cell(piece, is_header=is_header) for piece in pieces]


def _cell(piece: str, *, is_header: bool) -> Cell:
    attributes, bar, _ = piece.partition("|")
    spans = {found[1].lower(): int(found[2]) for found in _SPAN.finditer(attributes)} if bar else {}
    return cell_of(_content(piece), is_header=is_header, columns=spans.get("col", 1), rows=spans.get("row", 1))


def _content(piece: str) -> str:
    attributes, bar, content = piece.partition("|")
    return content if bar and _ATTRIBUTES.fullmatch(attributes) else piece
