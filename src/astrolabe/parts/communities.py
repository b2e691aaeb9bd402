"""Communities of a graph: hierarchical Leiden (Traag et al. 2019), the same for the same graph in whatever order."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, Protocol, cast

import numpy as np
import numpy.typing as npt

from astrolabe.parts.apart import Array, Arrays, apart
from astrolabe.parts.entity_graph import EntityGraph, Places
from astrolabe.parts.entity_names import entity_key

Component = Literal["all", "largest"]
Weights = npt.NDArray[np.float64]
SEED: Final = 0xDEADBEEF
_HEAVY_EDGES: Final = 50_000
"""Edges from which clustering takes longer than what may be done beside the loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Community:
    """Entities that hang together more closely than with the rest.

    Attributes:
        id: Its place in the forest.
        level: 0 for the coarsest; a community that was split has kids one level below.
        parent: The community that it is a part of; null at level 0.
        kids: Its parts; none where it was not split.
        entities: The places of its entities in the graph, ascending.
        relations: The places of the relations that have both ends in it, ascending.
        passages: The ids of its entities' passages, those that hold most of them first, ties in the order of mention.
        occurrence: Its number of passages as a share of the largest such number in the forest.
    """

    id: int
    level: int
    parent: int | None
    kids: tuple[int, ...]
    entities: tuple[int, ...]
    relations: tuple[int, ...]
    passages: tuple[str, ...]
    occurrence: float


@dataclass(frozen=True, kw_only=True)
class Forest:
    """The communities of a graph; those without kids share out its entities.

    Attributes:
        communities: Level by level, the coarsest first, in a fixed order.
    """

    communities: Sequence[Community]

    @cached_property
    def of_entity(self) -> Mapping[int, tuple[int, ...]]:
        """The communities that each entity is in, the coarsest first; an entity outside the forest is missing."""
        found: dict[int, list[int]] = {}
        for community in self.communities:
            for entity in community.entities:
                found.setdefault(entity, []).append(community.id)
        return {entity: tuple(communities) for entity, communities in found.items()}

    def down_to(self, level: int) -> list[Community]:
        """Return the communities of the levels 0 to `level`, in order; a small one has no part further down."""
        return [community for community in self.communities if community.level <= level]


class _Row(Protocol):
    """A node's cluster at a level, as the library gives it."""

    node: str
    cluster: int
    parent_cluster: int | None
    level: int


class _HierarchicalLeiden(Protocol):
    """What the library's function takes."""

    def __call__(
        self, edges: Sequence[tuple[str, str, float]], *, max_cluster_size: int, seed: int
    ) -> Sequence[_Row]: ...


async def forest_of(graph: EntityGraph, *, max_size: int = 10, component: Component = "all") -> Forest:
    """Return the communities of a graph, relations weighted by their strengths.

    Equal graphs have equal communities, in whatever order their entities and relations stand. A community of
    `max_size` entities or more is split at the next level, unless Leiden finds no better parts (a star, a clique).

    Args:
        graph: May be empty.
        max_size: How many entities make a community too large.
        component: `all`, where an entity without relations is a community by itself; or `largest`: as published, what
            lies outside the largest connected component is in no community.
    """
    canonical = canonical_order(graph)
    ends = np.argsort(canonical)[graph.ends]
    weights = np.array([relation.weight for relation in graph.relations], dtype=np.float64)
    found = await clustered(len(canonical), ends, weights, max_size=max_size, component=component)
    return Forest(communities=await asyncio.to_thread(lambda: tuple(_communities(graph, canonical, found))))


def canonical_order(graph: EntityGraph) -> Places:
    """Return the places of the entities in the order of their names, which is the same however the graph stands."""
    keys = [entity_key(entity.name) for entity in graph.entities]
    return np.array(sorted(range(len(keys)), key=lambda place: keys[place]), dtype=np.int64)


def by_support(graph: EntityGraph, entities: Iterable[int]) -> tuple[str, ...]:
    """Return the passages of entities, those that hold most of them first, ties in the order of mention."""
    support = Counter(passage for entity in entities for passage in graph.entities[entity].passages)
    return tuple(passage for passage, _ in support.most_common())


async def clustered(
    size: int, ends: Places, weights: Weights, *, max_size: int, component: Component = "all"
) -> Mapping[str, Places]:
    """Return in which cluster each node of a graph is, level by level.

    The seed is fixed, and so is the order in which Leiden sees nodes and edges: it gives other clusters for another.

    Args:
        size: The number of nodes.
        ends: The edges' ends, shape (edges, 2); an edge that is given twice has the sum of the weights.
        weights: One of at least 0 for each edge.
        max_size: How many nodes make a cluster too large, so that it is split where it can be.
        component: As in `forest_of`.

    Returns:
        Equally long `node`, `cluster`, `parent` (-1 at level 0) and `level`: ordered by level, cluster and node;
        clusters are numbered from 0 in that order.
    """
    arrays = {"size": np.array(size), "ends": ends, "weights": weights, "max_size": np.array(max_size)}
    arrays["largest"] = np.array(component == "largest")
    found = await apart(leiden, arrays, heavy=len(ends) > _HEAVY_EDGES)
    return {name: column.astype(np.int64) for name, column in found.items()}


