"""Lines of a printed page back into headings and paragraphs."""

# ruff: noqa: RUF001 - bullets, dashes and marks of other scripts are what is looked for

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from astrolabe.documents.markdown import heading, one_line

_BULLET: Final = re.compile(r"[•‣▪●◦■–—]\s|\(?\d{1,2}[.)]\s")
_SENTENCE_END: Final = re.compile(r"[.!?:。！？][\"'”’)\]\d]*$")
_WORD: Final = re.compile(r"[^\W\d_]+")
_COMPOUND: Final = re.compile(r"[^\W\d_]+-[^\W\d_]+")
_LARGER: Final = 1.08
"""A heading's type is at least this many times the size of the body's."""
_LONGEST_HEADING: Final = 150
_MOST_HEADINGS: Final = 0.2
"""More of the print than this is not in headings."""
_SHORT_LINE: Final = 0.75
_WIDE_GAP: Final = 1.35
_FEWEST_PAGES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedLine:
    """A line as printed: its place on the page in points from the lower left, and its type size.

    `broken` says that its last word goes on in the next line, where the printer put a hyphen;
    `in_margin` that it stands so near to the page's upper or lower edge as running heads and feet do.
    """

    text: str
    page: int
    left: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    size: float = 0.0
    broken: bool = False
    in_margin: bool = False


def reflow(lines: Sequence[PrintedLine]) -> str:
    """Return the lines as Markdown: larger type becomes headings, the rest paragraphs."""
    if not lines:
        return ""
    return _Reflow(lines).text()


def without_running_lines(pages: Sequence[Sequence[PrintedLine]]) -> tuple[list[PrintedLine], int]:
    """Return all lines but the repeats of running heads and feet, and how many were left out.

    A line in a page's margin that stands in the margins of more than half of at least three pages,
    numbers aside, is kept where it comes first.
    """
    often = Counter[str]()
    for page in pages:
        often.update({_without_numbers(line) for line in page if line.in_margin})
    least = max(_FEWEST_PAGES, len(pages) // 2 + 1)
    running = {text for text, count in often.items() if count >= least}
    kept: list[PrintedLine] = []
    seen: set[str] = set()
    for page in pages:
        for line in page:
            text = _without_numbers(line)
            if line.in_margin and text in running:
                if text in seen:
                    continue
                seen.add(text)
            kept.append(line)
    return kept, sum(map(len, pages)) - len(kept)


def _without_numbers(line: PrintedLine) -> str:
    return re.sub(r"\d+", "#", one_line(line.text))


class _Reflow:
    def __init__(self, lines: Sequence[PrintedLine]) -> None:
        self._lines = lines
        self._size = _body_size(lines)
        body = [line for line in lines if abs(line.size - self._size) < 0.1 * max(self._size, 1)]
        self._width = median(line.right - line.left for line in body or lines)
        gaps = [
            a.bottom - b.bottom for a, b in pairwise(body) if a.page == b.page and a.bottom - b.bottom > self._size / 2
        ]
        self._pitch = median(gaps) if gaps else 1.2 * self._size
        self._sizes = sorted({round(line.size, 1) for line in lines if self._is_large(line)}, reverse=True)
        self._words = Counter(word.lower() for line in lines for word in _WORD.findall(line.text))
        self._compounds = {word.lower() for line in lines for word in _COMPOUND.findall(line.text)}

    def text(self) -> str:
        """Return the lines as paragraphs with empty lines between."""
        blocks: list[str] = []
        group: list[PrintedLine] = []
        for line in self._lines:
            if group and self._is_new_block(group, line):
                blocks.append(self._block(group))
                group = []
            group.append(line)
        blocks.append(self._block(group))
        return "\n\n".join(filter(None, blocks))

    def _is_large(self, line: PrintedLine) -> bool:
        return line.size >= _LARGER * self._size and re.search(r"[^\W\d_]{2}", line.text) is not None

    def _is_new_block(self, group: Sequence[PrintedLine], line: PrintedLine) -> bool:
        last = group[-1]
        if last.broken or _same_row(last, line):
            return False
        if self._is_large(last) != self._is_large(line) or abs(last.size - line.size) > 0.12 * last.size:
            return True
        gap = last.bottom - line.bottom
        if last.page != line.page or gap <= 0:
            return self._is_large(line) or not line.text[:1].islower() or bool(_SENTENCE_END.search(last.text))
        if gap > _WIDE_GAP * max(self._pitch, 1.2 * line.size if self._is_large(line) else 0):
            return True
        return not self._is_large(line) and self._starts_paragraph(group, line)

    def _starts_paragraph(self, group: Sequence[PrintedLine], line: PrintedLine) -> bool:
        if _BULLET.match(line.text):
            return True
        last = group[-1]
        if not _SENTENCE_END.search(last.text):
            return False
        indented = line.left > last.left + 0.6 * line.size
        column = max(one.right for one in group)
        return indented or last.right < column - 0.1 * self._width

    def _block(self, group: Sequence[PrintedLine]) -> str:
        text = self._joined(group)
        if self._is_large(group[0]) and len(text) <= _LONGEST_HEADING:
            level = self._sizes.index(round(group[0].size, 1)) + 1
            return heading(level, text)
        # A line of print that begins like Markdown's headings is none.
        return re.sub(r"^(#{1,6} )", r"\\\1", text.strip(), flags=re.MULTILINE)

    def _joined(self, group: Sequence[PrintedLine]) -> str:
        text = one_line(group[0].text)
        for last, line in pairwise(group):
            if last.broken:
                text = self._mended(text, one_line(line.text))
            else:
                text += self._between(last, line) + one_line(line.text)
        return text

    def _between(self, last: PrintedLine, line: PrintedLine) -> str:
        if _same_row(last, line):
            return "" if line.left - last.right < 0.15 * last.size else " "
        short = last.right - last.left < _SHORT_LINE * self._width
        return "\n" if short and not line.text[:1].islower() and not self._is_large(line) else " "

    def _mended(self, text: str, following: str) -> str:
        """Join a word that was broken at a line's end; a hyphen that belongs to it stays."""
        before, after = re.search(r"[^\W\d_]*$", text), re.match(r"[^\W\d_]*", following)
        first = before[0].lower() if before else ""
        second = after[0].lower() if after else ""
        whole = first + second
        apart = self._words[whole] == 0 and len(first) > 3 and len(second) > 3  # noqa: PLR2004 - syllables are shorter
        is_compound = f"{first}-{second}" in self._compounds or (
            apart and self._words[first] > 1 and self._words[second] > 1
        )
        return f"{text}-{following}" if is_compound or not (first and second) else text + following


def _same_row(last: PrintedLine, line: PrintedLine) -> bool:
    near = abs(last.bottom - line.bottom) < 0.6 * max(last.size, line.size)
    return last.page == line.page and near and line.left >= last.right - 0.3 * last.size


def _body_size(lines: Iterable[PrintedLine]) -> float:
    """Return the size of most of the print; where much is larger (the most is code), of most of that."""
    sizes = Counter[float]()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    # Where a page's lines could not be placed they have no size: they count as body.
    if len(sizes) > 1:
        del sizes[0.0]
    all_of_it = sizes.total()
    while True:
        size = sizes.most_common(1)[0][0]
        sizes = Counter({one: count for one, count in sizes.items() if one > size and one >= _LARGER * size})
        if sizes.total() <= _MOST_HEADINGS * all_of_it:
            return size
