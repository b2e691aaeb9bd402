import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.protocols import Gaps
from astrolabe.parts.entity_graph import EntityGraph, merged
from astrolabe.parts.extract import ExtractedEntity, ExtractedRelation, Extraction, ExtractReply


def said(name: str, kind: str = "", description: str = "") -> ExtractedEntity:
    return ExtractedEntity(name=name, type=kind, description=description)


def related(
    source: str, target: str, description: str = "", strength: float = 1, keywords: tuple[str, ...] = ()
) -> ExtractedRelation:
    return ExtractedRelation(
        source=source, target=target, description=description, strength=strength, keywords=keywords
    )


def graph_of(**passages: tuple[list[ExtractedEntity], list[ExtractedRelation]]) -> EntityGraph:
    read = {name: Extraction(entities=tuple(one), relations=tuple(other)) for name, (one, other) in passages.items()}
    return merged(read, Gaps(asked=len(read)))


def names(graph: EntityGraph) -> list[str]:
    return [entity.name for entity in graph.entities]


# D31
def test_one_thing_in_four_spellings_is_one_entity_with_all_that_is_said_of_it() -> None:
    graph = graph_of(
        p1=([said("Electrons", "CONCEPT", "They are light.")], [related("Electrons", "Atom", strength=3)]),
        p2=([said("electrons", "CONCEPT", "They are light.")], [related("atom", "electrons", "Bound.", strength=4)]),
        p3=([said(" ELECTRONS ", "PARTICLE", "They spin.")], []),
        p4=([said("“Electrons”", "", "They\nare light.")], [related("“Electrons”", "Atom")]),
    )

    (electrons, atom) = graph.entities
    assert (electrons.name, electrons.type) == ("Electrons", "concept")
    assert electrons.description == "They are light.\nThey spin."
    assert electrons.passages == ("p1", "p2", "p3", "p4")
    assert atom.passages == ("p1", "p2", "p4")
    (bond,) = graph.relations
    assert (bond.source, bond.target, bond.weight, bond.description) == (0, 1, 8, "Bound.")
    assert bond.passages == ("p1", "p2", "p4")


# D31
def test_c_and_its_followers_stay_three_entities() -> None:
    graph = graph_of(p1=([said("C"), said("C++"), said("C#")], [related("c++", "c#")]))

    assert names(graph) == ["C", "C++", "C#"]
    assert (graph.relations[0].source, graph.relations[0].target) == (1, 2)


# U13
@pytest.mark.parametrize("name", ["GPT-3.5", "F1 = 0.87", "Müller", "北京大学", "القاهرة", "AT&T", "state-of-the-art"])
def test_a_name_and_its_description_survive_as_they_are_written(name: str) -> None:
    graph = graph_of(p1=([said(name, "größe", f"{name}: 3.5 % – überall.")], []))

    assert (names(graph), graph.entities[0].description) == ([name], f"{name}: 3.5 % – überall.")


def test_the_spelling_and_the_type_that_occur_most_are_shown_and_the_first_of_equals() -> None:
    graph = graph_of(
        p1=([said("MOON", "body"), said("Sun", "star")], []),
        p2=([said("Moon", "place"), said("SUN", "body")], [related("Moon", "Sun")]),
        p3=([said("Moon", "place")], []),
    )

    assert [(one.name, one.type) for one in graph.entities] == [("Moon", "place"), ("Sun", "star")]


def test_entities_stand_in_the_order_of_their_first_mention_and_relations_by_their_ends() -> None:
    graph = graph_of(
        p1=([said("B"), said("A")], [related("A", "D"), related("C", "A")]),
        p2=([said("D"), said("E")], [related("A", "B")]),
    )

    assert names(graph) == ["B", "A", "D", "C", "E"]
    assert [(one.source, one.target) for one in graph.relations] == [(0, 1), (1, 2), (1, 3)]


def test_an_end_is_in_the_relations_passage_though_only_another_passage_lists_it() -> None:
    graph = graph_of(p1=([said("Moon")], []), p2=([said("Tides")], [related("Moon", "Tides")]))

    assert graph.entities[0].passages == ("p1", "p2")
    assert graph.dropped == {}


# U14
def test_what_is_left_out_or_lacks_something_is_counted_by_reason() -> None:
    graph = graph_of(
        p1=(
            [said("Moon"), said(" “” "), said("")],
            [related("Moon", "Tides"), related("Moon", ""), related("", "“”"), related("moon", "MOON")],
        ),
        p2=([said("Sun")], [related("Sun", "Tides"), related("Sun", "Salt")]),
        p3=([said("Salt")], []),
    )

    assert names(graph) == ["Moon", "Tides", "Sun", "Salt"]
    assert graph.dropped == {
        "end that was not listed, kept without a type": 1,
        "entity without a name": 2,
        "relation of a thing to itself": 1,
        "relation without an end": 2,
    }