def leiden(arrays: Arrays) -> Arrays:
    """Cluster a graph; see `clustered`."""
    size, max_size = int(arrays["size"].item()), int(arrays["max_size"].item())
    ends, weights = _canonical(size, arrays["ends"], arrays["weights"])
    nodes = np.arange(size)
    if bool(arrays["largest"].item()):
        nodes = _largest_component(size, ends)
        inside = np.isin(ends[:, 0], nodes)
        ends, weights = ends[inside], weights[inside]
    found = _hierarchy(ends, weights, max_size)
    alone = np.setdiff1d(nodes, ends)
    next_cluster = int(found[:, 1].max(initial=-1)) + 1
    singles = np.column_stack(
        [alone, np.arange(len(alone)) + next_cluster, np.full(len(alone), -1), np.zeros(len(alone), dtype=np.int64)]
    )
    return _renumbered(np.concatenate([found, singles]).astype(np.int64))


def _canonical(size: int, ends: Array, weights: Array) -> tuple[Places, Weights]:
    """Return each edge once, in the order of its ends, the lower one first; edges of a node to itself left out."""
    pairs = np.sort(ends.astype(np.int64).reshape(-1, 2), axis=1)
    apart_ends = pairs[:, 0] != pairs[:, 1]
    codes, places = np.unique(pairs[apart_ends] @ np.array([size, 1], dtype=np.int64), return_inverse=True)
    # Added in order of size, so that the sum does not hang on the order in which equal edges came.
    given = weights.astype(np.float64)[apart_ends]
    order = np.lexsort([given, places])
    sums = np.zeros(len(codes), dtype=np.float64)
    np.add.at(sums, places[order], given[order])
    return np.column_stack(np.divmod(codes, max(size, 1))), sums


def _largest_component(size: int, ends: Places) -> Places:
    """Return the nodes of the largest connected component; of equal ones the one with the first node."""
    from scipy.sparse import coo_array, csgraph

    if not size:
        return np.zeros(0, dtype=np.int64)
    joined = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(size, size))
    labels = cast("npt.NDArray[np.int32]", csgraph.connected_components(joined, directed=False)[1])
    return np.flatnonzero(labels == np.argmax(np.bincount(labels)))


def _hierarchy(ends: Places, weights: Weights, max_size: int) -> Places:
    """Return rows of node, cluster, parent and level, as the library numbers them."""
    if not len(ends):
        return np.zeros((0, 4), dtype=np.int64)
    import graspologic_native

    edges = [
        (str(one), str(other), weight) for (one, other), weight in zip(ends.tolist(), weights.tolist(), strict=True)
    ]
    leiden_of = cast("_HierarchicalLeiden", graspologic_native.hierarchical_leiden)  # pyright: ignore[reportAttributeAccessIssue] - a native module
    rows = [
        (int(row.node), row.cluster, -1 if row.parent_cluster is None else row.parent_cluster, row.level)
        for row in leiden_of(edges, max_cluster_size=max_size, seed=SEED)
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def _renumbered(rows: Places) -> Arrays:
    """Order the rows, and number the clusters from 0 in that order."""
    rows = rows[np.lexsort([rows[:, 0], rows[:, 1], rows[:, 3]])]
    node, cluster, parent, level = rows.T
    numbers = np.full(int(cluster.max(initial=-1)) + 2, -1, dtype=np.int64)
    firsts = np.sort(np.unique(cluster, return_index=True)[1])
    numbers[cluster[firsts]] = np.arange(len(firsts))
    # The last place of `numbers` stands for no parent.
    return {"node": node, "cluster": numbers[cluster], "parent": numbers[parent], "level": level}


def _communities(graph: EntityGraph, canonical: Places, found: Mapping[str, Places]) -> Iterator[Community]:
    cluster, starts = np.unique(found["cluster"], return_index=True)
    members = [np.sort(canonical[nodes]) for nodes in np.split(found["node"], starts[1:])] if len(cluster) else []
    passages = [by_support(graph, places.tolist()) for places in members]
    most = max(map(len, passages), default=0)
    parents: list[int] = found["parent"][starts].tolist()
    levels: list[int] = found["level"][starts].tolist()
    kids: dict[int, list[int]] = {}
    for kid, parent in enumerate(parents):
        kids.setdefault(parent, []).append(kid)
    relations = _inside(graph, members, levels)
    for place, entities in enumerate(members):
        yield Community(
            id=place,
            level=levels[place],
            parent=None if parents[place] < 0 else parents[place],
            kids=tuple(kids.get(place, ())),
            entities=tuple(entities.tolist()),
            relations=tuple(relations.get(place, ())),
            passages=passages[place],
            occurrence=len(passages[place]) / most if most else 0.0,
        )


def _inside(graph: EntityGraph, members: Sequence[Places], levels: Sequence[int]) -> dict[int, list[int]]:
    """Return the relations that have both ends in a community, by community."""
    inside: dict[int, list[int]] = {}
    for level in sorted(set(levels)):
        label = np.full(len(graph.entities), -1, dtype=np.int64)
        for place in (place for place, of in enumerate(levels) if of == level):
            label[members[place]] = place
        labels = label[graph.ends]
        within = np.flatnonzero((labels[:, 0] == labels[:, 1]) & (labels[:, 0] >= 0))
        for relation, place in zip(within.tolist(), labels[within, 0].tolist(), strict=True):
            inside.setdefault(place, []).append(relation)
    return inside
