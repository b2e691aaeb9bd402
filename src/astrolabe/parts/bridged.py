"""What a model is shown of communities, the bridge between them, and the entities near a question."""

from collections.abc import Sequence
from dataclasses import dataclass

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Hit, Question, Step
from astrolabe.parts.around import around_entities, around_relations, entity_row, passage_row, relation_row
from astrolabe.parts.bridge import Bridge
from astrolabe.parts.layered_reports import Layered
from astrolabe.parts.look import DRAWN, Edge, Node, look
from astrolabe.parts.sections import Packed, Section, packed
from astrolabe.parts.vectors import Near
from astrolabe.parts.write import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Tokens of each section."""

    community_tokens: int
    path_tokens: int
    entity_tokens: int
    passage_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """What a question leads to: entities, nearest first, their communities in order, and what joins those."""

    near: Sequence[Near]
    communities: Sequence[int]
    path: Bridge


def bridged(question: Question, found: Reached, *, index: Layered, kit: Kit, budgets: Budgets) -> Shown:
    """Return reports, bridge, entities and passages, each within its budget, all shrunk to what a model is shown."""
    graph = index.graph
    entities = [one.place for one in found.near]
    passages = around_entities(graph, entities).passages
    related = around_relations(graph, found.path.relations).relations
    contents = [
        ("Background", [index.reports.row(one) for one in found.communities], budgets.community_tokens),
        ("What joins them", [relation_row(graph, one) for one in related], budgets.path_tokens),
        ("Things", [entity_row(graph, one) for one in entities], budgets.entity_tokens),
        ("Passages", [passage_row(kit.read(one)) for one in passages], budgets.passage_tokens),
    ]
    shown = packed(
        [Section(title=title, rows=rows, tokens=tokens) for title, rows, tokens in contents], limit=kit.context_tokens
    )
    reports, paths, _, own = shown.rows
    hits = _hits(index, found, passages, shown)
    steps = (
        look("search.entities", [_node(index, one.place, one.score) for one in found.near], asked=question.text),
        _communities(index, entities, found.communities[: len(reports)]),
        _walk(index, found.path, related[: len(paths)]),
    )
    return Shown(text=shown.text, contexts=hits[: len(own)], retrieved=hits, trace=steps)


def _hits(index: Layered, found: Reached, passages: Sequence[str], shown: Packed) -> list[Hit]:
    """Return the entities' passages with the score of the nearest that they are of; then what else is shown, at 0."""
    sources: dict[str, tuple[float, str]] = {}
    for one in found.near:
        for passage in index.graph.entities[one.place].passages:
            sources.setdefault(passage, (one.score, "entity"))
    reports, paths, _, _ = shown.rows
    order = dict.fromkeys(passages)
    for source, rows in (("path", paths), ("community", reports)):
        for passage in (passage for row in rows for passage in row.passages):
            sources.setdefault(passage, (0.0, source))
            order.setdefault(passage)
    return [
        Hit(passage_id=passage, rank=rank, score=sources[passage][0], source=sources[passage][1])
        for rank, passage in enumerate(order, 1)
    ]


def _communities(index: Layered, entities: Sequence[int], communities: Sequence[int]) -> Step:
    of_entity = index.reports.forest.of_entity
    inside = [(place, one) for one in communities for place in entities if one in of_entity.get(place, ())]
    drawn = dict.fromkeys(place for place, _ in inside)
    return look(
        "search.communities",
        [*(index.reports.node(one) for one in communities), *(_node(index, place) for place in drawn)],
        [Edge(source=index.graph.entities[place].name, target=f"community {one}") for place, one in inside],
    )


def _walk(index: Layered, path: Bridge, related: Sequence[int]) -> Step:
    """Return the bridge: all entities on its paths, and the relations that are shown."""
    named = [entity.name for entity in index.graph.entities]
    ends: list[tuple[int, int]] = index.graph.ends[list(related)].tolist()
    gaps = [f"{named[one]!r} and {named[other]!r}" for one, other in path.missing]
    reason = f"skipped {len(gaps)} pairs without a path, such as {gaps[0]}" if gaps else ""
    nodes = [_node(index, place) for place in path.entities]
    return look(
        "walk.bridge", nodes, [Edge(source=named[one], target=named[other]) for one, other in ends], reason=reason
    )


def _node(index: Layered, place: int, score: float | None = None) -> Node:
    one = index.graph.entities[place]
    label = f"{one.name} (layer {one.layer})" if one.layer else one.name
    return Node(id=one.name, kind="entity", label=label, score=score, passages=one.passages[:DRAWN])
