"""Cutting a document into passages of so many tokens, at the best border in reach."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from astrolabe.core.ids import passage_id
from astrolabe.core.protocols import Cut
from astrolabe.core.records import Document, Passage, PassageKind
from astrolabe.corpus.atoms import Atoms, cut_atoms
from astrolabe.corpus.in_context import cut_in_context
from astrolabe.corpus.outline import Block, outline
from astrolabe.corpus.stretches import SPACES, Level, Stretches
from astrolabe.parts.page_names import IN_CONTEXT
from astrolabe.parts.sentences import sentence_spans


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

    A wiki's page is cut otherwise: see `cut_in_context`.

    Takes time linear in the text's length (times size / (size - overlap)). A document without text has
    no passages.
    """
    if not document.text.strip():
        return []
    if document.extra.get(IN_CONTEXT):
        return cut_in_context(document, cut)
    return list(_Cutter(document, cut).passages())


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
            yield self._passage(0, len(self._text), 0)  # characters that are no token, such as zero-width spaces
            return
        stretches = Stretches(text=self._text, atoms=self._atoms, levels=self._levels, cut=self._cut)
        for stretch in stretches.all():
            yield self._passage(stretch.start, stretch.end, stretch.tokens)

    def _passage(self, start: int, end: int, tokens: int) -> Passage:
        block = self._block_at(start)
        return Passage(
            id=passage_id(self._document.id, start, end),
            document_id=self._document.id,
            text=self._text[start:end],
            start=start,
            end=end,
            section=_section(block, start),
            kind=self._kind(start, end),
            tokens=tokens,
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
    words = [number for number in range(len(atoms)) if text[atoms.place(number) - 1] in SPACES]
    levels[words] = Level.WORD
    levels[atoms.at([start for start, _ in sentence_spans(text)])] = Level.SENTENCE
    levels[atoms.at([part for block in blocks for part in block.parts])] = Level.PART
    levels[atoms.at([block.start for block in blocks])] = Level.BLOCK
    levels[atoms.at([block.start for block in blocks if block.is_heading])] = Level.SECTION
    below = [block.start for above, block in pairwise(blocks) if above.is_heading]
    levels[atoms.at(below)] = Level.WORD
    return levels
