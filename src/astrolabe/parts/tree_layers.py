"""The groups of a layer of a summary tree: rows that belong together, within what a summary may be made from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from astrolabe.core.protocols import Vectors
from astrolabe.parts.apart import Arrays, apart
from astrolabe.parts.soft_clusters import Cluster, SoftClusters, check_umap, packed, unpacked

Places = npt.NDArray[np.int64]
_DEPTH: Final = 20
"""How often a group that is too long is clustered again; the published limit."""
_LOCAL_NEIGHBOURS: Final = 10


async def grouped(vectors: Vectors, tokens: Sequence[int], how: SoftClusters, *, limit: int) -> list[Cluster]:
    """Return the groups of a layer's rows, by their first rows; every row is in at least one, none lies in another.

    Clusters are found twice, as published: among all rows, then within each cluster of more rows than the dimensions
    and one; a row may be in several. A group of more than `limit` tokens is clustered again, each row in one of its
    parts; where that finds no parts, or no more than dimensions and one are left, near rows are put together until
    the limit is reached. So a group of two rows or more is never above the limit.

    Where each group of two or more became one row of a next layer, that layer would have fewer rows: at least one
    less for each such group. Rows in several groups that would prevent it stay in their likeliest one. It fails only
    where no two rows fit together.

    Args:
        vectors: The rows, of L2 norm 1 or zeros.
        tokens: Each row's length.
        how: How rows are clustered.
        limit: The most tokens of a group of several rows.
    """
    if how.reducer == "umap":
        check_umap()
    arrays = {"vectors": vectors, "tokens": np.array(tokens, dtype=np.int64), "limit": np.array(limit)}
    found = await apart(group_rows, {**arrays, **how.as_arrays()}, heavy=how.heavy(len(vectors)))
    return unpacked(found)


def group_rows(arrays: Arrays) -> Arrays:
    """Group rows; see `grouped`."""
    layer = _Layer(arrays["vectors"].astype(np.float32), arrays["tokens"].astype(np.int64), int(arrays["limit"].item()))
    return packed(layer.groups(SoftClusters.from_arrays(arrays)))


def _uncontained(groups: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the groups that no other group contains, in order, each once."""
    distinct = sorted({frozenset(group) for group in groups}, key=sorted)
    holders: dict[int, list[frozenset[int]]] = {}
    for group in distinct:
        for row in group:
            holders.setdefault(row, []).append(group)
    return [tuple(sorted(group)) for group in distinct if not any(group < other for other in holders[min(group)])]


class _Layer:
    """Rows of a layer, and the most tokens of a group of theirs."""

    def __init__(self, vectors: Vectors, tokens: Places, limit: int) -> None:
        self._vectors = vectors
        self._tokens = tokens
        self._limit = limit

    def groups(self, how: SoftClusters) -> list[Cluster]:
        """Return the soft groups where they make a smaller layer, else those with each row in one."""
        every = np.arange(len(self._vectors))
        if not len(every):
            return []
        hard = replace(how, threshold=1.0)
        for first in (how, hard):
            within = [part for rows in self._clusters(every, first) for part in self._within(rows, hard, _DEPTH)]
            found = _uncontained(tuple(rows.tolist()) for rows in within)
            several = sum(len(rows) > 1 for rows in found)
            if several and len(found) + several <= len(every):
                return [list(rows) for rows in found]
        return [rows.tolist() for rows in self._filled(every)]

    def _clusters(self, rows: Places, how: SoftClusters) -> Iterator[Places]:
        """Yield clusters of clusters."""
        for coarse in how.of(self._vectors[rows]):
            members = rows[coarse]
            if len(members) <= how.dimensions + 1:
                yield members
                continue
            local = replace(how, neighbours=_LOCAL_NEIGHBOURS) if how.reducer == "umap" else how
            yield from (members[fine] for fine in local.of(self._vectors[members]))

    def _within(self, rows: Places, how: SoftClusters, depth: int) -> Iterator[Places]:
        """Yield the parts of a group that are within the limit."""
        if len(rows) == 1 or self._tokens[rows].sum() <= self._limit:
            yield rows
        elif len(rows) <= how.dimensions + 1:
            yield from self._filled(self._chain(rows))
        else:
            parts = list(self._clusters(rows, how)) if depth else []
            if len(parts) <= 1:
                # What cannot be told apart stands in its order.
                yield from self._filled(rows)
            for part in parts if len(parts) > 1 else ():
                yield from self._within(part, how, depth - 1)

    def _chain(self, rows: Places) -> Places:
        """Return a few rows from near to near: after the first always the nearest of the rest, ties in their order."""
        members = self._vectors[rows]
        cosines: Vectors = np.vecdot(members[:, None], members)
        similar = np.round(cosines, 6)
        order = [0]
        similar[:, 0] = -np.inf
        while len(order) < len(rows):
            order.append(int(similar[order[-1]].argmax()))
            similar[:, order[-1]] = -np.inf
        return rows[order]

    def _filled(self, rows: Places) -> Iterator[Places]:
        """Yield rows in their order, as many together as the limit takes."""
        start, spent = 0, 0
        for place, tokens in enumerate(self._tokens[rows].tolist()):
            if place > start and spent + tokens > self._limit:
                yield rows[start:place]
                start, spent = place, 0
            spent += tokens
        yield rows[start:]
