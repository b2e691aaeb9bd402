"""What a model is shown of a part of a graph: entities, relations and passages, and how they were found."""

from collections.abc import Iterator, Sequence

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Step
from astrolabe.parts.around import Found, entity_row, passage_row, relation_row
from astrolabe.parts.entity_graph import EntityGraph
from astrolabe.parts.look import DRAWN, Edge, Node, look
from astrolabe.parts.question_keywords import Keywords, Words
from astrolabe.parts.rank import in_order
from astrolabe.parts.sections import Section, packed
from astrolabe.parts.vectors import Near
from astrolabe.parts.write import Shown


def graph_sections(
    found: Found, graph: EntityGraph, kit: Kit, *, tokens: tuple[int, int, int], trace: Sequence[Step]
) -> Shown:
    """Return three sections, each as far as its budget goes, and the passages behind them.

    Args:
        found: What is shown, best first.
        graph: What it is part of.
        kit: Holds the passages; where the budgets are more than it may show, all shrink together.
        tokens: Those of the entities, of the relations and of the passages.
        trace: How it was found; what is shown is added as a last step.
    """
    rows = (
        [entity_row(graph, place) for place in found.entities],
        [relation_row(graph, place) for place in found.relations],
        [passage_row(kit.read(name)) for name in found.passages],
    )
    titles = ("Entities", "Relations", "Sources")
    sections = [
        Section(title=title, rows=own, tokens=most) for title, own, most in zip(titles, rows, tokens, strict=True)
    ]
    shown = packed(sections, limit=kit.context_tokens)
    entities, relations, passages = map(len, shown.rows)
    hits = in_order([*found.passages, *shown.passages], source="graph")
    drawn = look(
        "walk.neighbours",
        [entity_node(graph, place) for place in found.entities[:entities]],
        list(_edges(graph, found.relations[:relations])),
        reason=(
            f"shown: {entities} of {len(found.entities)} entities, {relations} of {len(found.relations)} relations, "
            f"{passages} of {len(found.passages)} passages"
        ),
        hits=hits[:passages],
    )
    return Shown(text=shown.text, contexts=hits[:passages], retrieved=hits, trace=(*trace, drawn))


def look_at_keywords(question: str, keywords: Keywords) -> Step:
    """Return the step that made keywords of a question."""
    words = {"high-level": keywords.high, "low-level": keywords.low}
    nodes = [Node(id=f"{level}: {one.query}", kind="keyword") for level, one in words.items() if not one.reason]
    reason = "; ".join(dict.fromkeys(one.reason for one in words.values() if one.reason))
    return look("ask.keywords", nodes, asked=question, reason=reason)


def look_at_entities(graph: EntityGraph, near: Sequence[Near], words: Words) -> Step:
    """Return the step that searched for entities."""
    nodes = [entity_node(graph, one.place, score=one.score) for one in near]
    return look("search.entities", nodes, mode="similarity", asked=words.query, reason=words.reason)


def look_at_relations(graph: EntityGraph, near: Sequence[Near], words: Words) -> Step:
    """Return the step that searched for relations: they are its nodes, their ends its edges."""
    nodes = [
        Node(
            id=_name(graph, one.place),
            kind="relation",
            score=one.score,
            passages=graph.relations[one.place].passages[:DRAWN],
        )
        for one in near
    ]
    edges = list(_edges(graph, [one.place for one in near]))
    return look("search.relations", nodes, edges, mode="similarity", asked=words.query, reason=words.reason)


def entity_node(graph: EntityGraph, entity: int, *, score: float | None = None) -> Node:
    """Return an entity as it is drawn."""
    one = graph.entities[entity]
    return Node(id=one.name, kind="entity", score=score, passages=one.passages[:DRAWN])


def _edges(graph: EntityGraph, relations: Sequence[int]) -> Iterator[Edge]:
    for place in relations:
        one = graph.relations[place]
        yield Edge(
            source=graph.entities[one.source].name,
            target=graph.entities[one.target].name,
            label=", ".join(one.keywords),
        )


def _name(graph: EntityGraph, relation: int) -> str:
    one = graph.relations[relation]
    return f"{graph.entities[one.source].name} - {graph.entities[one.target].name}"
