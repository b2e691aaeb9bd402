"""A graph of facts with the passages in it: the memory of HippoRAG 2."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from astrolabe.core.protocols import Cut, Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.dense import Dense
from astrolabe.parts.fact_graph import FactGraph, FactIndex
from astrolabe.parts.pagerank import Walk
from astrolabe.parts.triples import Reading
from astrolabe.parts.vectors import TextVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, kw_only=True)
class PassageIndex:
    """A graph of facts, and the vectors of facts and passages.

    Attributes:
        graph: Phrases, facts and synonyms.
        fact_vectors: Of the facts, as they are written.
        passage_vectors: Of the passages.
    """

    graph: FactIndex
    fact_vectors: TextVectors
    passage_vectors: TextVectors

    @property
    def gaps(self) -> Gaps:
        """Which passages are missing, and why."""
        return self.graph.gaps

    @cached_property
    def weights(self) -> "csr_array":
        """How strongly phrases and passages are tied, in both directions; first all phrases, then all passages.

        Phrases as in the graph of facts; a passage and each phrase of its facts with weight 1.
        """
        from scipy import sparse

        spoken = self.graph.facts.phrases_of_passages
        return cast("csr_array", sparse.block_array([[self.graph.weights, spoken.T], [spoken, None]], format="csr"))

    @cached_property
    def walk(self) -> Walk:
        """The walk over phrases and passages."""
        return Walk.over(self.weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageGraph:
    """The facts of a scope, merged, with synonym edges, and with the passages as nodes.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        reading: How triples are read: `at_once` in one reply a passage, `in_two`.
        synonyms: The cosine from which two phrases count as like each other, above 0 and at most 1.
    """

    name: ClassVar[str] = "passage_graph"
    prompts: ClassVar[tuple[str, ...]] = FactGraph.prompts

    size: int = 1200
    overlap: int = 100
    reading: Reading = "at_once"
    synonyms: float = 0.8

    def __post_init__(self) -> None:
        """Refuse what cannot be built, before anything runs."""
        _ = self.facts

    @property
    def cut(self) -> Cut:
        """The passages that are read."""
        return Cut(size=self.size, overlap=self.overlap)

    @property
    def facts(self) -> FactGraph:
        """What it adds passages to; HippoRAG reads the same."""
        return FactGraph(size=self.size, overlap=self.overlap, reading=self.reading, synonyms=self.synonyms)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> PassageIndex:  # noqa: ARG002 - its parts read them
        """Embed the facts; take the rest from the graph of facts and from the search by vectors."""
        graph = await kit.open(self.facts)
        dense = await kit.open(Dense(size=self.size, overlap=self.overlap))
        written = [graph.facts.written(place) for place in range(len(graph.facts.facts))]
        vectors = await TextVectors.over(written, kit.embedder)
        return PassageIndex(graph=graph, fact_vectors=vectors, passage_vectors=dense.vectors)

    def save(self, index: PassageIndex, folder: Path) -> None:
        """Write the graph of facts and the vectors, so that they open without another index."""
        self.facts.save(index.graph, folder)
        index.fact_vectors.save(folder, "facts")
        index.passage_vectors.save(folder, "passages")

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> PassageIndex:
        """Open what `save` wrote."""
        return PassageIndex(
            graph=self.facts.load(folder, passages, kit),
            fact_vectors=TextVectors.load(folder, kit.embedder, "facts"),
            passage_vectors=TextVectors.load(folder, kit.embedder, "passages"),
        )
