"""The stretches of a text that passages are made of: at most so many tokens, ending at the best border in reach."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from astrolabe.core.protocols import Cut
from astrolabe.core.tokens import count_tokens
from astrolabe.corpus.atoms import Atoms

SPACES: Final = frozenset(" \n\t\r")
"""White space to Python and to the tokenizer; between it, tokens of parts add up to those of the whole."""


class Level(IntEnum):
    """How good a border is."""

    NONE = 0
    WORD = 1
    CLAUSE = 2
    SENTENCE = 3
    PART = 4
    BLOCK = 5
    SECTION = 6


class Stretch(NamedTuple):
    """A stretch by its atoms and by its half-open range of characters, and how many tokens it has."""

    first: int
    last: int
    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretches:
    """How a text of at least one atom is cut.

    Attributes:
        text: The text.
        atoms: Its pieces.
        levels: How good a border lies before each atom, and one more for the end.
        cut: The most tokens of a stretch, and how many two may share.
        keep_whole: Whether stretches share nothing rather than a part of a sentence.
    """

    text: str
    atoms: Atoms
    levels: npt.NDArray[np.uint8]
    cut: Cut
    keep_whole: bool = False

    def all(self) -> Iterator[Stretch]:
        """Yield the stretches, in order."""
        stretch: Stretch | None = None
        while stretch is None or stretch.last < len(self.atoms):
            stretch = self._following(stretch)
            yield stretch

    def _following(self, previous: Stretch | None) -> Stretch:
        done = previous.last if previous else 0
        first = self._overlapping(previous) if previous else 0
        stretch = self._fitted(first, done)
        cut_within = self.keep_whole and self.levels[stretch.last] < Level.SENTENCE and stretch.last < len(self.atoms)
        if first < done and (stretch.tokens > self.cut.size or cut_within):
            return self._fitted(done, done)
        return stretch

    def _overlapping(self, previous: Stretch) -> int:
        """Return where the next passage begins: at most `overlap` tokens before the last one's end."""
        if not self.cut.overlap:
            return previous.last
        earliest = max(previous.first + 1, self.atoms.first_within(previous.last, self.cut.overlap))
        levels = self.levels[earliest : previous.last]
        for level in (Level.SENTENCE,) if self.keep_whole else (Level.SENTENCE, Level.WORD):
            borders = np.flatnonzero(levels >= level)
            if len(borders):
                return earliest + int(borders[0])
        return previous.last if self.keep_whole else earliest

    def _fitted(self, first: int, done: int) -> Stretch:
        """Return the stretch that begins at an atom and ends at the best border beyond `done`."""
        last = self._best_end(first, done)
        tokens = self._count(first, last)
        while tokens > self.cut.size and last > max(first, done) + 1:
            last = max(last - max(1, tokens - self.cut.size), max(first, done) + 1)
            tokens = self._count(first, last)
        start, end = self.atoms.place(first), self.atoms.place(last)
        return Stretch(first, last, start, end, tokens)

    def _best_end(self, first: int, done: int) -> int:
        size, overlap = self.cut.size, 0 if self.keep_whole else self.cut.overlap
        furthest = max(self.atoms.last_within(first, size), done + 1)
        if furthest >= len(self.atoms):
            return len(self.atoms)
        soonest = max(self.atoms.last_within(first, overlap), first, done) + 1
        middle = min(max(self.atoms.last_within(first, size // 2) + 1, soonest), furthest)
        late = self.levels[middle : furthest + 1]
        if late.max() < Level.SENTENCE:
            early = np.flatnonzero(self.levels[soonest:middle] >= Level.SENTENCE)
            if len(early):
                return soonest + int(early[-1])
        return middle + int(np.flatnonzero(late == late.max())[-1])

    def _count(self, first: int, last: int) -> int:
        if self._is_apart(first) and self._is_apart(last):
            return self.atoms.tokens(first, last)
        return count_tokens(self.text[self.atoms.place(first) : self.atoms.place(last)])

    def _is_apart(self, atom: int) -> bool:
        place = self.atoms.place(atom)
        return place in {0, len(self.text)} or self.text[place - 1] in SPACES
