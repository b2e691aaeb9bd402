"""The nearest neighbours of rows as a graph, and the groups of rows that hang together in it."""

from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt

from astrolabe.core.protocols import Vectors

Places = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]
EXACT_ROWS: Final = 4_096
"""Up to so many rows every pair is compared; UMAP, too, searches approximately beyond."""
_BLOCK: Final = 512
_CELL: Final = 1_000
_CELLS_SEARCHED: Final = 4
_ROUNDS: Final = 4
_DECIMALS: Final = 1e6
_SEED: Final = 0
_SMALLEST: Final = 1e-9


class _Leiden(Protocol):
    """What the library's function takes."""

    def __call__(
        self, indptr: Places, indices: npt.NDArray[np.int32], data: Shares, n_nodes: int, *, seed: int
    ) -> tuple[float, dict[int, int]]: ...


class Graph(NamedTuple):
    """A symmetric graph, row by row: where each row's edges begin, where they lead, and their weights in (0, 1]."""

    starts: Places
    targets: Places
    weights: Shares


def graph_clusters(vectors: Vectors, count: int, threshold: float) -> list[list[int]]:
    """Return the Leiden communities (Traag et al. 2019) of the graph of nearest neighbours, made soft.

    A row belongs to its community, and to each other one whose share is above `threshold`: the odds that two of its
    edges, drawn by weight, lead there, given that both lead to one community. Squared so, a share is as sharp as the
    posterior of a mixture, and at 0.1 a row of real text is in 1.1 to 1.5 clusters.

    Args:
        vectors: At least two rows.
        count: How many neighbours a row names, at least 1 and below the number of rows.
        threshold: In [0, 1]; at 1 every row is in one cluster.

    Returns:
        Each cluster's rows, ascending; every row is in at least one.
    """
    import graspologic_native

    graph = neighbour_graph(vectors, count)
    leiden = cast("_Leiden", graspologic_native.leiden_csr)  # pyright: ignore[reportAttributeAccessIssue] - a native module
    found = leiden(graph.starts, graph.targets.astype(np.int32), graph.weights, len(vectors), seed=_SEED)[1]
    labels = np.array([found[row] for row in range(len(vectors))], dtype=np.int64)
    return _soft(graph, labels, threshold)


def neighbour_graph(vectors: Vectors, count: int) -> Graph:
    """Return the symmetric graph of nearest neighbours, no row joined to itself.

    The weight of a row's neighbours falls from 1 for the nearest by the row's own scale, the mean distance beyond
    that one, so that dense and thin regions count alike; what two rows say of each other is joined as a fuzzy union.
    Both as in UMAP (McInnes et al. 2018), but for its search for the scale.
    """
    places, similar = nearest_rows(vectors, count)
    beyond = similar[:, :1].astype(np.float64) - similar
    said = np.exp(-beyond / np.maximum(beyond.mean(axis=1, keepdims=True), _SMALLEST))
    said = np.maximum(said, _SMALLEST).ravel()
    rows, targets = np.repeat(np.arange(len(vectors)), count), places.ravel()
    codes = np.concatenate([rows * len(vectors) + targets, targets * len(vectors) + rows])
    edges, owners, counts = np.unique(codes, return_inverse=True, return_counts=True)
    both = np.concatenate([said, said])
    product = np.ones(len(edges))
    np.multiply.at(product, owners, both)
    sums = np.bincount(owners, weights=both).astype(np.float64)
    weights = sums - np.where(counts > 1, product, 0.0)
    starts = np.searchsorted(edges, np.arange(len(vectors) + 1) * len(vectors))
    return Graph(starts.astype(np.int64), edges % len(vectors), weights)


def nearest_rows(vectors: Vectors, count: int) -> tuple[Places, Vectors]:
    """Return each row's nearest other rows by cosine, nearest first, ties by place, and the cosines.

    Every pair is compared up to `EXACT_ROWS` rows. Beyond, rows are put into cells around centres and compared with
    the rows of the nearest cells, so that time grows with the rows and not with their pairs.

    Args:
        vectors: Rows of L2 norm 1, or of zeros: those are as near to every row as unrelated ones.
        count: How many neighbours, at least 1 and below the number of rows.

    Returns:
        Two arrays of the shape (rows, count).
    """
    places = np.empty((len(vectors), count), dtype=np.int64)
    similar = np.empty((len(vectors), count), dtype=np.float32)
    for asked, candidates in _cells(vectors, count) if len(vectors) > EXACT_ROWS else _blocks(len(vectors)):
        found = candidates[_nearest(vectors, asked, candidates, count)]
        places[asked] = found
        similar[asked] = np.vecdot(vectors[asked][:, None], vectors[found])
    return places, similar


