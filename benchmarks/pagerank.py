"""How long one question's personalised PageRank takes; the target is about 30 ms at 50,000 nodes and 500,000 edges.

    python benchmarks/pagerank.py [NODES EDGES]

Edges are drawn at random, so that every node reaches every other: no graph of facts is harder. Five seeds, as a
question has them. Wall clock of the best and the median of many, and CPU time, for the dampings in use.
"""

import os
import sys
import time
from statistics import median

import numpy as np

from astrolabe.parts.pagerank import Walk

NODES, EDGES, SEEDS, REPEATS = 50_000, 500_000, 5, 15


def walk_over(nodes: int, edges: int, rng: np.random.Generator) -> Walk:
    """Return a walk over edges at random, each in both directions."""
    from scipy.sparse import coo_array

    ends = rng.integers(0, nodes, size=(2, edges))
    weights = np.ones(2 * edges)
    rows, columns = np.concatenate([ends[0], ends[1]]), np.concatenate([ends[1], ends[0]])
    return Walk.over(coo_array((weights, (rows, columns)), shape=(nodes, nodes)).tocsr())


def measure(nodes: int, edges: int) -> None:
    """Print a line a damping."""
    rng = np.random.default_rng(1)
    before = time.process_time()
    walk = walk_over(nodes, edges, rng)
    sys.stdout.write(
        f"{nodes:,} nodes, {edges:,} edges, made ready in {time.process_time() - before:.2f} CPU seconds\n"
    )
    seeds = np.zeros(nodes)
    seeds[rng.choice(nodes, SEEDS, replace=False)] = 1.0
    for damping in (0.1, 0.5, 0.85):
        taken: list[float] = []
        cpu = time.process_time()
        for _ in range(REPEATS):
            began = time.perf_counter()
            walk.rank(seeds, damping=damping)
            taken.append((time.perf_counter() - began) * 1000)
        cpu = (time.process_time() - cpu) / REPEATS * 1000
        sys.stdout.write(
            f"damping {damping}: best {min(taken):.1f} ms, median {median(taken):.1f} ms, CPU {cpu:.1f} ms\n"
        )
    sys.stdout.write(f"load of the machine {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    sizes = [int(given) for given in sys.argv[1:3]]
    measure(*(sizes if len(sizes) == 2 else (NODES, EDGES)))  # noqa: PLR2004
