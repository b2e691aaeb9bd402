"""How long a search takes within a scope, embedding the query apart; the target is 5 ms at 20,000 passages.

    python benchmarks/search.py [PASSAGES ...]

Passages are made up: 384-dimensional vectors at random, and 200 words each drawn by Zipf's law from 50,000. The
shortest of many repeats is the machine's, the median is what a busy machine gives.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import cast

import numpy as np

from astrolabe.core.ids import passage_id
from astrolabe.core.protocols import Index, Kit, Side, Vectors
from astrolabe.core.records import Passage
from astrolabe.parts.bm25 import BM25
from astrolabe.parts.dense import Dense, DenseIndex

SIZES = (200, 2_000, 20_000, 100_000)
WORDS, VOCABULARY, DIMENSIONS, REPEATS = 200, 50_000, 384, 40
TARGET = {20_000: "  target 5 ms"}


class OneRow:
    """An embedder whose queries cost nothing."""

    id = "one row"
    window_tokens = 254

    def __init__(self, rng: np.random.Generator) -> None:
        self._row = unit(rng.standard_normal((1, DIMENSIONS), dtype=np.float32))

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:  # noqa: ARG002
        """Return the row."""
        return np.repeat(self._row, len(texts), axis=0)


def unit(rows: Vectors) -> Vectors:
    """Return the rows with norm 1."""
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def made_up(number: int, rng: np.random.Generator) -> list[Passage]:
    """Return passages that nobody wrote."""
    odds = 1 / np.arange(1, VOCABULARY + 1)
    drawn = rng.choice(VOCABULARY, size=(number, WORDS), p=odds / odds.sum())
    texts = (" ".join(f"w{word}" for word in row) for row in drawn.tolist())
    return [
        Passage(
            id=passage_id(str(place), 0, len(text)),
            document_id=str(place // 50),
            text=text,
            start=0,
            end=len(text),
            tokens=WORDS,
        )
        for place, text in enumerate(texts)
    ]


def dense_over(passages: Sequence[Passage], rng: np.random.Generator, folder: Path) -> DenseIndex:
    """Write vectors and map them again, as a study does."""
    embedder = OneRow(rng)
    np.save(folder / "vectors.npy", unit(rng.standard_normal((len(passages), DIMENSIONS), dtype=np.float32)))
    vectors: Vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    return DenseIndex.over(passages, vectors, np.arange(len(passages), dtype=np.int64), embedder)


async def timed(index: Index, queries: Sequence[str]) -> list[float]:
    """Return the milliseconds of each search, the first two left out."""
    taken: list[float] = []
    for query in queries:
        before = time.perf_counter()
        await index.search(query, k=10)
        taken.append((time.perf_counter() - before) * 1000)
    return taken[2:]


async def measure(number: int) -> None:
    """Print both searches' times over so many passages."""
    rng = np.random.default_rng(1)
    passages = made_up(number, rng)
    queries = [" ".join(f"w{word}" for word in rng.integers(1, 2_000, size=8)) for _ in range(REPEATS)]
    with tempfile.TemporaryDirectory() as folder:
        near = dense_over(passages, rng, Path(folder))
        before = time.process_time()
        scorer = await BM25().build(passages, cast("Kit", None))  # words need no model
        counted = time.process_time() - before
        for name, index in ((Dense.name, near), (BM25.name, scorer)):
            taken = await timed(index, queries)
            sys.stdout.write(f"{number:>9,} {name:<6} {min(taken):9.2f} {median(taken):9.2f}{TARGET.get(number, '')}\n")
    load = os.getloadavg()[0]
    sys.stdout.write(f"{number:>9,} words counted in {counted:.1f} CPU seconds; load of the machine {load:.1f}\n")


if __name__ == "__main__":
    sys.stdout.write(f"{'passages':>9} {'search':<6} {'best ms':>9} {'median ms':>9}\n")
    for size in [int(given) for given in sys.argv[1:]] or SIZES:
        asyncio.run(measure(size))
