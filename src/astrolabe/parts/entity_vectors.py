"""The entities of a graph as vectors: where a question enters it."""

from dataclasses import dataclass
from typing import ClassVar

from astrolabe.parts.entity_graph import Entity, EntityGraph
from astrolabe.parts.graph_vectors import GraphVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityVectors(GraphVectors):
    """The entities of a `DescribedGraph`, each embedded with its description."""

    name: ClassVar[str] = "entity_vectors"

    def texts_of(self, graph: EntityGraph) -> list[str]:
        """Return the text of every entity."""
        return [entity_text(entity) for entity in graph.entities]


def entity_text(entity: Entity) -> str:
    """Return what of an entity is embedded: its name, and below it what is said of it."""
    return f"{entity.name}\n{entity.description}".strip()
