"""The entities of a graph as vectors: where a question enters it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from astrolabe.core.protocols import Cut, Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.described_graph import DescribedGraph
from astrolabe.parts.entity_graph import Entity
from astrolabe.parts.extract import TYPES
from astrolabe.parts.parameters import spec_of
from astrolabe.parts.vectors import Near, TextVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedEntities:
    """The vectors of a graph's entities, by their places.

    Attributes:
        texts: Each entity's name and description.
        gaps: What the graph lacks.
    """

    texts: TextVectors
    gaps: Gaps

    async def nearest(self, query: str, *, k: int) -> list[Near]:
        """Return the `k` entities nearest to a query, as `TextVectors.nearest` does."""
        return await self.texts.nearest(query, k=k)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityVectors:
    """The entities of a `DescribedGraph`, each embedded with its description.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        types: The types of entities, separated by commas.
        gleanings: How often a passage is gone through again for what was missed.
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each.
    """

    name: ClassVar[str] = "entity_vectors"
    prompts: ClassVar[tuple[str, ...]] = DescribedGraph.prompts

    size: int = 1200
    overlap: int = 100
    types: str = TYPES
    gleanings: int = 0
    describe_at: int = 500

    @property
    def cut(self) -> Cut:
        """The passages that are read."""
        return Cut(size=self.size, overlap=self.overlap)

    @property
    def graph(self) -> DescribedGraph:
        """What is embedded."""
        return spec_of(DescribedGraph, self)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> EmbeddedEntities:  # noqa: ARG002 - the protocol's
        """Embed every entity."""
        graph = await kit.open(self.graph)
        texts = [entity_text(entity) for entity in graph.entities]
        return EmbeddedEntities(texts=await TextVectors.over(texts, kit.embedder), gaps=graph.gaps)

    def save(self, index: EmbeddedEntities, folder: Path) -> None:
        """Write the vectors."""
        index.texts.save(folder)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> EmbeddedEntities:  # noqa: ARG002 - the protocol's
        """Map the vectors into memory."""
        return EmbeddedEntities(texts=TextVectors.load(folder, kit.embedder), gaps=Gaps())


def entity_text(entity: Entity) -> str:
    """Return what of an entity is embedded: its name, and below it what is said of it."""
    return f"{entity.name}\n{entity.description}".strip()
