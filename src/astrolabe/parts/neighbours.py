"""Which rows are near which others: exact, over all pairs, block by block, so that no matrix of all pairs is held."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from astrolabe.core.protocols import Vectors

Places = npt.NDArray[np.int64]
_CELLS: Final = 4_000_000
"""How many cosines are held at a time: 16 MB."""
_DECIMALS: Final = 6


class Pairs(NamedTuple):
    """Pairs of rows by their places, and how near they are, in the same order."""

    sources: Places
    targets: Places
    scores: Vectors


def close_pairs(rows: Vectors, *, floor: float, most: int) -> Pairs:
    """Return the pairs of different rows whose cosine is at least `floor`, each once, by source and then target.

    Every row names its `most` nearest, of equally near ones the first; a pair counts where either end names the other.
    The source is the lower place. Cosines that differ by less than the sixth decimal are equal, so that neither the
    processor nor the order of its sums decides.

    Args:
        rows: Unit rows, shape (rows, dimensions); a row of zeros is near nothing.
        floor: Above 0.
        most: At least 1.
    """
    found: list[Pairs] = []
    for first, cosines in _blocks(rows):
        near, others = np.nonzero(cosines >= _least(cosines, floor, most))
        scores = cosines[near, others]
        order = np.lexsort((others, -scores, near))
        near = near[order]
        places = np.arange(len(near)) - np.searchsorted(near, near)
        order = order[places < most]
        sources, targets = near[places < most] + first, others[order]
        found.append(Pairs(np.minimum(sources, targets), np.maximum(sources, targets), scores[order]))
    return _each_once(found, len(rows))


def nearest_others(rows: Vectors) -> Places:
    """Return for each row the place of the other row with the highest cosine, the first of equals.

    It is -1 where no other row has a cosine above 0.

    Args:
        rows: Unit rows, shape (rows, dimensions).
    """
    nearest = np.full(len(rows), -1, dtype=np.int64)
    for first, cosines in _blocks(rows):
        best = cosines.argmax(axis=1)
        near = cosines[np.arange(len(best)), best] > 0
        nearest[first : first + len(best)][near] = best[near]
    return nearest


def _least(cosines: Vectors, floor: float, most: int) -> Vectors:
    """Return the floor of each row, or its `most` nearest's cosine where that is above it: fewer are then ordered."""
    if most >= cosines.shape[1]:
        return np.full((len(cosines), 1), floor, dtype=np.float32)
    place = cosines.shape[1] - most
    return np.maximum(np.partition(cosines, place, axis=1)[:, place : place + 1], np.float32(floor))


def _blocks(rows: Vectors) -> Iterator[tuple[int, Vectors]]:
    """Yield a block's first row and its rows' cosines to all rows, to themselves below any other."""
    height = max(1, _CELLS // max(1, len(rows)))
    columns = np.ascontiguousarray(rows, dtype=np.float32)
    for first in range(0, len(rows), height):
        cosines: Vectors = columns[first : first + height] @ columns.T
        np.round(cosines, _DECIMALS, out=cosines)
        own = np.arange(len(cosines))
        cosines[own, own + first] = -2.0
        yield first, cosines


def _each_once(found: list[Pairs], size: int) -> Pairs:
    if not found:
        nothing = np.zeros(0, dtype=np.int64)
        return Pairs(nothing, nothing, np.zeros(0, dtype=np.float32))
    sources, targets, scores = (np.concatenate([getattr(pairs, name) for pairs in found]) for name in Pairs._fields)
    _, once = np.unique(sources * size + targets, return_index=True)
    return Pairs(sources[once], targets[once], scores[once])
