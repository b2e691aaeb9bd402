from pathlib import Path

from astrolabe.core.protocols import Gaps
from astrolabe.core.spelling import spell
from astrolabe.parts.described_graph import DescribedGraph
from astrolabe.parts.entity_graph import Entity, EntityGraph
from astrolabe.parts.entity_vectors import EntityVectors
from tests.six_passages import TracedKit

GRAPH = EntityGraph(
    entities=[
        Entity(name="Moon", type="", description="It pulls the water.", passages=("p1",)),
        Entity(name="Lamp", type="", description="It burns whale oil.", passages=("p4",)),
        Entity(name="Net", type="", description="", passages=("p5",)),
    ],
    relations=[],
    gaps=Gaps(asked=100, failed={"p9": "cut off"}),
)


def kit_over(graph: EntityGraph, spec: EntityVectors) -> TracedKit:
    return TracedKit({}, opened={spell(spec.graph): graph})


async def test_an_entity_is_found_by_its_name_and_by_its_description() -> None:
    spec = EntityVectors()
    entities = await spec.build([], kit_over(GRAPH, spec))

    assert [near.place for near in await entities.nearest("whale oil", k=1)] == [1]
    assert [near.place for near in await entities.nearest("net", k=1)] == [2]
    assert len(await entities.nearest("moon", k=9)) == 3
    assert entities.gaps == GRAPH.gaps


# D29
async def test_a_graph_of_nothing_has_no_vectors_and_finds_nothing() -> None:
    spec = EntityVectors()
    entities = await spec.build([], kit_over(EntityGraph(entities=[], relations=[]), spec))

    assert await entities.nearest("moon", k=3) == []


async def test_vectors_open_as_they_were_saved_over_the_graph_of_the_same_parameters(tmp_path: Path) -> None:
    spec = EntityVectors(types="place", gleanings=1, size=300, overlap=30, describe_at=100)
    kit = kit_over(GRAPH, spec)
    built = await spec.build([], kit)

    spec.save(built, tmp_path)
    opened = spec.load(tmp_path, [], kit)

    assert await opened.nearest("whale oil", k=3) == await built.nearest("whale oil", k=3)
    assert spec.graph == DescribedGraph(types="place", gleanings=1, size=300, overlap=30, describe_at=100)
    assert (spec.cut, spec.prompts) == (spec.graph.cut, DescribedGraph.prompts)
