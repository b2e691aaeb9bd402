"""JATS, the XML in which journals publish: title, abstract, sections, tables, captions; no references."""

import re
from dataclasses import replace
from html.entities import name2codepoint
from typing import Final

from astrolabe.documents.extract import Extract, Unreadable
from astrolabe.documents.markdown import heading
from astrolabe.documents.markup import inline, render
from astrolabe.documents.sniff import MEDIA_TYPES
from astrolabe.documents.tree import Element, name_of, parse_xml

_ENTITY: Final = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_LEFT_OUT: Final = ("ref-list", "object-id", "permissions", "graphic", "inline-graphic", "sec-meta", "kwd-group")
_HTML_NAMES: Final = {
    "p": "p",
    "list-item": "li",
    "disp-quote": "blockquote",
    "preformat": "pre",
    "code": "pre",
    "break": "br",
    "table": "table",
    "thead": "thead",
    "tbody": "tbody",
    "tfoot": "tfoot",
    "tr": "tr",
    "td": "td",
    "th": "th",
}
_APART: Final = frozenset(
    ("sec", "abstract", "ack", "app", "fig", "caption", "table-wrap", "disp-formula", "fn", "boxed-text", "fn-group")
)
_FLOATS: Final = ("fig", "table-wrap", "supplementary-material", "media")
_SECTIONS: Final = frozenset(("sec", "abstract", "ack", "app"))
_PARTS: Final = ("front/article-meta/abstract", "body", "back/ack", "back/app-group", "back/sec")


def read_jats(content: bytes) -> Extract:
    """Return an article's text as Markdown, with its title and its date of publication.

    Raises:
        Unreadable: Not well-formed XML, or its root is not a JATS article.
    """
    article = parse_xml(_ENTITY.sub(_numbered, content))
    if name_of(article) != "article":
        msg = f"the XML's root is <{name_of(article)}>, not a JATS <article>"
        raise Unreadable(msg)
    _strip_name_spaces(article)
    found_title = article.find("front/article-meta/title-group/article-title")
    title = inline(found_title) if found_title is not None else ""
    parts = [part for path in _PARTS for part in article.findall(path)]
    blocks = [heading(1, title) if title else "", *map(_rendered, parts)]
    extract = Extract(
        text="\n\n".join(filter(None, blocks)),
        media_type=MEDIA_TYPES["jats"],
        title=title,
        date=_published(article),
    )
    references = sum(1 for _ in article.iter("ref"))
    return replace(extract, extra={"references_left_out": references}) if references else extract


def _numbered(found: re.Match[bytes]) -> bytes:
    name = found[1].decode("ascii")
    known = name in name2codepoint and name not in {"amp", "lt", "gt", "quot", "apos"}
    return b"&#%d;" % name2codepoint[name] if known else found[0]


def _strip_name_spaces(article: Element) -> None:
    for element in article.iter("*"):
        element.tag = name_of(element)


def _rendered(part: Element) -> str:
    untitled_abstract = name_of(part) == "abstract" and part.find("title") is None
    _to_html(part)
    return f"{heading(2, 'Abstract')}\n\n{render(part)}" if untitled_abstract else render(part)


def _to_html(part: Element) -> None:
    for unwanted in list(part.iter(*_LEFT_OUT)):
        _remove(unwanted)
    for formula in list(part.iter("alternatives")):
        if formula.find("tex-math") is not None:
            for twin in formula.findall("math"):
                _remove(twin)
    for element in part.iter("*"):
        element.tag = _html_name(element)


def _html_name(element: Element) -> str:
    name = name_of(element)
    if name == "title":
        in_float = any(name_of(above) in _FLOATS or above.get("float") for above in element.iterancestors())
        return "p" if in_float else f"h{min(6, 2 + _depth(element))}"
    if name in _FLOATS:
        element.set("float", "yes")  # its name changes before its caption is reached
    if name in _SECTIONS:
        element.set("sec", "yes")
    if name == "list":
        return "ol" if element.get("list-type") in {"order", "arabic", "alpha-lower", "roman-lower"} else "ul"
    if name == "math":
        return "span"
    return _HTML_NAMES.get(name, "div" if name in _APART or name in {"body", "back"} else "span")


def _depth(element: Element) -> int:
    return sum(1 for above in element.iterancestors() if above.get("sec")) - 1


def _remove(element: Element) -> None:
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + (element.tail or "")
    else:
        parent.text = (parent.text or "") + (element.tail or "")
    parent.remove(element)


def _published(article: Element) -> str | None:
    dates = [date for date in map(_date, article.findall("front/article-meta/pub-date")) if date]
    return max(dates, key=len, default=None)


def _date(element: Element) -> str | None:
    whole = element.get("iso-8601-date")
    if whole and re.fullmatch(r"\d{4}(-\d\d){0,2}", whole):
        return whole
    year, month, day = (element.findtext(name) or "" for name in ("year", "month", "day"))
    if not re.fullmatch(r"\d{4}", year):
        return None
    if not (month.isdigit() and day.isdigit()):
        return year
    return f"{year}-{int(month):02}-{int(day):02}"
