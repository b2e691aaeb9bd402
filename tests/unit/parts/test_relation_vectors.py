from pathlib import Path

from astrolabe.core.protocols import Gaps
from astrolabe.core.spelling import spell
from astrolabe.parts.described_graph import DescribedGraph
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation
from astrolabe.parts.relation_vectors import RelationVectors, relation_text
from tests.six_passages import TracedKit


def relation(source: int, target: int, description: str, *keywords: str) -> Relation:
    return Relation(
        source=source, target=target, description=description, keywords=keywords, weight=1, passages=("p1",)
    )


GRAPH = EntityGraph(
    entities=[
        Entity(name=name, type="", description="", passages=("p1",)) for name in ("Moon", "Sea", "Candle", "Wax")
    ],
    relations=[relation(0, 1, "It pulls the water.", "gravity", "tides"), relation(2, 3, "")],
    gaps=Gaps(asked=100, failed={"p9": "cut off"}),
)


def kit_over(graph: EntityGraph, spec: RelationVectors) -> TracedKit:
    return TracedKit({}, opened={spell(spec.graph): graph})


def test_a_relation_is_embedded_with_its_themes_its_ends_and_its_description() -> None:
    assert relation_text(GRAPH, 0) == "gravity, tides\nMoon, Sea\nIt pulls the water."
    assert relation_text(GRAPH, 1) == "Candle, Wax"


async def test_a_relation_is_found_by_each_of_them() -> None:
    spec = RelationVectors()
    relations = await spec.build([], kit_over(GRAPH, spec))

    for query, place in (("gravity", 0), ("sea", 0), ("water", 0), ("candle", 1), ("wax", 1)):
        assert (await relations.texts.nearest(query, k=1))[0].place == place
    assert relations.gaps == GRAPH.gaps


# D29
async def test_a_graph_without_relations_finds_none() -> None:
    spec = RelationVectors()
    relations = await spec.build([], kit_over(EntityGraph(entities=GRAPH.entities, relations=[]), spec))

    assert await relations.texts.nearest("moon", k=3) == []


async def test_vectors_open_as_they_were_saved_over_the_graph_of_the_same_parameters(tmp_path: Path) -> None:
    spec = RelationVectors(types="place", gleanings=1, size=300, overlap=30, describe_at=100)
    kit = kit_over(GRAPH, spec)
    built = await spec.build([], kit)

    spec.save(built, tmp_path)
    opened = spec.load(tmp_path, [], kit)

    assert await opened.texts.nearest("wax", k=3) == await built.texts.nearest("wax", k=3)
    assert spec.graph == DescribedGraph(types="place", gleanings=1, size=300, overlap=30, describe_at=100)
    assert (spec.cut, spec.prompts) == (spec.graph.cut, DescribedGraph.prompts)
