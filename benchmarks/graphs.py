"""How long it takes to make a graph of what was read, without any model; each doubling should cost at most 2.6 times.

    python benchmarks/graphs.py [PASSAGES ...]

Extractions are made up: 12 entities and 10 relations a passage. Half of the mentions are of a thing that was not
mentioned before, the others of known ones, the more often mentioned the likelier, so that some things are hubs. Each
size runs in a process of its own; times are those of the processors, of child processes, too, so that a busy machine
changes them less.
"""

import asyncio
import math
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np

from astrolabe.core.protocols import Gaps, Kit, Side, Vectors
from astrolabe.parts.around import around_entities, entity_row, relation_row
from astrolabe.parts.communities import forest_of
from astrolabe.parts.described_graph import described, load_graph, save_graph
from astrolabe.parts.entity_graph import EntityGraph, merged
from astrolabe.parts.entity_vectors import entity_text
from astrolabe.parts.extract import ExtractedEntity, ExtractedRelation, Extraction
from astrolabe.parts.relation_vectors import relation_text
from astrolabe.parts.sections import Section, packed
from astrolabe.parts.vectors import TextVectors

SIZES = (1_000, 10_000, 50_000)
ENTITIES, RELATIONS, NEW, QUESTIONS, FOUND = 12, 10, 0.5, 50, 60
TARGET = 2.6
_MEGABYTES = 1024
NEVER = 10**9


class NoVectors:
    """An embedder that costs nothing: what is measured is cutting texts into windows."""

    id = "no vectors"
    window_tokens = 254

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:  # noqa: ARG002
        """Return rows of one place."""
        return np.ones((len(texts), 1), dtype=np.float32)


def made_up(passages: int, rng: np.random.Generator) -> dict[str, Extraction]:
    """Return extractions of texts that nobody wrote."""
    mentioned: list[int] = []
    known = 0
    read: dict[str, Extraction] = {}
    for place in range(passages):
        here: list[int] = []
        for fresh, chance in zip(rng.random(ENTITIES) < NEW, rng.random(ENTITIES), strict=True):
            if fresh or not mentioned:
                here.append(known)
                known += 1
            else:
                here.append(mentioned[int(chance * len(mentioned))])
        mentioned += here
        read[f"p{place}"] = _extraction(here, place)
    return read


def _extraction(things: Sequence[int], place: int) -> Extraction:
    names = [f"Thing {thing} of {thing % 97}" for thing in things]
    return Extraction(
        entities=tuple(
            ExtractedEntity(
                name=name, type="concept", description=f"{name} is what passage {place} speaks of, at length."
            )
            for name in names
        ),
        relations=tuple(
            ExtractedRelation(
                source=one,
                target=other,
                description=f"{one} led to {other} in {place}.",
                keywords=("a theme",),
                strength=5,
            )
            for one, other in list(pairwise(names))[:RELATIONS]
        ),
    )


def cpu_seconds() -> float:
    """Return what this process and those that it waited for have taken of the processors."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def peak_megabytes() -> float:
    """Return the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTES


@contextmanager
def timed(steps: dict[str, float], name: str) -> Generator[None]:
    """Note what a block takes."""
    began = cpu_seconds()
    yield
    steps[name] = cpu_seconds() - began


def measured(passages: int) -> Mapping[str, float]:
    """Return the seconds of each step, and what came of it."""
    return asyncio.run(_measured(passages))


async def _measured(passages: int) -> Mapping[str, float]:
    steps: dict[str, float] = {}
    rng = np.random.default_rng(passages)
    read = made_up(passages, rng)
    before = peak_megabytes()
    with timed(steps, "merge"):
        graph = merged(read, Gaps(asked=passages))
    with timed(steps, "find what to describe"):
        await described(graph, cast("Kit", None), at=NEVER)
    with timed(steps, "degrees and neighbours"):
        graph.relations_of(0)
    with timed(steps, "matrix"):
        graph.adjacency()
    memory = peak_megabytes() - before
    with timed(steps, "communities"):
        await forest_of(graph, max_size=10)
    await _kept(graph, steps)
    await _timed(steps, "texts of entities", lambda: TextVectors.over([*map(entity_text, graph.entities)], NoVectors()))
    texts = [relation_text(graph, place) for place in range(len(graph.relations))]
    await _timed(steps, "texts of relations", lambda: TextVectors.over(texts, NoVectors()))
    with timed(steps, f"{QUESTIONS} questions"):
        for _ in range(QUESTIONS):
            _asked(graph, rng.integers(0, len(graph.entities), FOUND).tolist())
    sizes = {
        "entities": len(graph.entities),
        "relations": len(graph.relations),
        "graph MB": memory,
        "peak MB": peak_megabytes(),
    }
    return {**steps, **sizes}


async def _timed(steps: dict[str, float], name: str, work: Callable[[], Awaitable[object]]) -> None:
    with timed(steps, name):
        await work()


async def _kept(graph: EntityGraph, steps: dict[str, float]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with timed(steps, "save"):
            save_graph(graph, Path(folder))
        with timed(steps, "load"):
            load_graph(Path(folder))


def _asked(graph: EntityGraph, entities: Sequence[int]) -> None:
    found = around_entities(graph, entities)
    rows = (
        [entity_row(graph, place) for place in found.entities],
        [relation_row(graph, place) for place in found.relations],
    )
    packed([Section(title="S", rows=own, tokens=4_000) for own in rows], limit=6_000)


def main(sizes: Sequence[int]) -> None:
    """Measure all sizes and print a line a step."""
    began = time.monotonic()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        columns = list(pool.map(measured, sizes))
    sys.stdout.write(f"{'passages':>24}" + "".join(f"{size:>12,}" for size in sizes) + "   a doubling\n")
    for name in columns[0]:
        values = [column[name] for column in columns]
        pairs = list(zip(pairwise(sizes), pairwise(values), strict=True))
        growth = [(high / low) ** (1 / math.log2(more / few)) for (few, more), (low, high) in pairs if low > 0]
        told = " ".join(f"{one:.2f}" for one in growth)
        late = "  over the target" if max(growth, default=0) > TARGET else ""
        sys.stdout.write(f"{name:>24}" + "".join(f"{value:>12,.2f}" for value in values) + f"   {told}{late}\n")
    sys.stdout.write(f"{time.monotonic() - began:.0f} s by the clock\n")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or SIZES)
