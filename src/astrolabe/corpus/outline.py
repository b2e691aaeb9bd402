"""A document's blocks: which stretch is a heading, a paragraph, a table, a list, code, in which section."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from astrolabe.core.records import PassageKind

_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(\S.*?)[ \t#]*")
_ITEM: Final = re.compile(r"[ \t]*([-*+•]|\d{1,3}[.)])[ \t]")
_RULE: Final = re.compile(r"\|[\s|:-]*-[\s|:-]*")
_FENCE: Final = ("```", "~~~")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a document: `parts` are the starts of its rows or items, the first apart.

    `header` is a table's first row as written; it stands above all rows that begin at `parts`.
    """

    start: int
    kind: PassageKind
    section: tuple[str, ...]
    is_heading: bool = False
    parts: tuple[int, ...] = ()
    header: str | None = None


class _Line(NamedTuple):
    start: int
    text: str


def outline(text: str) -> list[Block]:
    """Return the blocks of a text whose structure is written as Markdown, in order.

    The first begins at the first line that is not blank; each goes on to the start of the next.
    """
    blocks: list[Block] = []
    path: list[tuple[int, str]] = []
    for lines in _groups(text):
        found = _HEADING.fullmatch(lines[0].text.rstrip())
        if found and _kind(lines[0].text) == "heading":
            depth = len(found[1])
            path = [(above, title) for above, title in path if above < depth]
            path.append((depth, found[2]))
        section = tuple(title for _, title in path)
        blocks.append(_block(lines, section))
    return blocks


def _groups(text: str) -> Iterator[list[_Line]]:
    """Yield runs of lines that belong together: blank lines, headings and changes of kind end them."""
    group: list[_Line] = []
    kind = ""
    for line in _lines(text):
        now = "code" if kind == "code" else _kind(line.text) if line.text.strip() else "blank"
        if kind == "list" and now == "text":
            now = "list"  # an item's second line
        if group and (now != kind or now == "heading"):
            yield group
            group = []
        if now != "blank":
            group.append(line)
        closes = kind == "code" and line.text.lstrip().startswith(_FENCE)
        kind = "blank" if closes else now
        if closes:
            yield group
            group = []
    if group:
        yield group


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(start, line)
        start += len(line) + 1


def _kind(line: str) -> str:
    if line.startswith("#") and _HEADING.fullmatch(line.rstrip()):
        return "heading"
    if line.startswith("|"):
        return "table"
    if line.lstrip().startswith(_FENCE):
        return "code"
    return "list" if _ITEM.match(line) else "text"


def _block(lines: list[_Line], section: tuple[str, ...]) -> Block:
    kind = _kind(lines[0].text)
    start = lines[0].start
    if kind == "table":
        head = 2 if len(lines) > 1 and _RULE.fullmatch(lines[1].text.strip()) else 1
        rows = tuple(line.start for line in lines[head:])
        return Block(start=start, kind="table", section=section, parts=rows, header=lines[0].text.strip())
    if kind == "list":
        items = tuple(line.start for line in lines[1:] if _ITEM.match(line.text))
        return Block(start=start, kind="list", section=section, parts=items)
    if kind == "code":
        return Block(start=start, kind="code", section=section, parts=tuple(line.start for line in lines[1:]))
    return Block(start=start, kind="text", section=section, is_heading=kind == "heading")
