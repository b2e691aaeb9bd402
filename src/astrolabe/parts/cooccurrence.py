"""Which texts share the most words: exact, block by block, without a table of all pairs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from astrolabe.core.words import STOP_WORDS, words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Places = npt.NDArray[np.int64]
_ROWS: Final = 128
"""How many texts are compared with all at a time: 10 million counts where there are 80,000 texts."""


class Worded(NamedTuple):
    """The words of some texts, in the order of their first occurrence, and which text has which."""

    words: tuple[str, ...]
    held: "csr_array"


def worded(texts: Sequence[str]) -> Worded:
    """Return the distinct words of texts and a matrix of ones, shape (texts, words).

    Words are compared as they are searched: case folded, of any script. Those of function (`STOP_WORDS`) and those
    without a letter are left out.
    """
    known: dict[str, int] = {}
    held = [sorted({known.setdefault(word, len(known)) for word in content_words(text)}) for text in texts]
    return Worded(tuple(known), _rows_of(held, len(known)))


def content_words(text: str) -> Iterator[str]:
    """Yield the words of a text that say what it is about, in order, with repetitions."""
    return (word for word in words(text) if word not in STOP_WORDS and any(map(str.isalpha, word)))


def most_shared(held: "csr_array") -> Places:
    """Return for each text the place of the other text with which it shares the most words, the first of equals.

    It is -1 where it shares none. Published code compares all pairs in a loop; this is the same result from a product
    of sparse blocks.

    Args:
        held: Which text has which word: 0 or 1, shape (texts, words).
    """
    size = cast("tuple[int, int]", held.shape)[0]
    best = np.full(size, -1, dtype=np.int64)
    across = cast("csr_array", held.T.tocsr())
    for first in range(0, size, _ROWS):
        shared = cast("csr_array", held[first : first + _ROWS] @ across)
        starts, others = cast("Places", shared.indptr), cast("Places", shared.indices)
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        # One number for how many and, the other way round, which: the highest is the first of those that share most.
        codes = cast("Places", shared.data).astype(np.int64) * size + (size - 1 - others)
        codes[others == rows + first] = -1
        some = np.flatnonzero(np.diff(starts))
        if not len(some):
            continue
        highest = np.maximum.reduceat(codes, starts[some])
        found = highest >= 0
        best[some[found] + first] = size - 1 - highest[found] % size
    return best


def _rows_of(held: Sequence[Sequence[int]], width: int) -> "csr_array":
    from scipy.sparse import csr_array

    starts = np.concatenate([[0], np.cumsum([len(row) for row in held], dtype=np.int64)])
    columns = np.fromiter((place for row in held for place in row), dtype=np.int64, count=int(starts[-1]))
    return csr_array((np.ones(len(columns), dtype=np.int32), columns, starts), shape=(len(held), width))
