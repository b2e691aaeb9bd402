"""MediaWiki dumps, plain or compressed: one extract a page, read as a stream."""

import bz2
import gzip
import html
import re
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from astrolabe.documents.extract import Extract, Unreadable
from astrolabe.documents.tree import Element, parse_xml
from astrolabe.documents.wiki_page import page_address, page_text
from astrolabe.documents.wikitext import read_wikitext

if TYPE_CHECKING:
    from pydantic import JsonValue

WIKITEXT: Final = "text/x-wiki"
"""The media type of a dump's pages, as MediaWiki calls it."""
REDIRECT: Final = "redirect"
"""Under this key of an extract's `extra` stands the title that a page redirects to."""
NAMESPACE: Final = "namespace"
"""Under this one the number of a page's namespace, where that is not the articles'."""
_BLOCK: Final = 1 << 18
_HEAD: Final = 1 << 16
_LARGEST_PAGE: Final = 1 << 26
_OPENS: Final = re.compile(rb"<page(?:\s[^>]*)?>")
_ENDS: Final = b"</page>"
_TITLE: Final = re.compile(rb"<title>([^<]*)</title>")
_NAMESPACE: Final = re.compile(rb"<ns>\s*(-?\d+)\s*</ns>")
_REDIRECT: Final = re.compile(rb"<redirect\s+title=\"([^\"]*)\"")
_FILES: Final = 6
_CATEGORIES: Final = 14
_SHOWN_TEMPLATES: Final = 20
_SIGN_OF_LIFE: Final = 1000


def is_dump(path: Path) -> bool:
    """Return whether a file is a MediaWiki dump: XML whose root is `<mediawiki>`, plain or in bz2 or gzip."""
    try:
        with open_dump(path) as stream:
            head = stream.read(4096)
    except (OSError, EOFError, zlib.error):
        return False
    return b"<mediawiki" in head


def open_dump(path: Path) -> BufferedIOBase:
    """Open a dump for reading what is in it; bz2 of several streams is read through."""
    with path.open("rb") as file:
        magic = file.read(3)
    if magic == b"BZh":
        return bz2.BZ2File(path)
    return gzip.GzipFile(path) if magic[:2] == b"\x1f\x8b" else path.open("rb")


class Wiki(NamedTuple):
    """What a dump says about its wiki: the address of its main page, and the names of files and categories there."""

    home: str = ""
    hidden: tuple[str, ...] = ()


class PagesDue(NamedTuple):
    """Which pages of a dump are to be read: those after the first `after`; of them `only` some, if that is given."""

    after: int = 0
    only: Sequence[int] | None = None

    def following(self, number: int) -> int:
        """Return the number of the next page that is due behind a page; without any, that of the next page."""
        place = 0 if self.only is None else bisect_right(self.only, number)
        return self.only[place] if self.only is not None and place < len(self.only) else number + 1


class RawPage(NamedTuple):
    """A page as it stands in the dump, which of its pages it is (counted from 1), and what is wrong with it."""

    number: int
    content: bytes
    fault: str | None = None

    @property
    def title(self) -> str:
        """The page's title; its number where it has none."""
        found = _TITLE.search(self.content)
        return html.unescape(found[1].decode("utf-8", "replace")).strip() if found else f"page {self.number}"

    @property
    def namespace(self) -> int:
        """The number of its namespace: 0 for articles, 1 for their talk pages, and so on."""
        found = _NAMESPACE.search(self.content)
        return int(found[1]) if found else 0

    @property
    def redirect(self) -> str | None:
        """The title of the page that it sends its reader to, if it does."""
        found = _REDIRECT.search(self.content)
        return html.unescape(found[1].decode("utf-8", "replace")).strip() if found else None


def raw_pages(stream: BufferedIOBase) -> Iterator[RawPage]:
    """Yield a dump's pages, holding one at a time.

    The borders are found without an XML parser, so that a page that is no XML stops no other. A page that does not
    end before the next begins, or of more than 64 MB, or at which the file ends or is damaged, has a fault.
    """
    return _Scan(stream).pages()


@dataclass(slots=True)
class _Scan:
    stream: BufferedIOBase
    number: int = 0
    _buffer: bytes = b""
    _fault: str | None = None
    _told: bool = False

    def pages(self) -> Iterator[RawPage]:
        """Yield every page, and at the end what was wrong with the stream."""
        while self._seek():
            self.number += 1
            yield self._page()
        if self._fault is not None:
            self.number += 1
            yield RawPage(self.number, b"", self._fault)

    def _more(self) -> bool:
        """Read on; a stream that is torn or damaged is at its end, and the fault is kept."""
        try:
            block = self.stream.read1(_BLOCK)  # of a torn stream all that can be had
        except (OSError, EOFError, zlib.error) as error:
            self._fault = f"the file is damaged or cut off behind page {self.number}: {error}"
            return False
        self._buffer += block
        return bool(block)

    def _seek(self) -> bool:
        """Move to where the next page begins."""
        while True:
            found = _OPENS.search(self._buffer)
            if found:
                self._buffer = self._buffer[found.start() :]
                return True
            self._buffer = self._buffer[-64:]
            if self._fault is not None or self._told:
                return False
            if not self._more():
                if self._fault is None and b"</mediawiki" not in self._buffer:
                    self._fault = f"the file is cut off behind page {self.number}: it ends without </mediawiki>"
                return False

    def _page(self) -> RawPage:
        searched = 0
        while (end := self._buffer.find(_ENDS, searched)) < 0:
            searched = max(0, len(self._buffer) - len(_ENDS))
            if len(self._buffer) > _LARGEST_PAGE:
                return self._broken(f"is longer than {_LARGEST_PAGE} bytes, or never ends")
            if self._fault is not None or not self._more():
                fault, self._fault, self._told = self._fault, None, True
                return self._broken(fault or "does not end: the file is cut off")
        content = self._buffer[: end + len(_ENDS)]
        following = _OPENS.search(content, 1)
        if following:
            return self._broken("does not end before the next begins", following.start())
        self._buffer = self._buffer[len(content) :]
        return RawPage(self.number, content)

    def _broken(self, fault: str, end: int | None = None) -> RawPage:
        following = _OPENS.search(self._buffer, 1)
        place = end if end is not None else following.start() if following else len(self._buffer)
        content, self._buffer = self._buffer[:place], self._buffer[place:]
        return RawPage(self.number, content[:_HEAD], fault)


