"""Trees of HTML and XML elements: what we use of lxml, which has no types, under a name of ours."""

# ruff: noqa: D102 - the methods are lxml's and described there
# lxml is compiled and has no types:
# pyright: reportAttributeAccessIssue=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import re
from collections.abc import Iterator
from typing import Protocol

from astrolabe.documents.extract import Unreadable


class Element(Protocol):
    """An lxml element; see its documentation. A comment's tag is no string."""

    tag: object
    text: str | None
    tail: str | None

    def __iter__(self) -> Iterator["Element"]: ...
    def get(self, key: str, /) -> str | None: ...
    def set(self, key: str, value: str, /) -> None: ...
    def remove(self, element: "Element", /) -> None: ...
    def iter(self, *tags: str) -> Iterator["Element"]: ...
    def iterancestors(self, *tags: str) -> Iterator["Element"]: ...
    def iterdescendants(self, *tags: str) -> Iterator["Element"]: ...
    def itertext(self) -> Iterator[str]: ...
    def getparent(self) -> "Element | None": ...
    def getprevious(self) -> "Element | None": ...
    def getnext(self) -> "Element | None": ...
    def find(self, path: str, /) -> "Element | None": ...
    def findall(self, path: str, /) -> list["Element"]: ...
    def findtext(self, path: str, /) -> str | None: ...
    def xpath(self, path: str, /) -> object: ...


def parse_html(text: str) -> Element | None:
    """Return the root of an HTML text, null where there is no element at all.

    Raises:
        Unreadable: Elements nest deeper than the parser goes, so that it would drop text.
    """
    from lxml import etree, html

    # An encoding declared inside a text that is decoded already is an error to lxml.
    undeclared = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    try:
        # Without `huge_tree` all text below 256 open elements is dropped without a word.
        parser = html.HTMLParser(huge_tree=True)
        root: Element = html.document_fromstring(undeclared.replace("\0", "\N{REPLACEMENT CHARACTER}"), parser)
    except etree.ParserError:
        return None
    if any("depth" in entry.message for entry in parser.error_log):
        msg = "its elements nest more than 2,048 deep (unclosed tags, mostly), and text there would be lost; mend it"
        raise Unreadable(msg)
    return root


def parse_xml(content: bytes) -> Element:
    """Return the root of an XML file; no entity is expanded and nothing is fetched.

    Raises:
        Unreadable: Not well-formed.
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        root: Element = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        msg = f"not well-formed XML: {error}"
        raise Unreadable(msg) from error
    return root


def name_of(element: Element) -> str:
    """Return an element's tag in lower case without its name space; comments have none."""
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""
