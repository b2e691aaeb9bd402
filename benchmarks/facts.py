"""How long a graph of facts takes to build and to walk, without the model: close to linear but for the synonyms.

    python benchmarks/facts.py [PASSAGES ...]

Triples are made up: eight a passage, over a vocabulary of phrases that grows with the number of passages and is drawn
by Zipf's law, so that some phrases are in a hundredth of all passages. Comparing all phrases with all grows with the
square of their number. In CPU seconds, one question's walk in milliseconds.
"""

import os
import resource
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from astrolabe.core.protocols import Gaps, Vectors
from astrolabe.embed.hashed import HashedEmbedder
from astrolabe.parts.fact_graph import MOST_SYNONYMS, FactIndex, merged_facts
from astrolabe.parts.fact_walk import passage_scores
from astrolabe.parts.neighbours import Pairs, close_pairs
from astrolabe.parts.readings import Readings
from astrolabe.parts.triples import NamesAndTriples, Triple
from astrolabe.parts.vectors import TextVectors

SIZES = (1_000, 2_000, 10_000, 20_000)
TRIPLES, DIMENSIONS, SEEDS = 8, 384, 5
T = TypeVar("T")


def timed(name: str, work: Callable[[], T]) -> T:
    """Print how long something takes; return what it makes."""
    before = time.process_time()
    made = work()
    sys.stdout.write(f"  {name:<28} {time.process_time() - before:9.3f} CPU s\n")
    sys.stdout.flush()
    return made


def read(passages: int, rng: np.random.Generator) -> Readings[NamesAndTriples]:
    """Return triples that nobody wrote."""
    vocabulary = 4 * passages
    odds = 1 / np.arange(10, vocabulary + 10)
    ends = rng.choice(vocabulary, size=(passages, TRIPLES, 2), p=odds / odds.sum()).tolist()
    return Readings(
        of={
            f"p{place}": NamesAndTriples.model_construct(
                triples=tuple(
                    Triple.model_construct(subject=f"Phrase {one}", relation="meets", object=f"Phrase {other}")
                    for one, other in row
                )
            )
            for place, row in enumerate(ends)
        },
        gaps=Gaps(asked=passages),
    )


def measure(passages: int) -> None:
    """Print a line a step."""
    rng = np.random.default_rng(1)
    readings = read(passages, rng)
    facts = timed("merging", lambda: merged_facts(list(readings.of), readings))
    size = len(facts.phrases)
    rows: Vectors = rng.standard_normal((size, DIMENSIONS), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    synonyms: Pairs = timed("synonyms (quadratic)", lambda: close_pairs(rows, floor=0.8, most=MOST_SYNONYMS))
    vectors = TextVectors(rows=rows, starts=np.arange(size, dtype=np.int64), embedder=HashedEmbedder())
    index = FactIndex(facts=facts, vectors=vectors, synonyms=synonyms)
    timed("walk made ready", lambda: index.walk)
    timed("matrices", lambda: (facts.facts_of_passages, facts.passages_of_phrase))
    seeds = np.zeros(size)
    seeds[:SEEDS] = 1.0
    before = time.process_time()
    passage_scores(facts, index.walk.rank(seeds, damping=0.5))
    walked = (time.process_time() - before) * 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(
        f"{passages:,} passages, {size:,} phrases, {len(facts.facts):,} facts: a question's walk {walked:.1f} ms CPU; "
        f"peak {peak:,.0f} MB; load of the machine {os.getloadavg()[0]:.1f}\n"
    )


if __name__ == "__main__":
    for number in [int(given) for given in sys.argv[1:]] or SIZES:
        measure(number)
