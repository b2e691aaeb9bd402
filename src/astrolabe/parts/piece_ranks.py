"""How central pieces of text are among all pieces of a scope: PageRank over who is most like whom (KET-RAG)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from astrolabe.core.records import Passage
from astrolabe.parts.apart import Arrays
from astrolabe.parts.cooccurrence import Places, most_shared
from astrolabe.parts.neighbours import nearest_others
from astrolabe.parts.pagerank import Numbers, Walk

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from astrolabe.core.protocols import Vectors


def piece_ranks(arrays: Arrays) -> Arrays:
    """Return `ranks`, each piece's PageRank, shape (pieces,), summing to 1; for `apart`.

    Every piece is tied to the one that shares the most words with it and to the one with the highest cosine.

    Args:
        arrays: `vectors`, unit rows of the pieces; `starts` and `words`, which piece has which word, row by row;
            `width`, how many words there are; `damping`.
    """
    from scipy.sparse import csr_array

    vectors, columns = cast("Vectors", arrays["vectors"]), cast("Places", arrays["words"])
    size, width = len(vectors), int(cast("Places", arrays["width"]))
    ones = np.ones(len(columns), dtype=np.int32)
    held = csr_array((ones, columns, cast("Places", arrays["starts"])), shape=(size, width))
    walk = Walk.over(tied(most_shared(held), nearest_others(vectors)))
    return {"ranks": walk.rank(np.ones(size), damping=float(cast("Numbers", arrays["damping"])))}


def tied(*chosen: Places) -> "csr_array":
    """Return the graph in which each piece is tied once, both ways, to each one that it chose (-1 for none)."""
    from scipy.sparse import csr_array

    size = len(chosen[0])
    sources = np.concatenate([np.flatnonzero(one >= 0) for one in chosen])
    targets = np.concatenate([one[one >= 0] for one in chosen])
    cells = np.unique(np.concatenate([sources * size + targets, targets * size + sources]))
    starts = np.searchsorted(cells, np.arange(size + 1) * size)
    return csr_array((np.ones(len(cells)), cells % max(1, size), starts), shape=(size, size))


def overlapping(passages: Sequence[Passage], pieces: Sequence[Passage]) -> list[dict[int, int]]:
    """Return for each passage the pieces (by their places) that it overlaps, in order, with the characters shared."""
    of_document: dict[str, list[int]] = {}
    for place, piece in enumerate(pieces):
        of_document.setdefault(piece.document_id, []).append(place)
    starts = {document: [pieces[place].start for place in own] for document, own in of_document.items()}
    found: list[dict[int, int]] = []
    for passage in passages:
        own = of_document.get(passage.document_id, [])
        first = max(0, int(np.searchsorted(starts.get(passage.document_id, []), passage.start, side="right")) - 1)
        shared: dict[int, int] = {}
        for place in own[first:]:
            if pieces[place].start >= passage.end:
                break
            shared[place] = min(passage.end, pieces[place].end) - max(passage.start, pieces[place].start)
        found.append({place: characters for place, characters in shared.items() if characters > 0})
    return found


def mean_ranks(shares: Sequence[dict[int, int]], ranks: Numbers) -> Numbers:
    """Return the mean rank of each passage's pieces, weighted by the characters that they share with it."""
    return np.array(
        [
            sum(ranks[place] * characters for place, characters in own.items()) / (sum(own.values()) or 1)
            for own in shares
        ],
        dtype=np.float64,
    )
