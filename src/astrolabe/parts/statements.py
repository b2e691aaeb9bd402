"""Cutting an answer into the statements that it makes, whatever Markdown it is dressed in."""

# ruff: noqa: RUF001 - answers are written with typographic dashes and quotes

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from astrolabe.core.words import stems
from astrolabe.parts.sentences import sentence_spans

_MARKED_HEADING: Final = re.compile(r"#{1,6}\s|(?:\d+[.)]\s*)?(?P<stars>\*\*|__)[^*_]+(?P=stars):?\Z")
_PLAIN_HEADING: Final = re.compile(r"(?!\d{4})[^\W_][^|\[\]{}]*[^\W_)]\Z")
_RULE: Final = re.compile(r"[-=*_|:+\s]+\Z")
_LEADER: Final = re.compile(r"\A(?:[-*+•–>]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
_SOURCES: Final = re.compile(
    r"(?:key |selected |cited )?(?:references?|citations?|bibliography|sources|works cited|literature)(?: cited)?\Z",
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)|[*_]{2,}|(?<!\w)[*_]|[*_](?!\w)|`+")
_MARKS: Final = re.compile(r"[*_`\[]")
_NUMBERS: Final = re.compile(r"\s*\[\^?\d[\d\s,;–-]*\]")
_ASIDE: Final = re.compile(r"\s*\(([^()]{4,120})\)")
_NAMED_YEAR: Final = re.compile(r"\bet al\b|\b[A-Z][\w’'-]+,\s(?:19|20)\d\d[a-z]?\b|&.*\b(?:19|20)\d\d")
_CLAUSE: Final = re.compile(r"(?<=[;:])\s+|(?<!\s)\s+(?=[–—]\s)|(?<=,)\s+(?=(?:and|but|while|whereas|which|or)\s)")
LONGEST_WORDS: Final = 60
"""A longer sentence is cut at its clauses, so that a matcher reads all of it."""
_LONGEST_HEADING: Final = 160
_HEADING_WORDS: Final = 10
_LEAD_IN_WORDS: Final = 8
_CLAIM_STEMS: Final = 3


class Statement(NamedTuple):
    """A sentence or list item of an answer.

    `text` is without markup and citations. `heading` is the heading that it is the first statement under, else
    empty. `start` and `end` are its half-open place in the answer.
    """

    text: str
    heading: str
    start: int
    end: int

    @property
    def read_as(self) -> str:
        """The text as it is compared: a heading is read with the first statement under it."""
        return f"{self.heading}: {self.text}" if self.heading else self.text

    @property
    def is_claim(self) -> bool:
        """Whether it says something: a question does not, nor do fewer than three words of content."""
        return not self.text.endswith(("?", "？")) and len(stem_set(self.text)) >= _CLAIM_STEMS


@lru_cache(maxsize=20_000)
def stem_set(text: str) -> frozenset[str]:
    """Return the different stems of a text; a statement is compared with many others, so they are kept."""
    return frozenset(stems(text))


class _Line(NamedTuple):
    start: int
    end: int
    role: Literal["heading", "lead-in", "sources", "text"]
    title: str = ""


def statements(text: str) -> list[Statement]:
    r"""Return the statements of an answer, in order.

    A heading is read with the first statement under it; a heading with nothing under it is a statement. Left out
    are rules, fences, and lists of sources (from a heading such as "References" to the next heading): they are not
    what the answer says. The cells of a table's row are one statement. A sentence of more than 60 words is cut at
    its clauses.

    Examples:
        >>> [said.read_as for said in statements("## Risks\n- **Cost** rises [3].\n- Demand falls.")]
        ['Risks: Cost rises.', 'Demand falls.']
    """
    found: list[Statement] = []
    above: list[_Line] = []
    in_sources = False
    for line in _lines(text):
        if line.role == "sources":
            in_sources, above = True, []
        elif line.role == "heading" or (line.role == "lead-in" and not in_sources):
            in_sources = False
            above.append(line)
        elif line.role == "text" and not in_sources:
            said = _said(text, line, ": ".join(title.title for title in above))
            found += said
            above = [] if said else above
    return [*found, *(Statement(title.title, "", title.start, title.end) for title in above)]


def _said(text: str, line: _Line, heading: str) -> list[Statement]:
    pieces = [(start, end, _bare(text[start:end])) for start, end in _pieces(text, line.start, line.end)]
    said = [Statement(bare, "", start, end) for start, end, bare in pieces if bare]
    return [said[0]._replace(heading=heading), *said[1:]] if said else []


def _lines(text: str) -> Iterator[_Line]:
    """Yield headings, list items, rows and sentences of running text."""
    for start, end in sentence_spans(text):
        place = start
        for raw in text[start:end].split("\n"):
            stop = place + len(raw)
            if raw.strip():
                yield _heading(text, place, stop) or _Line(place, stop, "text")
            place = stop + 1


def _heading(text: str, start: int, end: int) -> _Line | None:
    raw = text[start:end].strip()
    if len(raw) > _LONGEST_HEADING:
        return None
    bare = _bare(raw)
    title = bare.rstrip(":：").strip()
    if not title:
        return None
    if _SOURCES.match(title):
        return _Line(start, end, "sources")
    if _MARKED_HEADING.match(raw) or _stands_alone(text, start, end):
        return _Line(start, end, "heading", title)
    leads_in = title != bare and len(bare.split()) <= _LEAD_IN_WORDS
    return _Line(start, end, "lead-in", title) if leads_in else None


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether a line without marks is a heading: short, unended, after an empty line and before text."""
    line = text[start:end].strip()
    if len(line.split()) > _HEADING_WORDS or not _PLAIN_HEADING.match(line) or not text[end:].strip():
        return False
    before = text[:start].rstrip(" \t")
    after = text[end:].lstrip(" \t")
    return (not before or before.endswith("\n\n")) and after.startswith("\n") and not _opens_alike(after)


def _opens_alike(after: str) -> bool:
    """Return whether what follows is another short unended line: then both are items of a list, not headings."""
    following = after.strip().split("\n", 1)[0].strip()
    return len(following.split()) <= _HEADING_WORDS and bool(_PLAIN_HEADING.match(following))


def _bare(raw: str) -> str:
    """Return a line's words: no list mark, no markup, no citation; nothing for a rule or a fence."""
    line = " ".join(raw.split())
    if line.startswith(("```", "~~~")) or _RULE.match(line):
        return ""
    line = _LEADER.sub("", line.lstrip("#").strip())
    if _MARKS.search(line):
        line = _MARKUP.sub(r"\1", line)
    if "[" in line or "(" in line:
        line = _ASIDE.sub(_without_source, _NUMBERS.sub("", line))
    if line.startswith("|"):
        line = "; ".join(cell.strip() for cell in line.strip("|").split("|") if cell.strip())
    return " ".join(line.split())


def _without_source(aside: re.Match[str]) -> str:
    return "" if _NAMED_YEAR.search(aside[1]) else aside[0]


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a sentence whole, or in clauses of at most `LONGEST_WORDS` words where it is longer."""
    if len(text[start:end].split()) <= LONGEST_WORDS:
        yield start, end
        return
    borders = [*(found.end() + start for found in _CLAUSE.finditer(text[start:end])), end]
    begin = last = start
    for border in borders:
        if len(text[begin:border].split()) > LONGEST_WORDS and last > begin:
            yield begin, last
            begin = last
        last = border
    while len(text[begin:end].split()) > LONGEST_WORDS:
        stop = begin + [found.end() for found in re.finditer(r"\S+\s*", text[begin:end])][LONGEST_WORDS - 1]
        yield begin, stop
        begin = stop
    if text[begin:end].strip():
        yield begin, end
