"""What a method looked at, as a step of its trace that can be drawn: nodes and the edges between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import JsonValue

from astrolabe.core.records import Hit, Step

NodeKind = Literal["question", "passage", "entity", "relation", "community", "summary", "fact", "keyword", "point"]

DRAWN: Final = 10
"""How many passages of an entity, a relation or a community a trace names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Something that was looked at.

    Attributes:
        id: Names it within the trace: a passage's id, an entity's name, `community 3`.
        kind: What it is.
        label: What a person reads; the id where it is empty.
        score: How near or important it was; null where that has no number.
        passages: The passages that it comes from.
    """

    id: str
    kind: NodeKind
    label: str = ""
    score: float | None = None
    passages: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """How two nodes hang together."""

    source: str
    target: str
    label: str = ""


def look(
    stage: str,
    nodes: Sequence[Node],
    edges: Sequence[Edge] = (),
    *,
    mode: str = "",
    reason: str = "",
    asked: str | None = None,
    hits: Sequence[Hit] = (),
) -> Step:
    """Return a step; `numbered` gives it its id.

    Args:
        stage: What was done, such as `search.entities`.
        nodes: What was seen, best first.
        edges: Between them.
        mode: How it was done, where there are several ways.
        reason: Why, where something was decided.
        asked: What was searched or asked for.
        hits: The passages that came of it.
    """
    drawn: dict[str, JsonValue] = {"nodes": [_node(node) for node in nodes], "edges": [_edge(edge) for edge in edges]}
    return Step(id="", stage=stage, mode=mode, reason=reason, input=asked, output=drawn, hits=tuple(hits))


def look_at(hits: Sequence[Hit], *, asked: str, mode: str = "") -> Step:
    """Return the step of a search for passages."""
    nodes = [Node(id=hit.passage_id, kind="passage", score=hit.score, passages=(hit.passage_id,)) for hit in hits]
    return look("search.passages", nodes, mode=mode, asked=asked, hits=hits)


def numbered(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps with ids in their order, `s1`, `s2`, ...; one that has an id keeps it."""
    return tuple(
        step if step.id else step.model_copy(update={"id": f"s{number}"}) for number, step in enumerate(steps, 1)
    )


def _node(node: Node) -> dict[str, JsonValue]:
    score = None if node.score is None else round(node.score, 6)
    return {
        "id": node.id,
        "kind": node.kind,
        "label": node.label or node.id,
        "score": score,
        "passages": list(node.passages),
    }


def _edge(edge: Edge) -> dict[str, JsonValue]:
    return {"source": edge.source, "target": edge.target, "label": edge.label}
