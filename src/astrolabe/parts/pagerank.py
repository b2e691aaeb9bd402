"""Personalised PageRank: where a walk that keeps coming back to its seeds spends its time."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self, cast

import numpy as np
import numpy.typing as npt

from astrolabe.core.errors import ConfigError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
_MOST_ROUNDS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A random walk over a weighted graph, made ready once for any seeds.

    Attributes:
        steps: Column by column where the walk goes from a node: columns sum to 1, or to 0 for a node without edges.
        stuck: Which nodes have no edge that leads away.
    """

    steps: "csr_array"
    stuck: npt.NDArray[np.bool_]

    @classmethod
    def over(cls, weights: "csr_array") -> Self:
        """Make a graph ready.

        Args:
            weights: The weight of the edge from row to column, shape (nodes, nodes), none below 0. For an undirected
                graph both directions are given.
        """
        from scipy.sparse import csr_array

        away = cast("Numbers", weights.sum(axis=1))
        stuck = away <= 0.0
        shares = np.divide(1.0, away, out=np.zeros_like(away), where=~stuck)
        weighed, starts = cast("Numbers", weights.data), cast("Places", weights.indptr)
        followed = weighed * np.repeat(shares, np.diff(starts))
        there = csr_array((followed, cast("Places", weights.indices), starts), shape=weights.shape)
        steps = cast("csr_array", there.T.tocsr())
        return cls(steps=steps, stuck=stuck)

    def rank(self, seeds: Numbers, *, damping: float, tolerance: float = 1e-9) -> Numbers:
        """Return each node's share of the walk's time, shape (nodes,), summing to 1.

        By power iteration; the result is within `tolerance * damping / (1 - damping)` of the exact one, summed over
        all nodes. A walk that is stuck goes back to the seeds.

        Args:
            seeds: Where the walk begins, in any scale: shape (nodes,), none below 0. All equal gives the PageRank of
                Brin and Page (1998).
            damping: The probability of following an edge rather than going back to the seeds, in [0, 1). The 0.1 of
                HippoRAG's class keeps 90 % of the time on the seeds.
            tolerance: The change a round, summed over all nodes, below which the rounds end.

        Raises:
            ValueError: Seeds of another shape, below 0, or all 0; damping outside [0, 1).
        """
        size = len(self.stuck)
        total = float(seeds.sum())
        if seeds.shape != (size,) or (size and (total <= 0.0 or float(seeds.min()) < 0.0)) or not 0 <= damping < 1:
            msg = (
                f"a walk over {size} nodes needs as many seeds, none below 0 and some above, and 0 <= damping < 1; "
                f"got shape {seeds.shape!r} with sum {total!r}, damping={damping!r}"
            )
            raise ValueError(msg)
        start = seeds / total if size else seeds
        now = start
        for _ in range(_MOST_ROUNDS):
            followed = damping * cast("Numbers", self.steps @ now)
            after = followed + (1.0 - float(followed.sum())) * start
            change = float(np.abs(after - now).sum())
            now = after
            if change <= tolerance:
                break
        return now


def check_damping(damping: float) -> None:
    """Refuse a damping with which a walk would never end.

    Raises:
        ConfigError: It is below 0, or 1 and more.
    """
    if not 0 <= damping < 1:
        raise ConfigError(f"a walk needs 0 <= damping < 1, got damping={damping!r}; choose for example damping=0.5")
