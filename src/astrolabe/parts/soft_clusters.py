"""Soft clustering of vectors, for summary trees and hierarchies: a row may be in several clusters, and is in one."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final, Literal, cast

import numpy as np
import numpy.typing as npt

from astrolabe.core.errors import ConfigError, MissingExtra
from astrolabe.core.protocols import Vectors
from astrolabe.parts.apart import Array, Arrays, apart
from astrolabe.parts.neighbour_graph import graph_clusters

if TYPE_CHECKING:
    from sklearn.mixture import GaussianMixture

Reducer = Literal["neighbours", "pca", "umap"]
Points = npt.NDArray[np.float64]
Cluster = list[int]
_SEED: Final = 0
_GRAPH_NEIGHBOURS: Final = 15
_GRAPH_ROWS_AT_ONCE: Final = 2_000
"""Up to so many rows the graph of neighbours takes less than a process takes to start."""
_LEAST_FLOOR: Final = 1e-6
"""What scikit-learn adds to a covariance by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftClusters:
    """How rows are clustered.

    `umap` is the published way: the rows are reduced, then a Gaussian mixture is fitted for every number of
    components, and the one with the lowest BIC (Schwarz 1978) is taken. It needs an extra of 400 MB. `pca` is the same
    after a linear reduction, which blurs what lies on curved surfaces.

    `neighbours` needs the core libraries alone and no number of clusters: the communities of the graph of nearest
    neighbours, the very graph that UMAP lays out. On labelled texts it agreed with the labels nearly as well (adjusted
    mutual information .79 against .82) in a sixtieth of the time, its cost grows with the rows, and it does not
    fall apart into single rows where a layer is small, as BIC with full covariances does. So it is the default.

    Attributes:
        reducer: `neighbours`, `pca` or `umap`.
        dimensions: What `pca` and `umap` reduce to.
        neighbours: How many neighbours a row has; 0 for the square root of the number of rows. For the reducer
            `neighbours` never more than that root, or its graph would be all pairs of a small layer, and at most 15
            where 0 is given.
        threshold: A row is in every cluster to which it belongs with more than this probability, and in the likeliest.
        most: The most components of a mixture.
        component_rows: A mixture has at most a component for so many rows: 3 keeps small layers from falling apart,
            1 is the published rule (one less than there are rows).
        floor: Added to the covariances, as a share of the mean variance; at least 1e-6 is added in any case, which
            is the published rule at 0.
        starts: How often a mixture is fitted from another start.
        settled: The search for the number of components ends where BIC changes by less than this share of it; 0
            tries all.
    """

    reducer: Reducer = "neighbours"
    dimensions: int = 10
    neighbours: int = 0
    threshold: float = 0.1
    most: int = 49
    component_rows: int = 3
    floor: float = 0.05
    starts: int = 1
    settled: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what cannot be clustered, before anything runs.

        Raises:
            ConfigError: A number is out of its range.
        """
        counts = (self.dimensions, self.most, self.component_rows, self.starts, self.neighbours + 1)
        if min(counts) < 1 or not 0 <= self.threshold <= 1 or self.floor < 0 or self.settled < 0:
            msg = (
                "clustering needs dimensions, most, component_rows and starts of at least 1, neighbours of at least 0, "
                f"a threshold from 0 to 1, floor and settled of at least 0, got {self!r}"
            )
            raise ConfigError(msg)

    def of(self, vectors: Vectors) -> list[Cluster]:
        """Return each cluster's rows, ascending; every row is in at least one, no two clusters are equal.

        The same rows give the same clusters. Rows of zeros count as unrelated to all.

        Args:
            vectors: Rows of L2 norm 1, or zeros. Two rows or fewer are one cluster; no row is none.

        Raises:
            MissingExtra: `umap` is asked for and not installed.
        """
        from threadpoolctl import threadpool_limits

        if len(vectors) <= 2:  # noqa: PLR2004 - there is nothing to tell apart
            return [list(range(len(vectors)))] if len(vectors) else []
        with threadpool_limits(limits=1):  # two that wait for each other take many times as long on a busy machine
            return self._clusters(vectors)

    def heavy(self, rows: int) -> bool:
        """Tell whether clustering so many rows takes longer than starting a process."""
        return self.reducer != "neighbours" or rows > _GRAPH_ROWS_AT_ONCE

    def as_arrays(self) -> dict[str, Array]:
        """Return the parameters as arrays, for arithmetic apart."""
        return {field.name: np.array(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> "SoftClusters":
        """Return what `as_arrays` wrote."""
        return cls(**{field.name: arrays[field.name].item() for field in fields(cls)})

    def _clusters(self, vectors: Vectors) -> list[Cluster]:
        root = max(1, int((len(vectors) - 1) ** 0.5))
        if self.reducer == "neighbours":
            return _distinct(graph_clusters(vectors, min(self.neighbours or _GRAPH_NEIGHBOURS, root), self.threshold))
        reduced = self._reduced(vectors, min(self.neighbours or root, len(vectors) - 1))
        return _distinct(self._members(self._mixture(reduced).predict_proba(reduced)))

    def _reduced(self, vectors: Vectors, neighbours: int) -> Points:
        dimensions = min(self.dimensions, len(vectors) - 2, vectors.shape[1])
        return _umap(vectors, dimensions, neighbours) if self.reducer == "umap" else _pca(vectors, dimensions)

    def _mixture(self, points: Points) -> "GaussianMixture":
        """Return the mixture with the lowest BIC, of equal ones the one with fewer components."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.mixture import GaussianMixture

        floor = max(_LEAST_FLOOR, self.floor * float(points.var(axis=0).mean()))
        most = max(1, min(self.most, len(points) // self.component_rows, len(points) - 1))
        best, lowest, before = None, np.inf, np.inf
        for components in range(1, most + 1):
            tried = GaussianMixture(components, n_init=self.starts, reg_covar=floor, random_state=_SEED)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # identical rows: fewer means than components
                bic: float = tried.fit(points).bic(points)
            if best is None or bic < lowest:
                best, lowest = tried, bic
            if self.settled and abs(bic - before) < self.settled * abs(before):
                break
            before = bic
        return cast("GaussianMixture", best)

    def _members(self, odds: Points) -> Iterator[Cluster]:
        """Yield the rows of each component."""
        inside = odds > self.threshold
        inside[np.arange(len(odds)), odds.argmax(axis=1)] = True
        return (np.flatnonzero(column).tolist() for column in inside.T)


async def clustered(vectors: Vectors, how: SoftClusters) -> list[Cluster]:
    """Return what `SoftClusters.of` does, in a process of its own where that takes long."""
    if how.reducer == "umap":
        check_umap()
    found = await apart(cluster_rows, {"vectors": vectors, **how.as_arrays()}, heavy=how.heavy(len(vectors)))
    return unpacked(found)


def cluster_rows(arrays: Arrays) -> Arrays:
    """Cluster rows; see `clustered`."""
    return packed(SoftClusters.from_arrays(arrays).of(arrays["vectors"].astype(np.float32)))


def packed(clusters: Sequence[Sequence[int]]) -> Arrays:
    """Return clusters as arrays: their rows one after the other, and where each cluster ends."""
    rows = [row for cluster in clusters for row in cluster]
    return {
        "rows": np.array(rows, dtype=np.int64),
        "ends": np.cumsum([len(cluster) for cluster in clusters], dtype=np.int64),
    }


def unpacked(found: Arrays) -> list[Cluster]:
    """Return what `packed` wrote."""
    rows: list[int] = found["rows"].tolist()
    ends: list[int] = found["ends"].tolist()
    return [rows[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def sparsity(clusters: Sequence[Sequence[int]], rows: int) -> float:
    """Return the share of pairs of rows that no cluster holds, in [0, 1]; 1 for fewer than two rows.

    As in HiRAG: 1 minus the sum of x(x-1) over the clusters' sizes x, over n(n-1). A pair in two clusters counts twice
    there, so that the sum may pass n(n-1); the result is then 0.
    """
    if rows < 2:  # noqa: PLR2004 - there is no pair
        return 1.0
    held = sum(len(cluster) * (len(cluster) - 1) for cluster in clusters)
    return max(0.0, 1.0 - held / (rows * (rows - 1)))


def _distinct(clusters: Iterable[Cluster]) -> list[Cluster]:
    """Return the clusters that have rows, equal ones once."""
    return [list(rows) for rows in dict.fromkeys(map(tuple, clusters)) if rows]


def check_umap() -> None:
    """Refuse the published reducer where it is not installed.

    Raises:
        MissingExtra: It is missing.
    """
    from importlib.util import find_spec

    if find_spec("umap") is None:
        raise MissingExtra("the reducer 'umap'", "raptor")


def _pca(vectors: Vectors, dimensions: int) -> Points:
    """Return the rows' coordinates along the directions in which they vary most."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    directions = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :dimensions]
    return centred @ directions


def _start(vectors: Vectors, dimensions: int) -> Vectors:
    """Return where UMAP begins: the linear reduction, within the bounds of its own starts."""
    start = _pca(vectors, dimensions)
    return (10.0 * start / max(np.abs(start).max(), _LEAST_FLOOR)).round(4).astype(np.float32)


def _umap(vectors: Vectors, dimensions: int, neighbours: int) -> Points:
    """Return the rows' places in a layout that keeps neighbours together; repeatable, and so on one thread."""
    check_umap()
    with warnings.catch_warnings():
        # It remarks on Tensorflow, which it can do without, on the seed, and on small and disconnected layers.
        warnings.simplefilter("ignore")
        import umap

        layout = umap.UMAP(
            n_neighbors=max(2, neighbours),
            n_components=dimensions,
            metric="cosine",
            # The spectral start differs from process to process where texts are nearly alike, and fails on few rows.
            init=_start(vectors, dimensions),  # pyright: ignore[reportArgumentType] - it takes coordinates, too
            random_state=_SEED,
            n_jobs=1,
        )
        found: Points = np.asarray(layout.fit_transform(vectors), dtype=np.float64)
    return np.nan_to_num(found)
