"""The relations of a graph as vectors: where the themes of a question enter it."""

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
from astrolabe.parts.vectors import TextVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedRelations:
    """The vectors of a graph's relations, by their places.

    Attributes:
        texts: Each relation's keywords, ends and description.
        gaps: What the graph lacks.
    """

    texts: TextVectors
    gaps: Gaps


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationVectors:
    """The relations of a `DescribedGraph`, each embedded with its themes, its ends and its description.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        types: The types of entities, separated by commas.
        gleanings: How often a passage is gone through again for what was missed.
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each.
    """

    name: ClassVar[str] = "relation_vectors"
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

    async def build(self, passages: Sequence[Passage], kit: Kit) -> EmbeddedRelations:  # noqa: ARG002 - the protocol's
        """Embed every relation."""
        graph = await kit.open(self.graph)
        texts = [relation_text(graph, place) for place in range(len(graph.relations))]
        return EmbeddedRelations(texts=await TextVectors.over(texts, kit.embedder), gaps=graph.gaps)

    def save(self, index: EmbeddedRelations, folder: Path) -> None:
        """Write the vectors."""
        index.texts.save(folder)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> EmbeddedRelations:  # noqa: ARG002 - the protocol's
        """Map the vectors into memory."""
        return EmbeddedRelations(texts=TextVectors.load(folder, kit.embedder), gaps=Gaps())


def relation_text(graph: EntityGraph, relation: int) -> str:
    """Return what of a relation is embedded: its themes, its ends, and what is said of it, a line each."""
    one = graph.relations[relation]
    ends = f"{graph.entities[one.source].name}, {graph.entities[one.target].name}"
    return "\n".join(filter(None, [", ".join(one.keywords), ends, one.description]))
