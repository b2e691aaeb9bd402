"""Choosing rows that are relevant and unlike each other."""

import numpy as np

from astrolabe.core.protocols import Vectors


def select_diverse(vectors: Vectors, query: Vectors, *, count: int, diversity: float) -> list[int]:
    """Return the rows that maximal marginal relevance chooses, in the order of choice.

    Each step takes the row with the highest `(1 - diversity) * similarity to the query - diversity *
    highest similarity to a row already chosen`; of equal rows the first.

    Args:
        vectors: Shape (n, dimensions), rows of L2 norm 1 or 0; may be empty.
        query: Shape (dimensions,).
        count: How many rows at most.
        diversity: In [0, 1].

    Source: Carbonell and Goldstein 1998, with lambda = 1 - diversity.
    """
    relevance = vectors @ query
    nearest = np.full(len(vectors), 0.0, dtype=np.float32)
    left = np.ones(len(vectors), dtype=bool)
    chosen: list[int] = []
    for _ in range(min(count, len(vectors))):
        gain = np.where(left, (1.0 - diversity) * relevance - diversity * nearest, -np.inf)
        row = int(np.argmax(gain))
        chosen.append(row)
        left[row] = False
        nearest = np.maximum(nearest, vectors @ vectors[row])
    return chosen
