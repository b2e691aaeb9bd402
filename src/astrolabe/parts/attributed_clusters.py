"""Clusters of a graph by its edges and by what its nodes have in common: the arithmetic of ArchRAG's levels."""

from typing import Final

import numpy as np

from astrolabe.parts.apart import Arrays
from astrolabe.parts.communities import leiden
from astrolabe.parts.entity_graph import Places
from astrolabe.parts.neighbours import close_pairs

LEAST_WEIGHT: Final = 0.01
"""What an edge between unlike nodes still weighs."""


def attributed(arrays: Arrays) -> Arrays:
    """Cluster nodes by their edges and by new edges between those that are alike.

    Args:
        arrays: `rows` (a unit row a node; zeros are like nothing), `ends` (shape (edges, 2)), `max_size`, `percentile`
            and `weighted`, as in
            `AttributedHierarchy`.

    Returns:
        `cluster`: that of each node, numbered from 0 in the order of Leiden's forest.
    """
    rows, ends = arrays["rows"].astype(np.float32), arrays["ends"].astype(np.int64).reshape(-1, 2)
    related = np.vecdot(rows[ends[:, 0]], rows[ends[:, 1]])
    if len(ends):
        floor = max(float(np.quantile(related, float(arrays["percentile"].item()))), LEAST_WEIGHT)
        new = close_pairs(rows, floor=floor, most=max(1, 2 * len(ends) // len(rows)))
        known = np.isin(new.sources * len(rows) + new.targets, np.sort(ends, axis=1) @ [len(rows), 1])
        ends = np.concatenate([ends, np.column_stack([new.sources, new.targets])[~known]])
        related = np.concatenate([related, new.scores[~known]])
    weights = np.maximum(related, LEAST_WEIGHT) if arrays["weighted"].item() else np.ones(len(ends))
    found = leiden(
        {
            "size": np.array(len(rows)),
            "ends": ends,
            "weights": np.round(weights.astype(np.float64), 6),
            "max_size": arrays["max_size"],
            "largest": np.array(0),
        }
    )
    deepest = np.full(len(rows), -1, dtype=np.int64)
    deepest[found["node"].astype(np.int64)] = found["cluster"]
    return {"cluster": np.unique(deepest, return_inverse=True)[1]}


def lifted(label: Places, ends: Places) -> Places:
    """Return the edges between clusters, each once."""
    pairs = np.sort(label[ends], axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]].reshape(-1, 2), axis=0)
