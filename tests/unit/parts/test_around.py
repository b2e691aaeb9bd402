from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.parts.around import (
    Found,
    around_entities,
    around_relations,
    entity_row,
    interleave,
    passage_row,
    relation_row,
)
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation
from astrolabe.parts.sections import Row
from tests.six_passages import passage

A = TypeVar("A")


def entity(name: str, *passages: str, kind: str = "", says: str = "") -> Entity:
    return Entity(name=name, type=kind, description=says, passages=passages)


def relation(source: int, target: int, *passages: str, weight: float = 1.0) -> Relation:
    return Relation(source=source, target=target, description="", keywords=(), weight=weight, passages=passages)


# Moon 0, Tides 1, Sun 2, Salt 3, Lamp 4. Degrees: Moon 2, Tides 3, Sun 2, Salt 1, Lamp 0.
SEA = EntityGraph(
    entities=(
        entity("Moon", "p1", "p2", kind="body", says="It circles the earth.\nIt is grey."),
        entity("Tides", "p1", "p2", "p3"),
        entity("Sun", "p2", "p4"),
        entity("Salt", "p3"),
        entity("Lamp", "p5"),
    ),
    relations=(
        relation(0, 1, "p1", "p2", weight=9),
        relation(0, 2, "p2", weight=2),
        relation(1, 2, "p2", weight=3),
        Relation(source=1, target=3, description="", keywords=("sea", "trade"), weight=1.5, passages=("p3",)),
    ),
)


def test_relations_of_entities_come_by_the_degrees_of_their_ends_then_by_weight() -> None:
    found = around_entities(SEA, [0, 3])

    # Degree sums: 0-1 is 5, 1-2 is not incident, 0-2 is 4, 1-3 is 4 and lighter than 0-2.
    assert found.relations == (0, 1, 3)


def test_relations_of_equal_rank_and_weight_stand_in_the_graphs_order() -> None:
    path = EntityGraph(
        entities=[entity(name) for name in "abcd"], relations=[relation(0, 1), relation(0, 2), relation(0, 3)]
    )

    assert around_entities(path, [0]).relations == (0, 1, 2)


def test_relations_come_by_similarity_where_it_is_given() -> None:
    similar = np.array([0.1, 0.9, 0.0, 0.9], dtype=np.float32)

    assert around_entities(SEA, [0, 3], similar=similar).relations == (1, 3, 0)
    assert around_relations(SEA, [0, 1, 3], similar=similar).relations == (1, 3, 0)


def test_similarities_that_single_precision_cannot_tell_apart_are_ties() -> None:
    similar = np.array([0.5, 0.50000004, 0.0, 0.0], dtype=np.float32)

    assert around_relations(SEA, [0, 1], similar=similar).relations == (0, 1)


def test_passages_come_by_their_first_entity_then_by_how_many_neighbours_they_speak_of() -> None:
    # Of the passages of the sun, p2 speaks of two neighbours and p4 of none; p1 is the moon's alone.
    assert around_entities(SEA, [2, 0]).passages == ("p2", "p4", "p1")
    # Both speak of neighbours of the tides: p2 of two, p1 and p3 of one each, in the scope's order.
    assert around_entities(SEA, [1]).passages == ("p2", "p1", "p3")


def test_an_entity_without_relations_still_brings_its_passages() -> None:
    assert around_entities(SEA, [4]) == Found(entities=(4,), passages=("p5",))


# U8
def test_all_distinct_ends_of_the_relations_come_in_the_relations_order() -> None:
    found = around_relations(SEA, [3, 2, 0])

    assert found.relations == (0, 2, 3)
    assert found.entities == (0, 1, 2, 3)
    assert found.passages == ("p1", "p2", "p3")


def test_around_nothing_lies_nothing() -> None:
    for graph in (SEA, EntityGraph(entities=(), relations=())):
        assert around_entities(graph, []) == around_relations(graph, []) == Found()


def test_what_comes_twice_counts_once() -> None:
    assert around_entities(SEA, [0, 0, 3]) == around_entities(SEA, [0, 3])
    assert around_relations(SEA, [2, 2]) == around_relations(SEA, [2])


# U10
def test_both_are_merged_in_turns_by_what_they_are_and_each_part_once() -> None:
    low = Found(entities=(1, 2, 3), relations=(7,), passages=("a", "b"))
    high = Found(entities=(4, 2), relations=(7, 8, 9), passages=())

    assert interleave(low, high) == Found(entities=(1, 4, 2, 3), relations=(7, 8, 9), passages=("a", "b"))


PLACES = st.lists(st.integers(0, 20), unique=True, max_size=8).map(tuple)


@given(PLACES, PLACES, st.integers(1, 8))
def test_the_heads_of_both_are_at_the_head_of_the_merged(
    first: tuple[int, ...], second: tuple[int, ...], head: int
) -> None:
    merged = interleave(Found(entities=first), Found(entities=second)).entities

    assert set(first[:head]) | set(second[:head]) <= set(merged[: 2 * head])
    assert sorted(merged) == sorted({*first, *second})
    assert interleave(Found(entities=first), Found()).entities == first


