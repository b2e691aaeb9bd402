"""The texts of a graph as vectors: what its entities and its relations have in common when they are embedded."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from astrolabe.core.protocols import Cut, Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.described_graph import DescribedGraph
from astrolabe.parts.entity_graph import EntityGraph
from astrolabe.parts.extract import TYPES
from astrolabe.parts.parameters import spec_of
from astrolabe.parts.vectors import Near, TextVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedGraph:
    """The vectors of a graph's entities or relations, by their places.

    Attributes:
        texts: What of each is embedded.
        gaps: What the graph lacks.
    """

    texts: TextVectors
    gaps: Gaps

    async def nearest(self, query: str, *, k: int) -> list[Near]:
        """Return the `k` nearest to a query, as `TextVectors.nearest` does."""
        return await self.texts.nearest(query, k=k)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphVectors(ABC):
    """What of a `DescribedGraph` is embedded, a text each.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        types: The types of entities, separated by commas.
        gleanings: How often a passage is gone through again for what was missed.
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each.
    """

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

    @abstractmethod
    def texts_of(self, graph: EntityGraph) -> list[str]:
        """Return what is embedded, in the order of the places."""

    async def build(self, passages: Sequence[Passage], kit: Kit) -> EmbeddedGraph:  # noqa: ARG002 - the protocol's
        """Embed every text."""
        graph = await kit.open(self.graph)
        return EmbeddedGraph(texts=await TextVectors.over(self.texts_of(graph), kit.embedder), gaps=graph.gaps)

    def save(self, index: EmbeddedGraph, folder: Path) -> None:
        """Write the vectors."""
        index.texts.save(folder)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> EmbeddedGraph:  # noqa: ARG002 - the protocol's
        """Map the vectors into memory."""
        return EmbeddedGraph(texts=TextVectors.load(folder, kit.embedder), gaps=Gaps())
