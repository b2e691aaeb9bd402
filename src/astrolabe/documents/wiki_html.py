"""A wiki's page that was saved as HTML: the article alone, as a dump of the wiki would have it."""

import re
from typing import TYPE_CHECKING, Final

from astrolabe.documents.extract import Extract
from astrolabe.documents.markup import inline
from astrolabe.documents.sniff import MEDIA_TYPES
from astrolabe.documents.tree import Element, name_of
from astrolabe.documents.wiki_markup import article_blocks, classes
from astrolabe.documents.wiki_page import page_text

if TYPE_CHECKING:
    from pydantic import JsonValue

_CONTENT: Final = "mw-content-text"
_PARSED: Final = "mw-parser-output"
_HEADING: Final = "firstHeading"
_GENERATOR: Final = "mediawiki"
_SITE: Final = re.compile(r"\s+[-\N{EN DASH}\N{EM DASH}]\s+(?:(?!\s[-\N{EN DASH}\N{EM DASH}]\s).)*\Z", re.DOTALL)
"""What a page's `<title>` has behind the page's own: the name of the wiki."""
_NUMBERS: Final = (("page_id", "wgArticleId"), ("revision", "wgRevisionId"))


def read_wiki_page(page: Element, text: str) -> Extract | None:
    """Return what a saved page of a wiki says; null for a page that is none, or has no title.

    A wiki's page has the content element of MediaWiki, or names MediaWiki as its generator and has the element that
    its parser makes. The text is that of `page_text`, the title that of the page's heading; `extra` says that its
    passages stand in context and holds the page's address, the title that redirected to it, its id and revision where
    they are there. A page that redirects has no text.

    Args:
        page: The page's tree; it is changed.
        text: The same page as text.
    """
    article = _article(page)
    title = _title(page) if article is not None else ""
    if article is None or not title:
        return None
    from astrolabe.parts.page_names import ALIASES, IN_CONTEXT, URL

    sends = _linked(_of_class(article, "redirectMsg"))
    redirected = _linked(_of_class(page, "mw-redirectedfrom"))
    names: list[JsonValue] = [redirected] if redirected else []
    found = {name: re.search(rf'"{key}":\s*(\d+)', text) for name, key in _NUMBERS}
    numbers: dict[str, JsonValue] = {name: number[1] for name, number in found.items() if number}
    extra: dict[str, JsonValue] = {
        IN_CONTEXT: True,
        URL: _address(page),
        ALIASES: names,
        **numbers,
    }
    return Extract(
        text="" if sends else page_text(title, article_blocks(article)),
        media_type=MEDIA_TYPES["html"],
        title=title,
        emptiness=f"sends its reader to {sends!r}" if sends else "the page holds no text",
        extra={key: value for key, value in extra.items() if value},
    )


def _article(page: Element) -> Element | None:
    """Return the element that holds the article, where the page is a wiki's."""
    content = next((element for element in page.iter("*") if element.get("id") == _CONTENT), None)
    if content is not None:
        return content
    parsed = _of_class(page, _PARSED)
    return parsed if parsed is not None and (_is_generated(page) or name_of(parsed) == "body") else None


def _is_generated(page: Element) -> bool:
    named = (element.get("content") or "" for element in page.iter("meta") if element.get("name") == "generator")
    return any(name.lower().startswith(_GENERATOR) for name in named)


def _title(page: Element) -> str:
    """Return the text of the page's heading; without one its `<title>` without the wiki's name."""
    headings = (inline(element) for element in page.iter("h1") if element.get("id") == _HEADING)
    heading = next(filter(None, headings), "")
    if heading:
        return heading
    whole = next(filter(None, (inline(element) for element in page.iter("title"))), "")
    return _SITE.sub("", whole) if _is_generated(page) else whole


def _address(page: Element) -> str:
    """Return the address that the page gives for itself; empty where it gives none."""
    links = ((link.get("rel"), link.get("href")) for link in page.iter("link"))
    canonical = [address for kind, address in links if kind in {"canonical", "dc:isVersionOf"}]
    footer = _of_class(page, "printfooter")
    printed = [link.get("href") for link in footer.iter("a")] if footer is not None else []
    return next(filter(None, (*canonical, *printed)), "")


def _of_class(above: Element, name: str) -> Element | None:
    return next((element for element in above.iter("*") if name in classes(element)), None)


def _linked(element: Element | None) -> str:
    """Return the words of the first link in an element."""
    links = (inline(link) for link in element.iter("a")) if element is not None else ()
    return next(filter(None, links), "")
