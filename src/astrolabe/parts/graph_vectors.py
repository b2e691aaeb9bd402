"""The texts of a graph as vectors: what its entities and its relations have in common when they are embedded."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from astrolabe.core.protocols import Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.entity_graph import EntityGraph
from astrolabe.parts.over_graph import OverGraph
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
class GraphVectors(OverGraph, ABC):
    """What of a `DescribedGraph` is embedded, a text each."""

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
