"""A tree of HTML elements as Markdown: headings, paragraphs, lists, tables, code."""

import re
from collections.abc import Callable
from typing import Final

from astrolabe.documents.markdown import heading, one_line, table
from astrolabe.documents.tree import Element, name_of

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_HIDDEN: Final = frozenset(
    ("script", "style", "noscript", "template", "svg", "head", "iframe", "object", "canvas", "math", "select")
)
_BLOCKS: Final = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div",
        "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "html", "li", "main", "nav",
        "ol", "p", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    )
)  # fmt: skip
_LISTS: Final = frozenset(("ul", "ol"))
_ROW_GROUPS: Final = frozenset(("thead", "tbody", "tfoot"))
_NOT_IN_A_CELL: Final = frozenset((*_HEADINGS, "table", "pre", "article", "section"))
_LONGEST_CELL: Final = 1000
"""A cell of more characters than this holds a part of the page, not a value of a table."""
_SPACES: Final = re.compile(r"[ \t\r\f\v\n]+")


Own = Callable[[Element], str | None]
"""Writes an element as a block of its own, an empty text for none at all; null where the usual rules hold."""


def render(element: Element) -> str:
    """Return all visible text below `element` as Markdown blocks with an empty line between them."""
    return "\n\n".join(blocks(element))


def blocks(element: Element, own: Own = lambda _: None) -> list[str]:
    """Return all visible text below `element` as Markdown blocks; `own` is asked first how each element is written."""
    writer = _Writer(own)
    writer.visit(element)
    writer.close()
    return writer.blocks


class _Writer:
    def __init__(self, own: Own) -> None:
        self.blocks: list[str] = []
        self._own = own
        self._running: list[str] = []

    def close(self) -> None:
        """End the paragraph that is being written."""
        lines = _SPACES.sub(" ", "".join(self._running)).split("\0")
        text = "\n".join(line.strip() for line in lines).strip()
        if text:
            self.blocks.append(text)
        self._running.clear()

    def visit(self, element: Element) -> None:
        """Write what an element and all below it say."""
        name = name_of(element)
        if name in _HIDDEN or not name or is_hidden(element):
            return
        written = self._own(element)
        if written is not None:
            self._block(written)
        elif name == "br":
            self._running.append("\0")
        elif name in _HEADINGS:
            self._block(_heading(element, _HEADINGS[name]))
        elif name == "pre":
            self._block(_code(element))
        elif name == "table" and is_table(element):
            self._block(table(_rows(element)), caption=element)
        elif name in _LISTS and is_list(element):
            self._block("\n".join(_items(element, "")))
        else:
            self._inside(element, block=name in _BLOCKS)

    def _inside(self, element: Element, *, block: bool) -> None:
        if block:
            self.close()
        self._running.append(_plain(element.text))
        for child in element:
            self.visit(child)
            self._running.append(_plain(child.tail))
        if block:
            self.close()

    def _block(self, text: str, *, caption: Element | None = None) -> None:
        self.close()
        for child in caption if caption is not None else ():
            if name_of(child) == "caption":
                self._inside(child, block=True)
        if text:
            self.blocks.append(text)


def is_hidden(element: Element) -> bool:
    """Return whether a browser shows nothing of the element."""
    style = (element.get("style") or "").replace(" ", "").lower()
    return element.get("hidden") is not None or "display:none" in style


def _plain(text: str | None) -> str:
    return (text or "").replace("\0", " ")


def inline(element: Element) -> str:
    """Return an element's visible text as one line; what stands in blocks of its own is kept apart."""
    return one_line("".join(_pieces(element)))


def text_lines(element: Element) -> list[str]:
    """Return an element's visible text as lines: a `<br>`, a paragraph, an item and the like end them."""
    lines = (one_line(line) for line in "".join(_pieces_of_lines(element)).split("\0"))
    return [line for line in lines if line]


def _pieces_of_lines(element: Element) -> list[str]:
    pieces = [_plain(element.text)]
    for child in element:
        name = name_of(child)
        if name and name not in _HIDDEN and not is_hidden(child):
            apart = "\0" if name in _BLOCKS or name == "br" or name in _HEADINGS else ""
            pieces += [apart, *_pieces_of_lines(child), apart]
        pieces.append(_plain(child.tail))
    return pieces


def _pieces(element: Element) -> list[str]:
    pieces = [element.text or ""]
    for child in element:
        name = name_of(child)
        if name and name not in _HIDDEN and not is_hidden(child):
            apart = " " if name in _BLOCKS or name == "br" or name in _HEADINGS else ""
            pieces += [apart, *_pieces(child), ";" if name == "li" and child.getnext() is not None else "", apart]
        pieces.append(child.tail or "")
    return pieces


def _heading(element: Element, level: int) -> str:
    text = inline(element)
    return heading(level, text) if text else ""


def _code(element: Element) -> str:
    text = "".join(_pieces(element)).strip("\n")
    return f"```\n{text}\n```" if text.strip() else ""


def is_table(element: Element) -> bool:
    """Return whether a table holds values, not the page's layout."""
    if element.get("role") == "presentation" or len(list(element.iter("tr", "{*}tr"))) < 1:
        return False
    inner = (name_of(child) for child in element.iterdescendants())
    if not _NOT_IN_A_CELL.isdisjoint(inner):
        return False
    return all(len(cell) <= _LONGEST_CELL for row in _rows(element) for cell in row)


def _rows(element: Element) -> list[list[str]]:
    rows: list[list[str]] = []
    for child in element:
        name = name_of(child)
        if name in _ROW_GROUPS:
            rows += _rows(child)
        elif name == "tr":
            rows.append([inline(cell) for cell in child if name_of(cell) in {"td", "th"}])
    return rows


def is_list(element: Element) -> bool:
    """Return whether a list holds items, not parts of the page."""
    inner = (name_of(child) for child in element.iterdescendants())
    return _NOT_IN_A_CELL.isdisjoint(inner)


def _items(element: Element, indent: str) -> list[str]:
    lines: list[str] = []
    number = 0
    for child in element:
        if name_of(child) in _LISTS:
            lines += _items(child, indent + "  ")
        if name_of(child) != "li":
            continue
        number += 1
        mark = f"{number}." if name_of(element) == "ol" else "-"
        lists = [inner for inner in child if name_of(inner) in _LISTS]
        text = _own_text(child)
        if text:
            lines.append(f"{indent}{mark} {text}")
        for inner in lists:
            lines += _items(inner, indent + "  ")
    return lines


def _own_text(item: Element) -> str:
    pieces = [item.text or ""]
    for child in item:
        name = name_of(child)
        if name and name not in _LISTS and name not in _HIDDEN and not is_hidden(child):
            apart = " " if name in _BLOCKS or name == "br" else ""
            pieces += [apart, *_pieces(child), apart]
        pieces.append(child.tail or "")
    return one_line("".join(pieces))
