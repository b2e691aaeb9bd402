"""How long ranking pieces takes and how much memory: 64,000 pieces have to fit in 2 GB.

    python benchmarks/pieces.py [PIECES ...]

Pieces are made up: 70 words each, drawn by Zipf's law from 50,000, and 384-dimensional vectors at random. One step a
line, in CPU seconds; both comparisons of all with all grow with the square of the number of pieces. Peak memory is the
process's, the made-up pieces included.
"""

import os
import resource
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from astrolabe.parts.cooccurrence import most_shared, worded
from astrolabe.parts.neighbours import nearest_others
from astrolabe.parts.pagerank import Walk
from astrolabe.parts.piece_ranks import tied

SIZES = (4_000, 8_000, 16_000)
WORDS, VOCABULARY, DIMENSIONS = 70, 50_000, 384
T = TypeVar("T")


def timed(name: str, work: Callable[[], T]) -> T:
    """Print how long something takes; return what it makes."""
    before = time.process_time()
    made = work()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"  {name:<28} {time.process_time() - before:9.2f} CPU s   peak so far {peak:,.0f} MB\n")
    sys.stdout.flush()
    return made


def made_up(pieces: int, rng: np.random.Generator) -> list[str]:
    """Return texts that nobody wrote."""
    odds = 1 / np.arange(1, VOCABULARY + 1)
    drawn = rng.choice(VOCABULARY, size=(pieces, WORDS), p=odds / odds.sum())
    return [" ".join(f"w{word}" for word in row) for row in drawn.tolist()]


def measure(pieces: int) -> None:
    """Print a line a step."""
    rng = np.random.default_rng(1)
    texts = made_up(pieces, rng)
    rows = rng.standard_normal((pieces, DIMENSIONS), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    sys.stdout.write(f"{pieces:,} pieces, load of the machine {os.getloadavg()[0]:.1f}\n")
    held = timed("words", lambda: worded(texts)).held
    shared = timed("most shared words", lambda: most_shared(held))
    nearest = timed("highest cosine", lambda: nearest_others(rows))
    walk = timed("graph", lambda: Walk.over(tied(shared, nearest)))
    timed("PageRank", lambda: walk.rank(np.ones(pieces), damping=0.85))


if __name__ == "__main__":
    for size in [int(given) for given in sys.argv[1:]] or SIZES:
        measure(size)
