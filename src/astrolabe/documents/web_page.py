"""HTML pages: the main text, or all text where a page is not the kind that has one."""

# lxml has no types:
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import re
from dataclasses import replace
from typing import Final, NamedTuple

from astrolabe.documents.encoding import decode
from astrolabe.documents.extract import Extract
from astrolabe.documents.markdown import one_line
from astrolabe.documents.markup import inline, render
from astrolabe.documents.plain import iso_date
from astrolabe.documents.sniff import MEDIA_TYPES
from astrolabe.documents.tree import Element, name_of, parse_html
from astrolabe.documents.wiki_html import read_wiki_page

_WORD: Final = re.compile(r"[^\W_]+")
_CHARSET: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([\w-]{2,30})", re.IGNORECASE)
_FRAME: Final = frozenset(("nav", "footer", "aside", "form", "dialog", "button"))
_FAIR_SHARE: Final = 0.5
"""Keeping a smaller share of the words outside the page's frame is a sign of lost lists and tables."""
_MOST_MORE: Final = 1.25
"""An element with this many times the words that were kept holds more than the main text."""
_SHORTEST_ANCHOR: Final = 20
_DATES: Final = (
    "article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dcterms.date",
    "citation_publication_date",
)
_TITLES: Final = ("og:title", "citation_title", "dc.title")


class _Kept(NamedTuple):
    text: str
    warning: str | None


def read_page(content: bytes) -> Extract:
    """Return a page's main text as Markdown, a wiki's page as its article, with title and date of publication."""
    declared = _CHARSET.search(content[:4096])
    decoded = decode(content, declared=declared[1].decode("ascii") if declared else None)
    page = parse_html(decoded.text)
    if page is None:
        return Extract(media_type=MEDIA_TYPES["html"]).warned(decoded.warning)
    named = _named(page)
    date = next(filter(None, (iso_date(named.get(name)) for name in _DATES)), None)
    article = read_wiki_page(page, decoded.text)
    if article is not None:
        return replace(article, date=date).warned(decoded.warning)
    kept = _main_text(decoded.text, page)
    return Extract(
        text=kept.text,
        media_type=MEDIA_TYPES["html"],
        title=_title(page, named),
        date=date,
    ).warned(decoded.warning, kept.warning)


def _main_text(text: str, page: Element) -> _Kept:
    every = render(page)
    if not every.strip():
        return _Kept("", None)
    article = _extracted(text)
    content = _words(every) - _words_of_frame(page)
    kept = "" if article is None else render(article)
    if article is None or _words(kept) < _FAIR_SHARE * content:
        return _Kept(every, f"main text not told from its frame ({_words(kept)} of {content} words); all text is kept")
    if _has_structure(article):
        return _Kept(kept, None)
    return _Kept(_same_with_structure(page, article, kept), None)


def _extracted(text: str) -> Element | None:
    from trafilatura import bare_extraction

    found = bare_extraction(text, fast=True, include_comments=False, with_metadata=False)
    if found is None or isinstance(found, dict):
        return None
    body: Element = found.body
    _to_html(body)
    return body


def _to_html(body: Element) -> None:
    names = {"lb": "br", "list": "ul", "item": "li", "row": "tr", "cell": "td", "quote": "blockquote", "hi": "span"}
    for element in body.iter("*"):
        name = name_of(element)
        if name == "head":
            rend = element.get("rend") or "h2"
            element.tag = rend if re.fullmatch("h[1-6]", rend) else "h2"
        elif name == "code" and "\n" in "".join(element.itertext()):
            element.tag = "pre"
        else:
            element.tag = names.get(name, name)


def _has_structure(element: Element) -> bool:
    return any(re.fullmatch("h[1-6]|ul|table", name_of(inner)) for inner in element.iter())


def _same_with_structure(page: Element, article: Element, kept: str) -> str:
    """Return the text of the smallest element that holds what was kept, with its headings and tables."""
    lines = {one_line(line) for piece in article.itertext() for line in piece.split("\n")}
    anchors = {line for line in lines if len(line) >= _SHORTEST_ANCHOR}
    common: list[Element] = []
    for element in page.iter("p", "li", "td", "blockquote", "div"):
        if anchors.isdisjoint({inline(element), one_line(element.text or "")}):
            continue
        path = [*reversed(list(element.iterancestors())), element]
        common = [one for one, other in zip(common or path, path, strict=False) if one is other]
    for element in reversed(common):
        whole = render(element)
        if _words(whole) >= _words(kept):
            return whole if _words(whole) <= _MOST_MORE * _words(kept) else kept
    return kept


def _words(text: str) -> int:
    return len(_WORD.findall(text))


def _words_of_frame(page: Element) -> int:
    outermost = (
        element
        for element in page.iter(*_FRAME)
        if not any(name_of(above) in _FRAME for above in element.iterancestors())
    )
    return sum(_words(render(element)) for element in outermost)


def _named(page: Element) -> dict[str, str]:
    named: dict[str, str] = {}
    for element in page.iter("meta", "time"):
        name = element.get("property") or element.get("name") or element.get("itemprop") or ""
        value = element.get("content") or element.get("datetime")
        if value and name:
            named.setdefault(name.lower(), value)
    return named


def _is_drawn(element: Element) -> bool:
    return next(element.iterancestors("svg", "g"), None) is not None


def _title(page: Element, named: dict[str, str]) -> str | None:
    titles = (inline(element) for element in page.iter("title") if not _is_drawn(element))
    whole = next(filter(None, titles), "")
    headings = [inline(element) for element in page.iter("h1")]
    inside = max((text for text in headings if text in whole), key=len, default="")
    candidates = (inside, *(named.get(name) for name in _TITLES), whole, *headings)
    return next(filter(None, candidates), None)
