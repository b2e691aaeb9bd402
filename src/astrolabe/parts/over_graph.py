"""What every index has in common that is made of the graph of a scope."""

from dataclasses import dataclass
from typing import ClassVar

from astrolabe.core.protocols import Cut
from astrolabe.parts.described_graph import DescribedGraph
from astrolabe.parts.extract import TYPES
from astrolabe.parts.parameters import spec_of


@dataclass(frozen=True, slots=True, kw_only=True)
class OverGraph:
    """The parameters of the `DescribedGraph` that an index is made of.

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
        """What it is made of."""
        return spec_of(DescribedGraph, self)
