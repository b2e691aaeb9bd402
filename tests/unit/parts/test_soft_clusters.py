import asyncio
import sys
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from astrolabe.core.errors import ConfigError, MissingExtra
from astrolabe.core.protocols import Vectors
from astrolabe.parts.apart import apart
from astrolabe.parts.neighbour_graph import EXACT_ROWS, nearest_rows
from astrolabe.parts.soft_clusters import Reducer, SoftClusters, cluster_rows, clustered, sparsity, unpacked

CORE: tuple[Reducer, ...] = ("neighbours", "pca")
EACH = pytest.mark.parametrize("reducer", CORE)
WITH_UMAP = pytest.mark.skipif(find_spec("umap") is None, reason="umap-learn is not installed: the extra [raptor]")


def unit(rows: npt.NDArray[np.floating]) -> Vectors:
    return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)


def topics(number: int, *, rows: int = 20, dimensions: int = 16, seed: int = 1) -> Vectors:
    """Return rows around so many centres, those of a centre side by side."""
    rng = np.random.default_rng(seed)
    centres = unit(rng.standard_normal((number, dimensions), dtype=np.float32))
    noise = rng.standard_normal((number * rows, dimensions), dtype=np.float32)
    return unit(np.repeat(centres, rows, axis=0) + 0.05 * noise)


def of(vectors: Vectors, reducer: Reducer = "neighbours") -> list[list[int]]:
    return SoftClusters(reducer=reducer).of(vectors)


@EACH
def test_rows_of_one_topic_are_one_cluster(reducer: Reducer) -> None:
    clusters = SoftClusters(reducer=reducer, dimensions=3).of(topics(4))

    assert [[*range(20)], [*range(20, 40)], [*range(40, 60)], [*range(60, 80)]] == sorted(clusters)


# D30
@EACH
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 4, 11, 12])
@pytest.mark.parametrize("equal", ["none", "all but one", "all"])
def test_few_and_equal_rows_are_clustered_too(reducer: Reducer, rows: int, equal: str) -> None:
    vectors = topics(1, rows=max(rows, 1))[:rows]
    if equal != "none":
        vectors[(1 if equal == "all but one" else 0) :] = vectors[-1:]

    clusters = of(vectors, reducer)

    assert {row for cluster in clusters for row in cluster} == set(range(rows))
    assert clusters == of(vectors, reducer)


@EACH
def test_rows_of_zeros_are_in_a_cluster(reducer: Reducer) -> None:
    vectors = topics(2, rows=10)
    vectors[::3] = 0

    assert {row for cluster in of(vectors, reducer) for row in cluster} == set(range(20))


@given(
    rows=st.integers(0, 40),
    number=st.integers(1, 5),
    threshold=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    seed=st.integers(0, 5),
)
@settings(deadline=None, max_examples=30)
def test_every_row_is_in_a_cluster_and_no_two_clusters_are_equal(
    rows: int, number: int, threshold: float, seed: int
) -> None:
    vectors = topics(number, rows=40, seed=seed)[:: number or 1][:rows]
    clusters = SoftClusters(threshold=threshold).of(vectors)

    assert {row for cluster in clusters for row in cluster} == set(range(len(vectors)))
    assert len({tuple(cluster) for cluster in clusters}) == len(clusters)
    assert threshold < 1 or sum(map(len, clusters)) == len(vectors)


def test_a_row_between_two_topics_is_in_both_clusters() -> None:
    vectors = topics(2, rows=12)
    between = unit(vectors[:12].mean(axis=0, keepdims=True) + vectors[12:].mean(axis=0, keepdims=True))

    clusters = of(np.concatenate([vectors, between]))

    assert sum(24 in cluster for cluster in clusters) == 2


@EACH
def test_a_threshold_of_one_puts_every_row_into_one_cluster(reducer: Reducer) -> None:
    clusters = SoftClusters(reducer=reducer, dimensions=2, most=4, threshold=1.0).of(topics(3, rows=8))

    assert sorted(row for cluster in clusters for row in cluster) == list(range(24))


def test_the_mixture_is_the_one_that_scikit_learn_finds_best() -> None:
    points = topics(3, rows=10, dimensions=4)
    directions = np.linalg.svd(points.astype(np.float64) - points.astype(np.float64).mean(axis=0))[2][:2]
    reduced = (points.astype(np.float64) - points.astype(np.float64).mean(axis=0)) @ directions.T
    with threadpool_limits(limits=1):
        fitted = [GaussianMixture(number, random_state=0).fit(reduced) for number in range(1, 9)]
    best = min(fitted, key=lambda mixture: float(mixture.bic(reduced)))
    odds = best.predict_proba(reduced)

    published = SoftClusters(reducer="pca", dimensions=2, component_rows=1, floor=0.0, most=8)

    expected = {tuple(np.flatnonzero(column > 0.1).tolist()) for column in odds.T}
    assert {tuple(cluster) for cluster in published.of(points)} == expected


