"""How long the communities of a graph take: Leiden alone, and the forest with relations and passages around it.

    python benchmarks/communities.py [NODES EDGES]

Without sizes: three edges a node at 1,000, 10,000 and 50,000 nodes, with the growth per doubling of nodes (at most
2.6), then 50,000 nodes with 500,000 edges; last, clusters by likeness at 1,000 to 8,000 nodes, whose product of all
pairs grows with the square. Edges are drawn at random: Leiden needs longest where nothing hangs together. CPU
seconds, those of processes started included.
"""

import asyncio
import math
import os
import sys
import time
from collections.abc import Callable

import numpy as np

from astrolabe.parts.attributed_clusters import attributed
from astrolabe.parts.communities import forest_of, leiden
from astrolabe.parts.entity_graph import Entity, EntityGraph, Places, Relation

SIZES = (1_000, 10_000, 50_000)
DIMENSIONS = 384


def main() -> None:
    """Print a line a size."""
    given = [int(size) for size in sys.argv[1:3]]
    if len(given) == 2:  # noqa: PLR2004
        measured(*given)
        return
    sizes = [(size, 3 * size) for size in SIZES]
    grown("clustering", sizes, [measured(*size) for size in sizes])
    measured(50_000, 500_000)
    alike = [(size, 3 * size) for size in (1_000, 2_000, 4_000, 8_000)]
    grown("clusters by likeness", alike, [by_likeness(*size) for size in alike])


def measured(nodes: int, edges: int) -> float:
    """Print how long one graph takes; return the CPU seconds of the whole."""
    graph = graph_of(nodes, edges)
    arrays = {"size": np.array(nodes), "ends": graph.ends, "weights": np.ones(len(graph.ends))}
    arrays |= {"max_size": np.array(10), "largest": np.array(0)}
    alone = seconds(lambda: leiden(arrays))
    began = time.perf_counter()
    found = 0

    def whole() -> None:
        nonlocal found
        found = len(asyncio.run(forest_of(graph)).communities)

    spent = seconds(whole)
    say(
        f"{nodes:>7,} nodes {edges:>8,} edges: Leiden {alone:6.2f} s, forest {spent:6.2f} s of CPU "
        f"({time.perf_counter() - began:.2f} s on the clock), {found:,} communities"
    )
    return spent


def by_likeness(nodes: int, edges: int) -> float:
    """Print how long clusters of what is related and alike take; return the CPU seconds."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(nodes, DIMENSIONS)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    arrays = {"rows": rows, "ends": ends_of(nodes, edges), "max_size": np.array(15)}
    arrays |= {"percentile": np.array(0.7), "weighted": np.array(1)}
    spent = seconds(lambda: attributed(arrays))
    say(f"{nodes:>7,} nodes {edges:>8,} edges: clusters by likeness {spent:6.2f} s of CPU")
    return spent


def grown(what: str, sizes: list[tuple[int, int]], spent: list[float]) -> None:
    """Print by what a doubling of nodes multiplies the time, from size to size."""
    for (before, _), (after, _), first, second in zip(sizes, sizes[1:], spent, spent[1:], strict=False):
        factor = (second / max(first, 1e-9)) ** (1 / math.log2(after / before))
        say(f"        {what}, {before:,} to {after:,}: x {factor:.2f} a doubling")


def graph_of(nodes: int, edges: int) -> EntityGraph:
    """Return a graph whose entities have two passages each, about thirty entities a passage."""
    passages = max(1, nodes // 15)
    return EntityGraph(
        entities=[
            Entity(
                name=f"entity {place}",
                type="",
                description="",
                passages=(f"p{place % passages}", f"p{(place * 7 + 1) % passages}"),
            )
            for place in range(nodes)
        ],
        relations=[
            Relation(source=one, target=other, description="", keywords=(), weight=1.0, passages=())
            for one, other in ends_of(nodes, edges).tolist()
        ],
    )


def ends_of(nodes: int, edges: int) -> Places:
    """Return edges at random, each once."""
    ends = np.sort(np.random.default_rng(1).integers(0, nodes, (edges, 2)), axis=1)
    return np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0).astype(np.int64)


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of some work and of the processes that it waited for."""
    before = sum(os.times()[:4])
    work()
    return sum(os.times()[:4]) - before


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
    say(f"load of the machine {os.getloadavg()[0]:.1f}")
