"""The smallest pieces that a text is cut into: tokens, never less than a character."""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from astrolabe.core.tokens import token_offsets


class Atoms:
    """Pieces of a text in order; a border may lie before each of them.

    What has no token, such as white space, belongs to the piece before it. Tokens that share a
    character, and marks that combine with the character before them, are one piece.
    """

    LONGEST: ClassVar[int] = 32
    """No token is longer than this many characters when it is counted by itself."""

    def __init__(self, length: int, starts: Sequence[int], tokens: Sequence[int]) -> None:
        """Keep the pieces' starts and their tokens; the first piece begins where the text does."""
        self._starts = np.array([*starts, length], dtype=np.int64)
        self._places = [0, *starts[1:], length] if starts else [0]
        self._before = [0, *accumulate(tokens)]

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self._places) - 1

    def place(self, atom: int) -> int:
        """Return the character offset of the border before an atom; after the last, the text's length."""
        return self._places[atom]

    def at(self, places: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the atoms that begin at or after each of the character offsets."""
        return np.searchsorted(self._starts, np.array(places, dtype=np.int64)).astype(np.int64)

    def tokens(self, first: int, last: int) -> int:
        """Return the tokens from one border to another."""
        return self._before[last] - self._before[first]

    def last_within(self, first: int, tokens: int) -> int:
        """Return the furthest border at most so many tokens behind the border `first`."""
        return bisect_right(self._before, self._before[first] + tokens) - 1

    def first_within(self, last: int, tokens: int) -> int:
        """Return the earliest border at most so many tokens before the border `last`."""
        return bisect_left(self._before, self._before[last] - tokens)


def cut_atoms(text: str, *, single_characters: bool) -> Atoms:
    """Return a text's pieces.

    Args:
        text: Any text.
        single_characters: Whether a token of several characters may be cut, which passages of very few
            tokens need: the end of a word can have more tokens alone than within its word.
    """
    starts: list[int] = []
    tokens: list[int] = []
    reached = 0
    for start, end in token_offsets(text):
        if starts and (start < reached or unicodedata.combining(text[start])):
            tokens[-1] += 1
        else:
            starts.append(start)
            tokens.append(1)
        if single_characters:
            for place in range(max(start, starts[-1]) + 1, end):
                if place >= reached and not unicodedata.combining(text[place]):
                    starts.append(place)
                    tokens.append(0)
        reached = max(reached, end)
    return Atoms(len(text), starts, tokens)
