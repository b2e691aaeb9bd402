"""Cutting a document into passages of so many tokens, at the best border in reach."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from astrolabe.core.ids import passage_id
from astrolabe.core.protocols import Cut
from astrolabe.core.records import Document, Passage, PassageKind
from astrolabe.core.tokens import count_tokens
from astrolabe.corpus.atoms import Atoms, cut_atoms
from astrolabe.corpus.outline import Block, outline
from astrolabe.parts.sentences import sentence_spans

_WORD: Final = 1
_SENTENCE: Final = 2
_PART: Final = 3
_BLOCK: Final = 4
_SECTION: Final = 5
_SPACES: Final = frozenset(" \n\t\r")
"""White space to Python and to the tokenizer; between it, tokens of parts add up to those of the whole."""


def cut_document(document: Document, cut: Cut) -> list[Passage]:
    """Return a document's passages in order.

    A passage has at most `cut.size` tokens; a single character that alone needs more is the one
    exception. It ends at the best border in its second half: of sections, then of blocks (paragraphs,
    tables, lists, code), then of table rows and list items, then of sentences, then of words, the last
    of its kind; a heading stays with what follows it. Where that half has no border of a sentence, the
    first half's last is taken; a sentence longer than a passage is cut at a word.

    The next passage begins where the last one ended, or up to `cut.overlap` tokens before, at the start
    of a sentence where there is one, else of a word. It always begins and ends after the one before.
    White space between passages belongs to the earlier one, so the texts without their overlaps are the
    document's text exactly.

    `section` holds the headings above the passage's first character. A table that is cut keeps its exact
    text, so where a passage begins below a table's header row, that row is the last entry of `section`.
    `kind` is what most of its characters are.

    Takes time linear in the text's length (times size / (size - overlap)). A document without text has
    no passages.
    """
    if not document.text.strip():
        return []
    return list(_Cutter(document, cut).passages())


@dataclass(frozen=True, slots=True)
class _Stretch:
    first: int
    last: int
    tokens: int


class _Cutter:
    def __init__(self, document: Document, cut: Cut) -> None:
        self._document = document
        self._text = document.text
        self._cut = cut
        self._blocks = outline(self._text)
        self._starts = [block.start for block in self._blocks]
        self._atoms = cut_atoms(self._text, single_characters=cut.size < Atoms.LONGEST)
        self._levels = _levels(self._text, self._atoms, self._blocks)

    def passages(self) -> Iterator[Passage]:
        """Yield the passages, in order."""
        if not len(self._atoms):
            yield self._passage(_Stretch(0, 0, 0))  # characters that are no token, such as zero-width spaces
            return
        stretch: _Stretch | None = None
        while stretch is None or stretch.last < len(self._atoms):
            stretch = self._following(stretch)
            yield self._passage(stretch)

    def _following(self, previous: _Stretch | None) -> _Stretch:
        done = previous.last if previous else 0
        first = self._overlapping(previous) if previous else 0
        stretch = self._fitted(first, done)
        if stretch.tokens > self._cut.size and first < done:
            return self._fitted(done, done)
        return stretch

    def _overlapping(self, previous: _Stretch) -> int:
        """Return where the next passage begins: at most `overlap` tokens before the last one's end."""
        if not self._cut.overlap:
            return previous.last
        earliest = max(previous.first + 1, self._atoms.first_within(previous.last, self._cut.overlap))
        levels = self._levels[earliest : previous.last]
        for level in (_SENTENCE, _WORD):
            borders = np.flatnonzero(levels >= level)
            if len(borders):
                return earliest + int(borders[0])
        return earliest

    def _fitted(self, first: int, done: int) -> _Stretch:
        """Return the stretch that begins at an atom and ends at the best border beyond `done`."""
        last = self._best_end(first, done)
        tokens = self._count(first, last)
        while tokens > self._cut.size and last > max(first, done) + 1:
            last = max(last - max(1, tokens - self._cut.size), max(first, done) + 1)
            tokens = self._count(first, last)
        return _Stretch(first, last, tokens)

    def _best_end(self, first: int, done: int) -> int:
        size, overlap = self._cut.size, self._cut.overlap
        furthest = max(self._atoms.last_within(first, size), done + 1)
        if furthest >= len(self._atoms):
            return len(self._atoms)
        soonest = max(self._atoms.last_within(first, overlap), first, done) + 1
        middle = min(max(self._atoms.last_within(first, size // 2) + 1, soonest), furthest)
        late = self._levels[middle : furthest + 1]
        if late.max() < _SENTENCE:
            early = np.flatnonzero(self._levels[soonest:middle] >= _SENTENCE)
            if len(early):
                return soonest + int(early[-1])
        return middle + int(np.flatnonzero(late == late.max())[-1])

    def _count(self, first: int, last: int) -> int:
        if self._is_apart(first) and self._is_apart(last):
            return self._atoms.tokens(first, last)
        return count_tokens(self._text[self._atoms.place(first) : self._atoms.place(last)])

    def _is_apart(self, atom: int) -> bool:
        place = self._atoms.place(atom)
        return place in {0, len(self._text)} or self._text[place - 1] in _SPACES

    def _passage(self, stretch: _Stretch) -> Passage:
        start, end = self._atoms.place(stretch.first), self._atoms.place(stretch.last)
        if not len(self._atoms):
            end = len(self._text)
        block = self._block_at(start)
        return Passage(
            id=passage_id(self._document.id, start, end),
            document_id=self._document.id,
            text=self._text[start:end],
            start=start,
            end=end,
            section=_section(block, start),
            kind=self._kind(start, end),
            tokens=stretch.tokens,
        )

    def _block_at(self, place: int) -> Block:
        return self._blocks[max(0, bisect_right(self._starts, place) - 1)]

    def _kind(self, start: int, end: int) -> PassageKind:
        number = max(0, bisect_right(self._starts, start) - 1)
        lengths = Counter[PassageKind]()
        while number < len(self._blocks) and (number == 0 or self._starts[number] < end):
            following = self._starts[number + 1] if number + 1 < len(self._starts) else len(self._text)
            lengths[self._blocks[number].kind] += min(end, following) - max(start, self._starts[number])
            number += 1
        return max(lengths, key=lambda kind: lengths[kind])


def _section(block: Block, start: int) -> tuple[str, ...]:
    below_header = block.header is not None and block.parts and start >= block.parts[0]
    return (*block.section, block.header) if below_header and block.header else block.section


def _levels(text: str, atoms: Atoms, blocks: list[Block]) -> npt.NDArray[np.uint8]:
    """Return how good a border lies before each atom, and one more for the end."""
    levels = np.zeros(len(atoms) + 1, dtype=np.uint8)
    words = [number for number in range(len(atoms)) if text[atoms.place(number) - 1] in _SPACES]
    levels[words] = _WORD
    levels[atoms.at([start for start, _ in sentence_spans(text)])] = _SENTENCE
    levels[atoms.at([part for block in blocks for part in block.parts])] = _PART
    levels[atoms.at([block.start for block in blocks])] = _BLOCK
    levels[atoms.at([block.start for block in blocks if block.is_heading])] = _SECTION
    below = [block.start for above, block in pairwise(blocks) if above.is_heading]
    levels[atoms.at(below)] = _WORD
    return levels
