import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import cast

import graspologic_native
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.parts.communities import SEED, Component, Forest, clustered, forest_of
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation

NAMES = [f"e{number:04}" for number in range(500)]


def graph_of(names: Sequence[str], edges: Sequence[tuple[str, str, float]]) -> EntityGraph:
    """Return a graph; the passages of an entity are its own and `p-all`."""
    places = {name: place for place, name in enumerate(names)}
    return EntityGraph(
        entities=tuple(Entity(name=name, type="", description="", passages=(f"p-{name}", "p-all")) for name in names),
        relations=tuple(
            Relation(
                source=min(places[one], places[other]),
                target=max(places[one], places[other]),
                description="",
                keywords=(),
                weight=weight,
                passages=("p-all",),
            )
            for one, other, weight in edges
        ),
    )


def sparse(size: int, edges: int, seed: int = 1) -> list[tuple[str, str, float]]:
    rng = np.random.default_rng(seed)
    pairs = {(min(pair), max(pair)) for pair in rng.integers(0, size, (edges, 2)).tolist() if pair[0] != pair[1]}
    return [(NAMES[one], NAMES[other], float(1 + (one + other) % 5)) for one, other in sorted(pairs)]


def members(forest: Forest, names: Sequence[str]) -> set[tuple[int, frozenset[str]]]:
    return {(one.level, frozenset(names[entity] for entity in one.entities)) for one in forest.communities}


async def test_the_hierarchy_is_the_reference_librarys_for_the_same_seed() -> None:
    edges = sparse(300, 900)
    names = sorted({name for edge in edges for name in edge[:2]})
    rows = graspologic_native.hierarchical_leiden(edges, max_cluster_size=10, seed=SEED)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType] - a native module
    found = [(row.level, row.cluster, row.node) for row in rows]  # pyright: ignore[reportUnknownVariableType] - likewise
    expected: dict[tuple[int, int], set[str]] = {}
    for level, cluster, node in cast("list[tuple[int, int, str]]", found):
        expected.setdefault((level, cluster), set()).add(node)

    forest = await forest_of(graph_of(names, edges), component="largest")

    assert max(level for level, _ in expected) >= 2
    assert members(forest, names) == {(level, frozenset(nodes)) for (level, _), nodes in expected.items()}


async def test_the_order_of_entities_and_relations_and_the_direction_of_relations_do_not_matter() -> None:
    edges = sparse(200, 500)
    names = NAMES[:200]
    shuffled = names[100:] + names[:100][::-1]
    turned = [(other, one, weight) for one, other, weight in edges[::-1]]

    first, second = await forest_of(graph_of(names, edges)), await forest_of(graph_of(shuffled, turned))

    assert members(first, names) == members(second, shuffled)
    assert [one.level for one in first.communities] == [one.level for one in second.communities]
    assert [one.parent for one in first.communities] == [one.parent for one in second.communities]


async def test_edges_given_twice_weigh_together() -> None:
    ends = np.array([[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 5], [5, 3]])
    twice = np.concatenate([ends, ends[::-1, ::-1]])

    once = await clustered(6, ends, np.full(7, 2.0), max_size=3)
    again = await clustered(6, twice, np.ones(14), max_size=3)

    assert {name: column.tolist() for name, column in once.items()} == {
        name: column.tolist() for name, column in again.items()
    }


