"""Wikitext as Markdown blocks. Our own reader: linear in the page's length, whatever the page leaves open."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from astrolabe.documents.markdown import heading, one_line, paragraph
from astrolabe.documents.wiki_tables import wiki_table
from astrolabe.documents.wiki_templates import infobox_lines, is_infobox, read_template, template_text
from astrolabe.documents.wiki_text import BLOCK, one_value, plain_text, without_asides

_TOKEN: Final = re.compile(
    r"\{\{|\}\}|\[\[|\]\]|(?:^|(?<=\n))[ \t:*#]*\{\|(?![|}])|(?:^|(?<=\n))[ \t]*\|\}(?!\})",
)
_ENDS: Final = {"}}": "{{", "]]": "[[", "|}": "{|"}
_HEADING_LINE: Final = re.compile(r"^=+[^=\n].*=+\s*$", re.MULTILINE)
_HEADING: Final = re.compile(r"(={1,6})(.+?)(={1,6})")
_ITEM: Final = re.compile(r"([*#:;]+)\s*(.*)")
_INDENT: Final = " \t:*#"
_RULE: Final = re.compile(r"-{4,}")
_JUNK: Final = re.compile(r"\s*(?:\||!(?=[^!]*(?:!!|\|)))")
"""A row or a parameter of something that was never closed or never opened."""
_PLACED: Final = re.compile(f"{BLOCK}(\\d+){BLOCK}")
_PARENTHESIS: Final = re.compile(r"\s*\([^()]*\)$")
_HIDDEN: Final = ("file", "image", "category", "media")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,10})?")


_DEEPEST: Final = 40
"""MediaWiki, too, stops at 40 templates within one another."""


@dataclass(frozen=True, slots=True)
class Wikitext:
    """A page's Markdown blocks in order, and the templates that are left out, each with how often it stood there."""

    blocks: tuple[str, ...]
    left_out: Mapping[str, int]


def read_wikitext(text: str, *, hidden: tuple[str, ...] = _HIDDEN) -> Wikitext:
    """Return a page's text as Markdown blocks.

    Headings keep their level (the page's title is level 1), lists their items, tables their rows; an infobox is a list
    of lines `key: value`. Links are their words, references, pictures and categories are left out. Templates whose
    value a reader sees (numbers, units, dates, names, lists) become that value, all others are left out and counted.
    What is never closed stays as text. Takes time linear in the text's length.

    Args:
        text: The wikitext.
        hidden: The names, in lower case, of the namespaces of files and categories in the wiki's own language.
    """
    reader = _Reader(frozenset((*_HIDDEN, *hidden)))
    blocks = reader.blocks(reader.reduced(without_asides(text)))
    return Wikitext(tuple(blocks), reader.left_out)


@dataclass(slots=True)
class _Frame:
    opener: str = ""
    pieces: list[str] = field(default_factory=list[str])


class _Stack:
    """What is open: templates, links and tables, each with the pieces of text inside it so far."""

    def __init__(self) -> None:
        self.frames = [_Frame()]
        self._places: dict[str, list[int]] = {kind: [] for kind in _ENDS.values()}
        self._too_deep = Counter[str]()

    def add(self, text: str) -> None:
        """Add text to what was opened last."""
        self.frames[-1].pieces.append(text)

    def open(self, opener: str) -> None:
        """Open one more; what is opened too deep is text, and so is what closes it."""
        kind = opener.lstrip(_INDENT)
        if len(self.frames) > _DEEPEST:
            self._too_deep[kind] += 1
            self.add(opener)
            return
        self._places[kind].append(len(self.frames))
        self.frames.append(_Frame(opener))

    def closes(self, kind: str) -> bool:
        """Tell whether a closing mark closes something of the kind."""
        if self._too_deep[kind]:
            self._too_deep[kind] -= 1
            return False
        return self.has(kind)

    def has(self, kind: str) -> bool:
        """Tell whether one of the kind is open."""
        return bool(self._places[kind])

    def close(self, kind: str) -> str:
        """Return what stands inside the last one of the kind; what was opened inside it and not closed is text."""
        place = self._places[kind].pop()
        self.flatten(place)
        return "".join(self.frames.pop().pieces)

    def flatten(self, place: int) -> None:
        """Make text of everything that was opened after a place."""
        for frame in self.frames[place + 1 :]:
            self._places[frame.opener.lstrip(_INDENT)].pop()
            self.frames[place].pieces += (frame.opener, *frame.pieces)
        del self.frames[place + 1 :]