def test_records_that_could_not_be_read_are_counted_among_what_is_left_out() -> None:
    reply = ExtractReply.model_validate_json(json.dumps({"entities": [{"name": "Moon"}, "Sun", 3]}))

    graph = merged({"p1": reply}, Gaps(asked=1))

    assert graph.dropped == {"record that could not be read": 2}


def test_keywords_come_once_whatever_their_case() -> None:
    graph = graph_of(
        p1=([], [related("A", "B", keywords=("Sea level", "tides", " "))]),
        p2=([], [related("B", "A", keywords=("TIDES", "“sea level”", "gravity"))]),
    )

    assert graph.relations[0].keywords == ("Sea level", "tides", "gravity")


def test_gaps_are_those_of_the_extraction() -> None:
    gaps = Gaps(asked=3, failed={"p2": "HTTP 500"})

    assert merged({}, gaps).gaps == gaps


# D29
@pytest.mark.parametrize("listed", [[], [said("Moon")], [said("Moon"), said("Sun"), said("Salt")]])
def test_a_graph_without_relations_is_a_graph(listed: list[ExtractedEntity]) -> None:
    graph = graph_of(p1=(listed, []))

    assert graph.degrees.tolist() == [0] * len(listed)
    assert graph.ends.shape == (0, 2)
    assert graph.adjacency().shape == (len(listed), len(listed))
    assert all(graph.neighbours(place) == graph.relations_of(place) == [] for place in range(len(listed)))


def test_degrees_neighbours_and_weights_are_those_of_the_relations() -> None:
    graph = graph_of(
        p1=([], [related("A", "B", strength=2), related("A", "C", strength=3), related("C", "A", strength=4)])
    )

    assert graph.degrees.tolist() == [2, 1, 1]
    assert graph.relations_of(0) == [0, 1]
    assert graph.neighbours(0) == [1, 2]
    assert graph.neighbours(2) == [0]
    assert graph.adjacency().toarray().tolist() == [[0, 2, 7], [2, 0, 0], [7, 0, 0]]
    assert graph.place_of == {"a": 0, "b": 1, "c": 2}
    assert graph.spoken_of == {"p1": [0, 1, 2]}


NAMES = st.sampled_from(["Moon", "moon", "“Moon”", "Sun", "SUN", "Salt", "C", "C++", "北", "", "''"])
EXTRACTIONS = st.builds(
    Extraction,
    entities=st.lists(st.builds(said, NAMES, st.sampled_from(["", "a", "b"]), NAMES), max_size=4).map(tuple),
    relations=st.lists(st.builds(related, NAMES, NAMES, NAMES, st.integers(1, 10)), max_size=4).map(tuple),
)
READ = st.lists(EXTRACTIONS, max_size=4).map(lambda some: {f"p{place}": one for place, one in enumerate(some)})


@given(READ)
def test_any_graph_keeps_its_promises(read: dict[str, Extraction]) -> None:
    graph = merged(read, Gaps(asked=len(read)))

    assert len(graph.place_of) == len(graph.entities)
    assert all(one.source < one.target for one in graph.relations)
    assert (np.diff(graph.ends[:, 0]) >= 0).all()
    assert len({(one.source, one.target) for one in graph.relations}) == len(graph.relations)
    for one in graph.relations:
        assert set(one.passages) <= set(graph.entities[one.source].passages) & set(graph.entities[one.target].passages)
        assert one.weight >= len(one.passages)
    for entity in graph.entities:
        assert list(entity.passages) == sorted(entity.passages)
        assert entity.name
    assert graph.degrees.sum() == 2 * len(graph.relations)
    assert (graph.adjacency() != graph.adjacency().T).nnz == 0


@given(READ)
def test_no_record_vanishes_without_being_counted(read: dict[str, Extraction]) -> None:
    graph = merged(read, Gaps(asked=len(read)))

    given_relations = sum(len(one.relations) for one in read.values())
    lost = graph.dropped.get("relation without an end", 0) + graph.dropped.get("relation of a thing to itself", 0)
    kept = [one for reading in read.values() for one in reading.relations]
    assert lost <= given_relations
    assert sum(one.weight for one in graph.relations) <= sum(one.strength for one in kept)
    assert bool(graph.relations) == (lost < given_relations)