@pytest.mark.parametrize("rows", [12])
def test_noise_falls_apart_by_the_published_rule_and_not_by_ours(rows: int) -> None:
    noise = unit(np.random.default_rng(5).standard_normal((rows, 64), dtype=np.float32))
    published = SoftClusters(reducer="pca", dimensions=2, component_rows=1, floor=0.0, threshold=1.0)

    assert len(published.of(noise)) > rows // 3
    assert len(SoftClusters(reducer="pca", dimensions=2, threshold=1.0).of(noise)) <= rows // 3


def test_the_search_for_components_ends_where_little_changes() -> None:
    settled = SoftClusters(reducer="pca", settled=1e9)

    assert len(settled.of(topics(4))) <= 2


async def test_clusters_found_apart_are_the_same() -> None:
    vectors, how = topics(3), SoftClusters()

    found = await apart(cluster_rows, {"vectors": vectors, **how.as_arrays()}, heavy=True)

    assert unpacked(found) == await clustered(vectors, how) == how.of(vectors)


async def test_clusters_found_at_the_same_time_are_the_same() -> None:
    vectors = topics(5)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(clustered(vectors, SoftClusters())) for _ in range(4)]

    assert all(task.result() == of(vectors) for task in tasks)


def test_beyond_the_exact_rows_nearly_all_nearest_rows_are_found() -> None:
    vectors = topics(250, rows=20, dimensions=32)
    assert len(vectors) > EXACT_ROWS

    places, similar = nearest_rows(vectors, 10)

    exact = np.argsort(-(vectors[::100] @ vectors.T), axis=1)[:, 1:11]
    found = [len(set(one) & set(other)) for one, other in zip(places[::100].tolist(), exact.tolist(), strict=True)]
    assert np.mean(found) > 9
    assert (np.diff(similar, axis=1) <= 1e-6).all()
    assert (places != np.arange(len(vectors))[:, None]).all()


def test_many_equal_rows_have_neighbours_too() -> None:
    vectors = np.repeat(topics(1, rows=1), EXACT_ROWS + 1, axis=0)

    places, similar = nearest_rows(vectors, 3)

    assert places[:3].tolist() == [[1, 2, 3], [0, 2, 3], [0, 1, 3]]
    assert similar.min() > 0.999


def test_without_umap_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "umap", None)

    with pytest.raises(MissingExtra, match=r"'umap' needs the extra \[raptor\]: pip install 'astrolabe-qa\[raptor\]'"):
        of(topics(2), "umap")


@pytest.mark.slow  # the library alone takes half a minute to load
@WITH_UMAP
@pytest.mark.parametrize("rows", [3, 4, 11, 12, 40])
def test_umap_clusters_few_rows_and_repeats(rows: int) -> None:
    how = SoftClusters(reducer="umap", dimensions=2, neighbours=15)
    vectors = topics(2)[:rows]

    clusters = how.of(vectors)

    assert {row for cluster in clusters for row in cluster} == set(range(rows))
    assert clusters == how.of(vectors)


@pytest.mark.slow
@WITH_UMAP
def test_umap_finds_topics_and_takes_equal_rows() -> None:
    equal = np.repeat(topics(1, rows=1), 12, axis=0)

    assert sorted(SoftClusters(reducer="umap", dimensions=2).of(topics(3))) == [
        [*range(20)],
        [*range(20, 40)],
        [*range(40, 60)],
    ]
    assert {row for cluster in of(equal, "umap") for row in cluster} == set(range(12))


def test_sparsity_is_the_share_of_pairs_that_no_cluster_holds() -> None:
    assert sparsity([[0, 1], [2, 3]], 4) == pytest.approx(1 - 4 / 12)
    assert sparsity([[0, 1, 2, 3]], 4) == 0.0
    assert sparsity([[0], [1], [2]], 3) == 1.0
    assert (sparsity([[0]], 1), sparsity([], 0)) == (1.0, 1.0)
    assert sparsity([[0, 1, 2], [0, 1, 2]], 3) == 0.0


@pytest.mark.parametrize("wrong", [{"dimensions": 0}, {"threshold": 1.5}, {"component_rows": 0}, {"floor": -1.0}])
def test_a_number_out_of_its_range_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="clustering needs"):
        SoftClusters(**wrong)  # pyright: ignore[reportArgumentType] - each is one of the fields
