"""How long it takes to cluster rows for summary trees and hierarchies, and by how much more for twice as many.

    python benchmarks/trees.py [ROWS ...] [--reducer=neighbours|pca|umap]

Rows are made up: unit vectors of 384 dimensions around a topic for every 25 of them, each of 1,200 tokens. `clusters`
is one clustering, as for a layer of entities; `layer` is that of a tree: clusters of clusters, split until each holds
at most 3,500 tokens. Times are CPU seconds on one thread. The factor is for each doubling since the size before;
issue 4 asks for at most 2.6.
"""

import math
import os
import sys
import time
from collections.abc import Callable
from typing import cast

import numpy as np

from astrolabe.core.protocols import Vectors
from astrolabe.parts.soft_clusters import Reducer, SoftClusters, cluster_rows, unpacked
from astrolabe.parts.tree_layers import group_rows

SIZES = (1_000, 2_000, 4_000, 8_000, 10_000, 20_000, 50_000)
DIMENSIONS, ROWS_A_TOPIC, TOKENS, LIMIT = 384, 25, 1_200, 3_500


def made_up(rows: int, rng: np.random.Generator) -> Vectors:
    """Return rows around topics, at a cosine of about .75 to their topic's centre."""
    topics = rng.standard_normal((rows // ROWS_A_TOPIC + 1, DIMENSIONS), dtype=np.float32)
    noise = rng.standard_normal((rows, DIMENSIONS), dtype=np.float32)
    vectors = topics[rng.integers(0, len(topics), rows)] + 0.9 * noise
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def timed(work: Callable[[], object]) -> float:
    """Return the CPU seconds that work takes."""
    before = time.process_time()
    work()
    return time.process_time() - before


def measure(rows: int, how: SoftClusters, before: tuple[int, float, float] | None) -> tuple[int, float, float]:
    """Print one line; return the size and both times."""
    vectors = made_up(rows, np.random.default_rng(1))
    arrays = {"vectors": vectors, **how.as_arrays()}
    limits = {"tokens": np.full(rows, TOKENS, dtype=np.int64), "limit": np.array(LIMIT)}
    clusters, layer = timed(lambda: cluster_rows(arrays)), timed(lambda: group_rows({**arrays, **limits}))
    groups = unpacked(group_rows({**arrays, **limits})) if rows <= SIZES[3] else []
    growth = "        -         -"
    if before:
        doublings = math.log2(rows / before[0])
        factors = [
            (now / max(then, 1e-3)) ** (1 / doublings) for now, then in zip((clusters, layer), before[1:], strict=True)
        ]
        growth = f"{factors[0]:9.2f} {factors[1]:9.2f}"
    sys.stdout.write(f"{rows:>9,} {clusters:10.2f} {layer:10.2f} {growth} {len(groups) or '':>8}\n")
    sys.stdout.flush()
    return rows, clusters, layer


if __name__ == "__main__":
    options = [given.partition("=")[2] for given in sys.argv[1:] if given.startswith("--reducer=")]
    sizes = [int(given) for given in sys.argv[1:] if not given.startswith("--")] or SIZES
    chosen = SoftClusters(reducer=cast("Reducer", options[0] if options else "neighbours"))
    sys.stdout.write(
        f"{'rows':>9} {'clusters s':>10} {'layer s':>10} {'x doubled':>9} {'x doubled':>9} {'groups':>8}\n"
    )
    cluster_rows({"vectors": made_up(100, np.random.default_rng(0)), **chosen.as_arrays()})  # libraries are loaded
    last = None
    for size in sizes:
        last = measure(size, chosen, last)
    sys.stdout.write(f"load of the machine {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors\n")