def _nearest(vectors: Vectors, asked: Places, candidates: Places, count: int) -> Places:
    """Return the nearest candidates of each asked row, by their places among the candidates."""
    cosines = np.rint((vectors[asked] @ vectors[candidates].T) * _DECIMALS).astype(np.int64)
    cosines[asked[:, None] == candidates] = np.iinfo(np.int32).min
    # One number holds the cosine and, among equals, the place: no two candidates tie.
    codes = np.arange(len(candidates)) - cosines * len(candidates)
    among = np.argpartition(codes, count - 1, axis=1)[:, :count]
    order = np.argsort(np.take_along_axis(codes, among, axis=1), axis=1)
    return np.take_along_axis(among, order, axis=1).astype(np.int64)


def _soft(graph: Graph, labels: Places, threshold: float) -> list[list[int]]:
    rows = np.repeat(np.arange(len(labels)), np.diff(graph.starts))
    number = int(labels.max()) + 1
    codes, owners = np.unique(rows * number + labels[graph.targets], return_inverse=True)
    squared = np.bincount(owners, weights=graph.weights) ** 2
    to_row, to_label = np.divmod(codes, number)
    also = squared > threshold * np.bincount(to_row, weights=squared, minlength=len(labels))[to_row]
    own, other = np.arange(len(labels)) + labels * len(labels), to_row[also] + to_label[also] * len(labels)
    clusters, of_cluster = np.divmod(np.unique(np.concatenate([own, other])), len(labels))
    return [cluster.tolist() for cluster in np.split(of_cluster, np.flatnonzero(np.diff(clusters)) + 1)]


def _blocks(size: int) -> Iterator[tuple[Places, Places]]:
    every = np.arange(size)
    return ((every[start : start + _BLOCK], every) for start in range(0, size, _BLOCK))


def _cells(vectors: Vectors, count: int) -> Iterator[tuple[Places, Places]]:
    """Yield blocks of rows, each with the rows that it is compared with: those of the nearest cells.

    A cell that holds too few of them is compared with all rows.
    """
    centres = _centres(vectors)
    near = np.concatenate([_best_centres(vectors[block], centres) for block, _ in _blocks(len(vectors))])
    owners = near.ravel()
    order = np.argsort(owners, kind="stable")
    rows = order // near.shape[1]
    starts = np.searchsorted(owners[order], np.arange(len(centres) + 1))
    for cell in range(len(centres)):
        candidates = rows[starts[cell] : starts[cell + 1]]
        asked = candidates[near[candidates, 0] == cell]
        if len(candidates) <= count:
            candidates = np.arange(len(vectors))
        for start in range(0, len(asked), _BLOCK):
            yield asked[start : start + _BLOCK], candidates


def _best_centres(rows: Vectors, centres: Vectors) -> Places:
    count = min(_CELLS_SEARCHED, len(centres))
    return np.argsort(-(rows @ centres.T), axis=1, kind="stable")[:, :count].astype(np.int64)


def _centres(vectors: Vectors) -> Vectors:
    """Return centres of about a thousand rows each: rows drawn by a fixed seed, moved by a few rounds of k-means."""
    rng = np.random.default_rng(_SEED)
    sample = np.sort(rng.choice(len(vectors), size=min(len(vectors), 20 * _CELL), replace=False))
    rows = vectors[sample]
    centres = rows[np.sort(rng.choice(len(rows), size=-(-len(vectors) // _CELL), replace=False))]
    for _ in range(_ROUNDS):
        owners = np.argmax(rows @ centres.T, axis=1)
        sums = np.zeros_like(centres)
        np.add.at(sums, owners, rows)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(norms > 0, sums / np.where(norms > 0, norms, 1), centres)
    return centres