def read_wiki(path: Path) -> Wiki:
    """Return what the head of a dump says about its wiki; what cannot be read there is left empty."""
    with open_dump(path) as stream:
        head = stream.read(_HEAD)
    found = re.search(rb"<siteinfo>.*?</siteinfo>", head, re.DOTALL)
    if found is None:
        return Wiki()
    try:
        site = parse_xml(found[0])
    except Unreadable:
        return Wiki()
    keys = {str(_FILES), str(_CATEGORIES)}
    names = [one.text or "" for one in site.iter("namespace") if one.get("key") in keys]
    return Wiki(home=(site.findtext("base") or "").strip(), hidden=tuple(name.lower() for name in names if name))


def read_dump(path: Path, *, after: int = 0, only: Sequence[int] | None = None) -> Iterator[Extract | None]:
    """Yield one extract for each page of a dump, those after the first `after`, in order.

    Where `only` is given, pages of other numbers are passed over, apart from those that break off.

    While it passes over pages it yields a null now and then, so that nobody thinks it hangs.

    A page of another namespace than the articles' has no text and names its namespace; a redirect has none and names
    its target; one that cannot be read is failed. `extra` holds the page's number in the dump, under `record`.
    """
    wiki = read_wiki(path)
    wanted = None if only is None else frozenset(only)
    yield None  # what is slow to load is loaded: the first page's time begins
    with open_dump(path) as stream:
        for page in raw_pages(stream):
            is_wanted = wanted is None or page.number in wanted or page.fault is not None
            if page.number > after and is_wanted:
                yield _extract(page, wiki)
            elif page.number % _SIGN_OF_LIFE == 0:
                yield None


def _extract(page: RawPage, wiki: Wiki) -> Extract:
    if page.fault is not None:
        return failed_page(page.number, page.title, page.fault)
    if page.namespace:
        return _without_text(page, f"a page of namespace {page.namespace}", {NAMESPACE: page.namespace})
    if page.redirect is not None:
        return _without_text(page, f"sends its reader to {page.redirect!r}", {REDIRECT: page.redirect})
    try:
        return _article(page, wiki)
    except Unreadable as error:
        return failed_page(page.number, page.title, str(error))
    except Exception as error:  # noqa: BLE001 - one bad page stops no other
        return failed_page(page.number, page.title, f"{type(error).__name__}: {error}")


def title_of(path: Path, number: int) -> str | None:
    """Return the title of a dump's page by its number; null where it has no such page, or cannot be read."""
    try:
        with open_dump(path) as stream:
            return next((page.title for page in raw_pages(stream) if page.number == number), None)
    except OSError:
        return None


def page_number(extract: Extract) -> int:
    """Return the number of a page in its dump."""
    number = extract.extra.get("record")
    return number if isinstance(number, int) else 0


def failed_page(number: int, title: str, reason: str) -> Extract:
    """Return the extract of a page that cannot be read."""
    return Extract(
        media_type=WIKITEXT,
        title=title,
        place=title,
        failure=f"page {number} {title!r}: {reason}",
        extra={"record": number},
    )


def _without_text(page: RawPage, reason: str, extra: "dict[str, JsonValue]") -> Extract:
    return Extract(
        media_type=WIKITEXT,
        title=page.title,
        place=page.title,
        emptiness=reason,
        extra={"record": page.number, **extra},
    )


def _article(page: RawPage, wiki: Wiki) -> Extract:
    from astrolabe.parts.page_names import IN_CONTEXT, URL

    root = parse_xml(page.content)
    revisions = root.findall("revision")
    latest = revisions[-1] if revisions else None
    read = read_wikitext(_said(latest), hidden=wiki.hidden)
    extra: dict[str, JsonValue] = {
        "record": page.number,
        URL: page_address(wiki.home, page.title),
        "page_id": root.findtext("id") or "",
        "revision": (latest.findtext("id") if latest is not None else "") or "",
        IN_CONTEXT: True,
    }
    if read.left_out:
        most = sorted(read.left_out.items(), key=lambda one: (-one[1], one[0]))[:_SHOWN_TEMPLATES]
        extra["templates_left_out"] = {**dict(most)}
    return Extract(
        text=page_text(page.title, read.blocks),
        media_type=WIKITEXT,
        title=page.title,
        place=page.title,
        emptiness="the page holds no text",
        extra=extra,
    )


def _said(revision: Element | None) -> str:
    """Return a revision's wikitext."""
    return (revision.findtext("text") if revision is not None else "") or ""
