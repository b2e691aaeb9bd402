"""A bridge through a graph: shortest paths from one entity to the next, and what lies on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, cast

import numpy as np

from astrolabe.parts.apart import Arrays, apart
from astrolabe.parts.entity_graph import EntityGraph, Places

_HEAVY_STEPS: Final = 5_000_000
"""Edges times searches from which finding paths takes longer than starting a process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """What joins some entities.

    Attributes:
        entities: The places of all entities on the paths, each once, in the order of the walk.
        relations: The places of all relations between two of them, ascending.
        missing: Pairs of neighbours in the given order that no path joins.
    """

    entities: tuple[int, ...]
    relations: tuple[int, ...]
    missing: tuple[tuple[int, int], ...]


async def bridge(graph: EntityGraph, entities: Sequence[int]) -> Bridge:
    """Return the shortest paths, by the number of relations, from each entity to the next; a pair without is skipped.

    Of equally short paths it is always the same one: entities are visited in the graph's order.

    Args:
        graph: Relations lead in both directions.
        entities: Places in the order in which they are joined; one that comes twice counts once; fewer than two
            are joined by nothing.
    """
    chosen = list(dict.fromkeys(entities))
    arrays = {"size": np.array(len(graph.entities)), "ends": graph.ends, "stops": np.array(chosen, dtype=np.int64)}
    found = await apart(walk, arrays, heavy=len(chosen) * len(graph.relations) > _HEAVY_STEPS)
    visited = found["visited"].astype(np.int64)
    inside = np.isin(graph.ends, visited).all(axis=1)
    pairs = list(pairwise(chosen))
    joined: list[bool] = found["joined"].tolist()
    return Bridge(
        entities=tuple(visited.tolist()),
        relations=tuple(np.flatnonzero(inside).tolist()),
        missing=tuple(pair for pair, has_path in zip(pairs, joined, strict=True) if not has_path),
    )


def walk(arrays: Arrays) -> Arrays:
    """Return the nodes on the paths between neighbouring stops, in order, and which pairs have a path."""
    from scipy.sparse import coo_array, csgraph

    size, stops = int(arrays["size"].item()), arrays["stops"].astype(np.int64)
    ends = arrays["ends"].astype(np.int64).reshape(-1, 2)
    both = np.concatenate([ends, ends[:, ::-1]])
    graph = coo_array((np.ones(len(both)), (both[:, 0], both[:, 1])), shape=(size, size)).tocsr()
    graph.sort_indices()
    visited: dict[int, None] = {}
    joined: list[bool] = []
    for start, end in pairwise(stops.tolist()):
        before = cast("Places", csgraph.breadth_first_order(graph, start, directed=True)[1])
        path = _path(before, start, end)
        joined.append(bool(path))
        visited.update(dict.fromkeys(path))
    return {"visited": np.array(list(visited), dtype=np.int64), "joined": np.array(joined, dtype=np.bool_)}


def _path(before: Places, start: int, end: int) -> list[int]:
    """Return the nodes from start to end; none where there is no path."""
    path = [end]
    while path[-1] != start:
        if before[path[-1]] < 0:
            return []
        path.append(int(before[path[-1]]))
    return path[::-1]