# U9
def test_one_renderer_writes_each_kind_of_row() -> None:
    assert entity_row(SEA, 0) == Row("Moon (body, 2 relations): It circles the earth. It is grey.", ("p1", "p2"))
    assert entity_row(SEA, 3) == Row("Salt (1 relation)", ("p3",))
    assert relation_row(SEA, 3) == Row("Tides - Salt (themes: sea, trade; weight 1.5, rank 4)", ("p3",))
    assert relation_row(SEA, 0) == Row("Moon - Tides (weight 9, rank 5)", ("p1", "p2"))


def test_a_passage_is_shown_with_every_line_of_it() -> None:
    held = passage("p1", "One, two.\n\nThree;\tfour\n")

    assert passage_row(held) == Row("One, two.\n\nThree;\tfour", ("p1",))


@st.composite
def graphs(draw: st.DrawFn) -> EntityGraph:
    size = draw(st.integers(1, 7))
    spoken = st.lists(st.sampled_from(["p1", "p2", "p3", "p4"]), unique=True, max_size=4).map(sorted)
    entities = [entity(f"e{place}", *draw(spoken)) for place in range(size)]
    pairs = [(one, other) for one in range(size) for other in range(one + 1, size)]
    ends = sorted(draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else []
    weights = st.sampled_from([1.0, 2.0, 9.0])
    return EntityGraph(
        entities=entities, relations=[relation(*pair, *draw(spoken), weight=draw(weights)) for pair in ends]
    )


@given(graphs(), st.data())
def test_around_entities_equals_the_rule_worked_out_by_hand(graph: EntityGraph, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(graph.entities) - 1), unique=True))

    found = around_entities(graph, chosen)

    ends = [(one.source, one.target) for one in graph.relations]
    degree = [sum(place in pair for pair in ends) for place in range(len(graph.entities))]
    incident = [place for place, pair in enumerate(ends) if set(pair) & set(chosen)]
    by_rank = sorted(
        incident, key=lambda place: (-sum(degree[end] for end in ends[place]), -graph.relations[place].weight, place)
    )
    support = {
        (name, place): sum(
            name in graph.entities[other].passages
            for other in range(len(graph.entities))
            if (min(place, other), max(place, other)) in ends
        )
        for place in chosen
        for name in graph.entities[place].passages
    }
    first = {name: min(rank for rank, place in enumerate(chosen) if (name, place) in support) for name, _ in support}
    assert found.entities == tuple(chosen)
    assert found.relations == tuple(by_rank)
    assert found.passages == tuple(
        sorted(first, key=lambda name: (first[name], -support[name, chosen[first[name]]], name))
    )


@given(graphs(), st.data())
def test_around_relations_every_end_and_every_passage_comes_once(graph: EntityGraph, data: st.DataObject) -> None:
    places = st.integers(0, max(0, len(graph.relations) - 1))
    chosen = data.draw(st.lists(places, unique=True)) if graph.relations else []

    found = around_relations(graph, chosen)

    held = [graph.relations[place] for place in found.relations]
    assert sorted(found.relations) == sorted(chosen)
    assert list(found.entities) == list(dict.fromkeys(end for one in held for end in (one.source, one.target)))
    assert list(found.passages) == list(dict.fromkeys(name for one in held for name in one.passages))
    assert around_relations(graph, chosen[::-1]) == found


class Watched(Sequence[A]):
    """A sequence that counts how many of its items are looked at."""

    def __init__(self, items: Sequence[A]) -> None:
        self.items = items
        self.looks = 0

    @overload
    def __getitem__(self, place: int) -> A: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[A]: ...
    def __getitem__(self, place: int | slice) -> A | Sequence[A]:
        self.looks += 1
        return self.items[place]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[A]:
        self.looks += len(self.items)
        return iter(self.items)


def test_a_neighbour_that_all_passages_speak_of_costs_no_more_than_another() -> None:
    everywhere = Watched([f"p{place}" for place in range(5_000)])
    hub = Entity(name="hub", type="", description="", passages=everywhere)  # pyright: ignore[reportArgumentType]
    graph = EntityGraph(
        entities=[hub, *(entity(f"e{place}", f"p{place}") for place in range(5_000))],
        relations=[relation(0, place + 1, f"p{place}") for place in range(5_000)],
    )
    assert graph.spoken_of["p10"] == [0, 11]
    everywhere.looks = 0

    found = around_entities(graph, [5, 9, 11])

    assert found.passages == ("p4", "p8", "p10")
    assert everywhere.looks == 0


def test_only_the_neighbourhood_is_looked_at_however_large_the_graph() -> None:
    entities = Watched([entity(f"e{place}", f"p{place}") for place in range(5_000)])
    relations = Watched([relation(place, place + 1, f"p{place}") for place in range(4_999)])
    graph = EntityGraph(entities=entities, relations=relations)
    assert (graph.degrees[10], graph.spoken_of["p10"]) == (2, [10])  # these are made once
    entities.looks = relations.looks = 0

    around_entities(graph, [10, 2_000])
    around_relations(graph, [10, 2_000])

    assert entities.looks + relations.looks <= 30