@given(
    st.integers(0, 25).flatmap(
        lambda size: st.tuples(
            st.just(size),
            st.lists(
                st.tuples(st.integers(0, max(size - 1, 0)), st.integers(0, max(size - 1, 0)), st.integers(0, 3)),
                max_size=60 if size else 0,
            ),
        )
    ),
    st.integers(2, 5),
)
def test_the_communities_without_kids_share_out_the_entities(
    given: tuple[int, list[tuple[int, int, int]]], max_size: int
) -> None:
    size, pairs = given
    edges = {(min(one, other), max(one, other)): weight for one, other, weight in pairs if one != other}
    graph = graph_of(NAMES[:size], [(NAMES[one], NAMES[other], weight) for (one, other), weight in edges.items()])

    forest = asyncio.run(forest_of(graph, max_size=max_size))

    leaves = [community for community in forest.communities if not community.kids]
    assert Counter(entity for leaf in leaves for entity in leaf.entities) == Counter(range(size))
    for community in forest.communities:
        assert forest.communities[community.id] is community
        if community.kids:
            kids = [forest.communities[kid] for kid in community.kids]
            assert sorted(entity for kid in kids for entity in kid.entities) == list(community.entities)
            assert {kid.parent for kid in kids} == {community.id}
            assert {kid.level for kid in kids} == {community.level + 1}
            assert len(community.entities) >= max_size
    for entity, communities in forest.of_entity.items():
        assert [forest.communities[place].level for place in communities] == list(range(len(communities)))
        assert all(entity in forest.communities[place].entities for place in communities)


async def test_no_community_that_can_be_split_stays_above_the_largest_size() -> None:
    forest = await forest_of(graph_of(NAMES[:300], sparse(300, 500)), max_size=10)

    assert max(len(community.entities) for community in forest.communities if not community.kids) <= 10


# D29
@pytest.mark.parametrize("size", [1, 3])
async def test_entities_without_relations_are_communities_by_themselves(size: int) -> None:
    forest = await forest_of(graph_of(NAMES[:size], []))

    assert [community.entities for community in forest.communities] == [(place,) for place in range(size)]
    assert {community.occurrence for community in forest.communities} == {1.0}


# D29
@pytest.mark.parametrize("component", ["all", "largest"])
async def test_no_entities_no_communities(component: Component) -> None:
    forest = await forest_of(graph_of([], []), component=component)

    assert (list(forest.communities), forest.of_entity) == ([], {})


# M7
async def test_all_components_are_clustered_unless_the_largest_alone_is_wanted() -> None:
    pair, triangle = [("a", "b", 1.0)], [("c", "d", 1.0), ("d", "e", 1.0), ("c", "e", 1.0)]
    graph = graph_of(["a", "b", "c", "d", "e", "alone"], [*pair, *triangle])

    everything = await forest_of(graph)
    largest = await forest_of(graph, component="largest")

    assert sorted(community.entities for community in everything.communities) == [(0, 1), (2, 3, 4), (5,)]
    assert [community.entities for community in largest.communities] == [(2, 3, 4)]


async def test_of_equally_large_components_the_first_is_the_largest() -> None:
    graph = graph_of(["z", "y", "b", "a"], [("z", "y", 1.0), ("b", "a", 1.0)])

    forest = await forest_of(graph, component="largest")

    assert [community.entities for community in forest.communities] == [(2, 3)]


async def test_a_community_has_the_relations_inside_it_and_its_passages_by_support() -> None:
    edges = [("a", "b", 5.0), ("b", "c", 5.0), ("a", "c", 5.0), ("c", "d", 0.1), ("d", "e", 5.0)]
    forest = await forest_of(graph_of(["a", "b", "c", "d", "e"], edges))

    first, second = forest.communities

    assert (first.entities, first.relations) == ((0, 1, 2), (0, 1, 2))
    assert (second.entities, second.relations) == ((3, 4), (4,))
    assert first.passages == ("p-all", "p-a", "p-b", "p-c")
    assert (first.occurrence, second.occurrence) == (1.0, 0.75)
    assert forest.down_to(0) == [first, second]


async def test_a_large_graph_is_clustered_in_a_process_of_its_own_with_the_same_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = graph_of(NAMES[:200], sparse(200, 500))
    beside = await forest_of(graph)
    monkeypatch.setattr("astrolabe.parts.communities._HEAVY_EDGES", 10)

    own = await forest_of(graph)

    assert own == beside
