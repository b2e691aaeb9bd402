"""Pages by name: one form for titles and addresses, and the names that a document goes by."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from pydantic import JsonValue

from astrolabe.core.records import Document

URL: Final = "url"
ALIASES: Final = "aliases"
"""Under these keys of a document's `extra`, and of a gold page, stand its address and its other titles (redirects)."""
IN_CONTEXT: Final = "in_context"
"""Where this key is true, the document's passages begin with its title and headings: those of a wiki's page."""
_ADDRESS: Final = re.compile(r"https?://|/wiki/", re.IGNORECASE)
_WIKI: Final = re.compile(r".*/wiki/", re.IGNORECASE | re.DOTALL)
_TITLE: Final = re.compile(r"[?&]title=([^&#]*)", re.IGNORECASE)
_FRAGMENT: Final = re.compile(r"(?<=\S)#(?=\S).*", re.DOTALL)


def page_name(text: str) -> str:
    """Return the one form of a page's title or address.

    What follows `/wiki/` (all of it: titles may hold `/` and `:`) or `title=`, without query and fragment,
    percent-decoded, underscores as spaces, spaces collapsed, lower case, composed (NFC). A title is treated alike, so
    that both meet. An address without a title in it is itself, without its fragment. Source: the page level of the
    retrieval evaluation of APT-RAG, with the fragment stripped.

    Examples:
        >>> page_name("https://en.wikipedia.org/wiki/Beyonc%C3%A9#Life"), page_name("Beyonc\u00e9")
        ('beyonc\u00e9', 'beyonc\u00e9')
        >>> page_name("https://en.wikipedia.org/wiki/AC/DC"), page_name("AC/DC"), page_name("C# in depth")
        ('ac/dc', 'ac/dc', 'c# in depth')
        >>> page_name("https://en.wikipedia.org/w/index.php?title=Paris_(Texas)&oldid=1")
        'paris (texas)'
    """
    left = text.strip()
    if _ADDRESS.search(left):
        title = _TITLE.search(left)
        left = title[1] if title else _WIKI.sub("", left.split("?")[0])
    plain = unquote(_FRAGMENT.sub("", left)).replace("_", " ")
    return " ".join(unicodedata.normalize("NFC", plain).lower().split())


def names_of(document: Document) -> frozenset[str]:
    """Return the names of the page that a document is: its address's, its title's, and those of its redirects."""
    return frozenset(filter(None, map(page_name, (*_listed(document.extra), document.title, _address(document)))))


def own_name(document: Document) -> str:
    """Return the name that stands for a document's page: its address's, else its title's, else its id."""
    return page_name(_address(document)) or page_name(document.title) or document.id


def page_names(page: Mapping[str, JsonValue]) -> frozenset[str]:
    """Return the names of a gold page, from its `title`, `url` and `aliases`."""
    given = [page.get(key) for key in ("title", URL)]
    texts = [text for text in given if isinstance(text, str)]
    return frozenset(filter(None, map(page_name, (*texts, *_listed(page)))))


def _address(document: Document) -> str:
    given = document.extra.get(URL)
    if isinstance(given, str) and given:
        return given
    return document.source if _ADDRESS.match(document.source) else ""


def _listed(record: Mapping[str, JsonValue]) -> list[str]:
    given = record.get(ALIASES)
    return [name for name in given if isinstance(name, str)] if isinstance(given, list) else []