class _Reader:
    def __init__(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden
        self.left_out = Counter[str]()
        self._placed: list[str] = []

    def reduced(self, text: str) -> str:
        """Return the text with every template, link and table, the innermost first, as its own text."""
        close = {"{{": self._template, "[[": self._link, "{|": self._table}
        stack = _Stack()
        place = 0
        for found in _TOKEN.finditer(text):
            stack.add(text[place : found.start()])
            place = found.end()
            kind = _ENDS.get(found[0].strip())
            if kind is None:
                stack.open(found[0])
            elif stack.closes(kind):
                stack.add(close[kind](stack.close(kind)))
            else:
                stack.add(found[0])
        stack.add(text[place:])
        while stack.has("{|"):  # a table that nothing closes ends with the page
            stack.add(self._table(stack.close("{|")))
        stack.flatten(0)
        return "".join(stack.frames[0].pieces)

    def _table(self, body: str) -> str:
        """Return the table's place; what follows a heading inside was never meant to be in it."""
        above = _HEADING_LINE.search(body)
        inside, outside = (body[: above.start()], body[above.start() :]) if above else (body, "")
        written = wiki_table(inside)
        if BLOCK in inside:
            return f"\n\n{written}\n\n{outside}"
        return f"{self._place(written)}{outside}"

    def _place(self, block: str) -> str:
        if not block:
            return ""
        self._placed.append(block)
        return f"\n{BLOCK}{len(self._placed) - 1}{BLOCK}\n"

    def _template(self, body: str) -> str:
        inner = "".join(f"\n{found[0]}\n" for found in _PLACED.finditer(body))
        template = read_template(_PLACED.sub("", body) if inner else body)
        if is_infobox(template):
            return self._place("\n".join(infobox_lines(template))) + inner
        text = template_text(template)
        if text is None:
            self.left_out[template.name[:80]] += 1
            return ""
        return text + inner

    def _link(self, body: str) -> str:
        target, bar, shown = body.partition("|")
        space, colon, name = target.strip().partition(":")
        if colon and space and self._is_hidden(space.strip(), bar):
            return ""
        if "\n" in target:
            return f"[[{body}]]"
        if not bar:
            return target.strip().removeprefix(":")
        words = shown.rpartition("|")[2].strip()
        return words or _PARENTHESIS.sub("", name.strip() if colon else target.strip())

    def _is_hidden(self, space: str, bar: str) -> bool:
        lower = space.replace("_", " ").lower()
        return lower in self._hidden or (not bar and space == lower and _LANGUAGE.fullmatch(space) is not None)

    def blocks(self, text: str) -> list[str]:
        """Return reduced text as blocks."""
        blocks: list[str] = []
        running = _Running()
        for line in text.split("\n"):
            bare = line.strip()
            placed = _PLACED.fullmatch(bare)
            level = _HEADING.fullmatch(bare)
            if placed or level or not bare or _RULE.fullmatch(bare) or _JUNK.match(bare):
                blocks += running.ended()
                blocks += [self._placed[int(placed[1])]] if placed else filter(None, [_heading(level)])
            else:
                blocks += running.go_on(bare)
        return [*blocks, *running.ended()]


class _Running:
    """The paragraph or the list that is being written."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._marks = ""
        self._numbers: list[int] = []

    def go_on(self, line: str) -> list[str]:
        """Take one more line; return the block that it ends, if it ends one."""
        item = _ITEM.fullmatch(line)
        marks, text = (item[1], item[2]) if item else ("", line)
        said = plain_text(text).strip()
        if marks.strip(":") == "":
            before = self.ended() if self._numbers else []
            self._lines += filter(None, map(one_line, said.split("\n")))
            return before
        before = [] if self._numbers else self.ended()
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self._marks, marks, strict=False)))
        self._numbers = [*self._numbers[:same], *[0] * (len(marks) - same)]
        self._marks = marks
        self._numbers[-1] += 1
        if said:
            mark = f"{self._numbers[-1]}." if marks.endswith("#") else "-"
            self._lines.append(f"{'  ' * (len(marks) - 1)}{mark} {one_value(said)}")
        return before

    def ended(self) -> list[str]:
        """Return the block that was written, if there is one, and begin anew."""
        lines, numbers = self._lines, self._numbers
        self._lines, self._marks, self._numbers = [], "", []
        if not lines:
            return []
        return ["\n".join(lines)] if numbers else [paragraph(" ".join(lines))]


def _heading(found: re.Match[str] | None) -> str:
    if found is None:
        return ""
    title = one_line(plain_text(found[2]))
    return heading(max(2, min(len(found[1]), len(found[3]))), title) if title else ""
