"""What a model is shown of a graph around the entities that a question is about, and what was looked at for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from astrolabe.core.protocols import Kit, Vectors
from astrolabe.core.records import Hit, Question, Step
from astrolabe.parts.around import Found, around_entities, entity_row, passage_row, relation_row
from astrolabe.parts.entity_graph import EntityGraph
from astrolabe.parts.graph_sections import entity_node
from astrolabe.parts.look import Edge, look
from astrolabe.parts.reports import Reports
from astrolabe.parts.sections import Packed, Section, packed
from astrolabe.parts.vectors import Near
from astrolabe.parts.write import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Tokens of each section."""

    community_tokens: int
    entity_tokens: int
    relation_tokens: int
    passage_tokens: int


def surroundings(
    question: Question,
    near: Sequence[Near],
    *,
    graph: EntityGraph,
    index: Reports,
    kit: Kit,
    level: int,
    budgets: Budgets,
    similar: Vectors | None = None,
) -> Shown:
    """Return the reports, entities, relations and passages around the entities that are near, each within its budget.

    Reports come by how many of the entities their communities hold, then by rating; the rest as `around_entities`
    has it.

    Args:
        question: What is asked.
        near: Entities, nearest first; may be none.
        graph: Their graph.
        index: Its reports.
        kit: Holds the passages.
        level: The deepest level whose reports count.
        budgets: Shrunk together where they are more than the model may be shown.
        similar: As in `around_entities`.
    """
    found = around_entities(graph, [one.place for one in near], similar=similar)
    communities = index.around(found.entities, level=level)
    sections = [
        Section(title="Reports", rows=[index.row(one) for one in communities], tokens=budgets.community_tokens),
        Section(
            title="Entities", rows=[entity_row(graph, one) for one in found.entities], tokens=budgets.entity_tokens
        ),
        Section(
            title="Relations",
            rows=[relation_row(graph, one) for one in found.relations],
            tokens=budgets.relation_tokens,
        ),
        Section(
            title="Sources", rows=[passage_row(kit.read(one)) for one in found.passages], tokens=budgets.passage_tokens
        ),
    ]
    shown = packed(sections, limit=kit.context_tokens)
    reports, _, relations, passages = shown.rows
    hits = _hits(graph, near, found, shown)
    return Shown(
        text=shown.text,
        contexts=hits[: len(passages)],
        retrieved=hits,
        trace=(
            _entities(question, near, graph),
            _around(graph, index, found, communities=communities[: len(reports)], relations=len(relations)),
        ),
    )


def _hits(graph: EntityGraph, near: Sequence[Near], found: Found, shown: Packed) -> list[Hit]:
    """Return the entities' passages with the score of the nearest entity that they speak of; then what else is shown.

    What only a report or a relation brings scores 0: neither says how near it is.
    """
    scores: dict[str, tuple[float, str]] = {}
    for one in near:
        for passage in graph.entities[one.place].passages:
            scores.setdefault(passage, (one.score, "entity"))
    reports, _, relations, _ = shown.rows
    others = [
        *((passage, "relation") for row in relations for passage in row.passages),
        *((passage, "community") for row in reports for passage in row.passages),
    ]
    order = dict.fromkeys([*found.passages, *(passage for passage, _ in others)])
    sources = {passage: (0.0, source) for passage, source in reversed(others)} | scores
    return [
        Hit(passage_id=passage, rank=rank, score=sources[passage][0], source=sources[passage][1])
        for rank, passage in enumerate(order, 1)
    ]


def _entities(question: Question, near: Sequence[Near], graph: EntityGraph) -> Step:
    nodes = [entity_node(graph, one.place, score=one.score) for one in near]
    return look("search.entities", nodes, mode="similarity", asked=question.text)


def _around(graph: EntityGraph, index: Reports, found: Found, *, communities: Sequence[int], relations: int) -> Step:
    """Draw the entities, what they are related to, and the communities that they are in."""
    ends: list[tuple[int, int]] = graph.ends[list(found.relations[:relations])].tolist()
    entities = dict.fromkeys([*found.entities, *(end for pair in ends for end in pair)])
    inside = [
        (place, one) for one in communities for place in found.entities if one in index.forest.of_entity.get(place, ())
    ]
    nodes = [*(entity_node(graph, place) for place in entities), *(index.node(one) for one in communities)]
    edges = [
        *(Edge(source=graph.entities[one].name, target=graph.entities[other].name) for one, other in ends),
        *(Edge(source=graph.entities[place].name, target=f"community {one}") for place, one in inside),
    ]
    return look("walk.neighbours", nodes, edges)
