"""What of an attributed hierarchy is near a question: on every level at once, and how it is asked about."""

from collections.abc import Sequence
from dataclasses import dataclass

from astrolabe.core.protocols import Vectors
from astrolabe.core.records import Question, Step
from astrolabe.parts.around import entity_row, relation_row
from astrolabe.parts.attributed_hierarchy import Level
from astrolabe.parts.entity_graph import EntityGraph
from astrolabe.parts.graph_sections import entity_node
from astrolabe.parts.look import DRAWN, Edge, Node, look
from astrolabe.parts.map_reduce import Block, blocks_of
from astrolabe.parts.rank import best
from astrolabe.parts.vectors import Near, TextVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """What is near a question, best first.

    Attributes:
        entities: The lowest layer.
        relations: Of those entities, whichever end they are.
        clusters: Of each level above, the lowest first.
    """

    entities: Sequence[Near]
    relations: Sequence[Near]
    clusters: Sequence[Sequence[Near]]


def search_layers(
    query: Vectors,
    graph: EntityGraph,
    *,
    entities: TextVectors,
    relations: TextVectors,
    levels: Sequence[Level],
    k: int,
    k_relations: int,
) -> Layers:
    """Return the `k` nearest of every layer, and the `k_relations` nearest relations of the entities found.

    The products are exact: what the layered index of the paper approximates.
    """
    near = entities.near(query, k)
    touching = sorted({relation for one in near for relation in graph.relations_of(one.place)})
    similar = relations.similar(query)[touching]
    return Layers(
        entities=near,
        relations=[Near(touching[place], float(similar[place])) for place in best(similar, k_relations)],
        clusters=[level.nearest(query, k=k) for level in levels],
    )


def layer_blocks(found: Layers, graph: EntityGraph, levels: Sequence[Level], *, tokens: int) -> list[Block]:
    """Return blocks of the entities and their relations, and blocks of the clusters, each within `tokens`.

    A cluster that says what one of a lower level says, since it is made of that one alone, is asked about once.
    """
    things = [
        *(entity_row(graph, one.place) for one in found.entities),
        *(relation_row(graph, one.place) for one in found.relations),
    ]
    clusters = {
        row.text: row
        for level, near in zip(levels, found.clusters, strict=True)
        for row in (level.clusters[one.place].row for one in near)
    }
    return [
        *blocks_of(things, tokens=tokens, name="entities"),
        *blocks_of(list(clusters.values()), tokens=tokens, name="communities"),
    ]


def look_at_layers(question: Question, found: Layers, graph: EntityGraph, levels: Sequence[Level]) -> list[Step]:
    """Return the steps of a search: the entities with their relations, then the clusters of every level."""
    ends = [graph.relations[one.place] for one in found.relations]
    hit = {one.place: one.score for one in found.entities}
    others = dict.fromkeys(end for one in ends for end in (one.source, one.target) if end not in hit)
    nodes = [entity_node(graph, place, score=hit.get(place)) for place in (*hit, *others)]
    edges = [Edge(source=graph.entities[one.source].name, target=graph.entities[one.target].name) for one in ends]
    clusters = [
        _node(number, level, one)
        for number, (level, near) in enumerate(zip(levels, found.clusters, strict=True), 1)
        for one in near
    ]
    said = ", ".join(f"{len(near)} of level {number}" for number, near in enumerate(found.clusters, 1))
    return [
        look("search.entities", nodes, edges, mode="similarity", asked=question.text),
        look("search.communities", clusters, mode="similarity", asked=question.text, reason=said or "no level"),
    ]


def _node(number: int, level: Level, near: Near) -> Node:
    cluster = level.clusters[near.place]
    title = cluster.report.title if cluster.report else ""
    name = f"community {number}.{near.place}"
    return Node(id=name, kind="community", label=title, score=near.score, passages=cluster.passages[:DRAWN])
