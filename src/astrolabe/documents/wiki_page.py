"""A wiki's page as one document: its title, its sections without those that point elsewhere, its address."""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote

from astrolabe.documents.markdown import heading

_HEADING: Final = re.compile(r"(#{1,6}) (.*)")
_SKIPPED: Final = frozenset(
    (
        "see also", "references", "external links", "further reading", "notes", "citations", "bibliography", "sources",
        "external link", "footnotes", "notes and references", "references and notes",
        "siehe auch", "einzelnachweise", "weblinks", "literatur", "anmerkungen", "quellen",
        "voir aussi", "références", "notes et références", "liens externes", "bibliographie", "articles connexes",
        "véase también", "referencias", "enlaces externos", "bibliografía", "notas",
    )
)  # fmt: skip


def page_text(title: str, blocks: Iterable[str]) -> str:
    """Return a page's Markdown under its title; sections such as `See also` go with the sections below them.

    Left out are see also, references, external links, further reading, notes, citations, bibliography, sources and
    their like (also in German, French and Spanish). A page that has no text beside headings is empty.
    """
    kept = list(_kept(blocks))
    if all(_HEADING.fullmatch(block) for block in kept):
        return ""
    return "\n\n".join([heading(1, title), *kept])


def _kept(blocks: Iterable[str]) -> Iterator[str]:
    skipped = 0
    for block in blocks:
        found = _HEADING.fullmatch(block)
        if found and (not skipped or len(found[1]) <= skipped):
            skipped = len(found[1]) if found[2].strip(" :.").lower() in _SKIPPED else 0
        if not skipped:
            yield block


def page_address(home: str, title: str) -> str:
    """Return a page's address in the wiki whose main page has the address `home`; empty where that has none.

    Examples:
        >>> page_address("https://en.wikipedia.org/wiki/Main_Page", "AC/DC: Live?")
        'https://en.wikipedia.org/wiki/AC/DC:_Live%3F'
    """
    folder, slash, _ = home.rpartition("/")
    return f"{folder}/{quote(title.replace(' ', '_'), safe='/:()!,;@*-._~')}" if slash else ""
