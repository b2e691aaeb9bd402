"""The relations of a graph as vectors: where the themes of a question enter it."""

from dataclasses import dataclass
from typing import ClassVar

from astrolabe.parts.entity_graph import EntityGraph
from astrolabe.parts.graph_vectors import GraphVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationVectors(GraphVectors):
    """The relations of a `DescribedGraph`, each embedded with its themes, its ends and its description."""

    name: ClassVar[str] = "relation_vectors"

    def texts_of(self, graph: EntityGraph) -> list[str]:
        """Return the text of every relation."""
        return [relation_text(graph, place) for place in range(len(graph.relations))]


def relation_text(graph: EntityGraph, relation: int) -> str:
    """Return what of a relation is embedded: its themes, its ends, and what is said of it, a line each."""
    one = graph.relations[relation]
    ends = f"{graph.entities[one.source].name}, {graph.entities[one.target].name}"
    return "\n".join(filter(None, [", ".join(one.keywords), ends, one.description]))
