"""A wiki's article in HTML as Markdown blocks, as its wikitext would give them: what stands around the text goes."""

import re
from collections.abc import Iterator
from itertools import chain, takewhile
from typing import Final

from astrolabe.documents.markdown import heading, paragraph
from astrolabe.documents.markup import blocks, inline, is_hidden, is_list, is_table, text_lines
from astrolabe.documents.tree import Element, name_of
from astrolabe.documents.wiki_grid import Cell, cell_of, written_table

_LEFT_OUT: Final = frozenset(
    (
        "mw-editsection", "navbox", "vertical-navbox", "navbar", "sidebar", "hatnote", "dablink", "noprint", "metadata",
        "ambox", "tmbox", "mbox-small", "sistersitebox", "portal", "portalbox", "succession-box", "authority-control",
        "toc", "thumb", "gallery", "reference", "references", "reflist", "mw-references-wrap", "mw-cite-backlink",
        "printfooter", "catlinks", "mw-indicators", "mw-jump-link", "shortdescription", "sortkey", "geo-nondefault",
        "geo-multi-punct", "mw-tmh-player",
    )
)  # fmt: skip
"""Classes of what no dump has as text, either: navigation, notices, references, pictures."""
_LEFT_OUT_IDS: Final = frozenset(("toc", "catlinks", "siteSub", "contentSub", "jump-to-nav", "siteNotice"))
_LEFT_OUT_TAGS: Final = frozenset(("figure", "audio", "video", "nav"))
_PORTABLE: Final = "portable-infobox"
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_DISPLAYED: Final = re.compile(r"\{\\(?:displaystyle|textstyle) ?(.*)\}", re.DOTALL)
_PART: Final = "•"
"""Begins the label of an infobox's row that is a part of what stands above it."""


def article_blocks(article: Element) -> list[str]:
    """Return an article's Markdown blocks, in order.

    Headings keep their level (the page's title is level 1), an infobox is a list of lines `key: value`, tables have
    their spans filled and their caption above, formulas are TeX. Edit links, navigation, notices, references,
    pictures and the table of contents are left out. The tree is changed.
    """
    for element in article.iter("*"):
        if _is_left_out(element):
            element.set("hidden", "")
        elif "mwe-math-element" in classes(element):
            _write_formula(element)
    return blocks(article, _own_block)


def classes(element: Element) -> frozenset[str]:
    """Return the classes of an element."""
    return frozenset((element.get("class") or "").split())


def _is_left_out(element: Element) -> bool:
    return (
        not _LEFT_OUT.isdisjoint(classes(element))
        or element.get("id") in _LEFT_OUT_IDS
        or element.get("role") == "navigation"
        or name_of(element) in _LEFT_OUT_TAGS
    )


def _write_formula(element: Element) -> None:
    """Put a formula's TeX in place of its picture and its MathML."""
    pictures = (picture.get("alt") for picture in element.iter("img"))
    formulas = (formula.get("alttext") for formula in element.iter("math"))
    tex = next(filter(None, chain(pictures, formulas)), "")
    for inner in filter(name_of, element):
        inner.set("hidden", "")
    displayed = _DISPLAYED.fullmatch(tex.strip())
    element.text = displayed[1].strip() if displayed else tex


def _own_block(element: Element) -> str | None:
    """Return how a wiki's element is written, where that is not as on any page."""
    name = name_of(element)
    if name == "table" or _PORTABLE in classes(element):
        return _boxed(element)
    if name in _HEADINGS:
        text = inline(element)
        return heading(max(2, _HEADINGS[name]), text) if text else ""
    if name == "p":
        return paragraph(inline(element))
    if name == "dl" and is_list(element) and any(name_of(child) == "dt" for child in element):
        return "\n".join(_terms(element))
    return None


def _boxed(element: Element) -> str | None:
    """Return an infobox as a list, a table of values as a table; null for one that lays out the page."""
    if _PORTABLE in classes(element):
        return _listed(_portable_facts(element))
    if "infobox" in classes(element):
        return _listed(_facts(element))
    return written_table(_caption(element), _rows(element)) if _holds_values(element) else None


def _holds_values(table: Element) -> bool:
    """Return whether a table is one: a wiki's own may have cells of any length, but holds no other table."""
    if "wikitable" not in classes(table):
        return is_table(table)
    return not any(name_of(inner) == "table" and not _is_in_hidden(inner, table) for inner in table.iterdescendants())


def _is_in_hidden(element: Element, above: Element) -> bool:
    path = takewhile(lambda one: one is not above, chain([element], element.iterancestors()))
    return any(map(is_hidden, path))


def _caption(table: Element) -> str:
    return next((_value(child) for child in table if name_of(child) == "caption" and not is_hidden(child)), "")


def _rows(table: Element) -> list[list[Cell]]:
    return [[_cell(cell) for cell in cells] for row in _own_rows(table) if (cells := _cells(row))]


def _own_rows(element: Element) -> Iterator[Element]:
    """Yield a table's rows in order, without those of tables within it."""
    for child in element:
        if is_hidden(child):
            continue
        if name_of(child) in {"thead", "tbody", "tfoot"}:
            yield from _own_rows(child)
        elif name_of(child) == "tr":
            yield child


def _cells(row: Element) -> list[Element]:
    return [cell for cell in row if name_of(cell) in {"td", "th"} and not is_hidden(cell)]


def _cell(cell: Element) -> Cell:
    spans = [int(given) if (given := cell.get(name) or "").isdecimal() else 1 for name in ("colspan", "rowspan")]
    return cell_of(_value(cell), is_header=name_of(cell) == "th", columns=spans[0], rows=spans[1])


def _value(element: Element) -> str:
    """Return an element's text on one line, its lines and list items divided by semicolons."""
    return "; ".join(text_lines(element)).replace(";;", ";")


def _listed(facts: Iterator[str]) -> str:
    return "\n".join(f"- {fact}" for fact in facts)


def _terms(terms: Element) -> Iterator[str]:
    """Yield a line for each term of a list of terms, with what is said of it."""
    line = ""
    for child in terms:
        text = "" if is_hidden(child) else _value(child)
        if text and name_of(child) == "dt":
            yield from [line] if line else []
            line = f"- {text}"
        elif text:
            line = f"{line}{'; ' if ': ' in line else ': '}{text}" if line else f"- {text}"
    yield from [line] if line else []


def _facts(box: Element) -> Iterator[str]:
    """Yield an infobox's facts as `key: value`; the label of a part stands behind what it is a part of."""
    whole = ""
    for row in box.iter("tr"):
        cells = _cells(row)
        if not cells or _is_in_hidden(row, box) or next(row.iter("table"), None) is not None:
            continue
        is_fact = len(cells) > 1
        said = "; ".join(filter(None, map(_value, cells[1:])))
        label = " ".join(text_lines(cells[0])).rstrip(" :")
        if label.startswith(_PART):
            own = label.lstrip(f"{_PART} ")
            label = f"{whole}, {own}" if whole else own
        elif is_fact or name_of(cells[0]) == "th":
            whole = label
        if said:
            yield f"{label}: {said}" if label else said
        elif label and name_of(cells[0]) == "td" and not is_fact and next(cells[0].iter("img"), None) is None:
            yield _value(cells[0])


def _portable_facts(box: Element) -> Iterator[str]:
    for fact in box.iter("*"):
        if "pi-data" in classes(fact):
            label, value = (
                next((_value(one) for one in fact.iter("*") if part in classes(one)), "")
                for part in ("pi-data-label", "pi-data-value")
            )
            if value:
                yield f"{label.rstrip(' :')}: {value}" if label else value
