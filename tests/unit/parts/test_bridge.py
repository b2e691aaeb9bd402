import numpy as np
import pytest

from astrolabe.parts.bridge import Bridge, bridge
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation


def graph_of(size: int, *pairs: tuple[int, int]) -> EntityGraph:
    return EntityGraph(
        entities=[Entity(name=f"e{place}", type="", description="", passages=()) for place in range(size)],
        relations=[
            Relation(source=one, target=other, description="", keywords=(), weight=1.0, passages=())
            for one, other in sorted(pairs)
        ],
    )


async def test_a_bridge_leads_from_each_entity_to_the_next_by_the_shortest_way() -> None:
    graph = graph_of(7, (0, 1), (1, 2), (2, 3), (0, 4), (4, 5), (5, 6), (3, 6))

    found = await bridge(graph, [0, 3, 6])

    assert found == Bridge(entities=(0, 1, 2, 3, 6), relations=(0, 2, 3, 4), missing=())
    assert [graph.ends[place].tolist() for place in found.relations] == [[0, 1], [1, 2], [2, 3], [3, 6]]


# H5
async def test_a_missing_path_is_skipped_and_named() -> None:
    found = await bridge(graph_of(5, (0, 1), (3, 4)), [0, 1, 3, 4])

    assert (found.entities, found.missing) == ((0, 1, 3, 4), ((1, 3),))


# H5
async def test_the_order_of_the_entities_decides_the_walk_and_equal_paths_are_always_the_same() -> None:
    square = graph_of(4, (0, 1), (0, 2), (1, 3), (2, 3))

    assert (await bridge(square, [0, 3])).entities == (0, 1, 3)
    assert (await bridge(square, [3, 0])).entities == (3, 1, 0)


async def test_all_relations_between_the_visited_are_of_the_bridge() -> None:
    found = await bridge(graph_of(4, (0, 1), (0, 2), (1, 2), (2, 3)), [0, 3, 1])

    assert found.relations == (0, 1, 2, 3)


# D29
@pytest.mark.parametrize("entities", [[], [1], [1, 1]])
async def test_fewer_than_two_entities_are_joined_by_nothing(entities: list[int]) -> None:
    assert await bridge(graph_of(3, (0, 1)), entities) == Bridge(entities=(), relations=(), missing=())


async def test_entities_without_any_relation_have_no_path() -> None:
    assert (await bridge(graph_of(3), [0, 2])).missing == ((0, 2),)


async def test_paths_are_as_long_as_another_way_of_counting_says() -> None:
    rng = np.random.default_rng(3)
    pairs = {(min(one, other), max(one, other)) for one, other in rng.integers(0, 60, (90, 2)).tolist() if one != other}
    graph = graph_of(60, *pairs)
    reach = {0: 0}
    for place in (queue := [0]):
        for other in graph.neighbours(place):
            if other not in reach:
                reach[other] = reach[place] + 1
                queue.append(other)

    for end in range(1, 60):
        found = await bridge(graph, [0, end])
        assert len(found.entities) == (reach[end] + 1 if end in reach else 0)
