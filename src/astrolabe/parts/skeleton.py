"""A graph over the most central part of a scope, so that the rest costs no call: the other half of KET-RAG's index."""

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple, cast

import numpy as np

from astrolabe.core.errors import ConfigError
from astrolabe.core.ids import content_id
from astrolabe.core.protocols import Gaps, IndexSpec, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.apart import apart
from astrolabe.parts.described_graph import described, load_graph, save_graph
from astrolabe.parts.entity_graph import EntityGraph, merged
from astrolabe.parts.entity_vectors import entity_text
from astrolabe.parts.keyword_graph import KeywordGraph, KeywordIndex
from astrolabe.parts.over_graph import OverGraph
from astrolabe.parts.pagerank import Numbers
from astrolabe.parts.parameters import spec_of
from astrolabe.parts.piece_ranks import mean_ranks, overlapping, piece_ranks
from astrolabe.parts.vectors import TextVectors

if TYPE_CHECKING:
    from astrolabe.parts.cooccurrence import Places

DAMPING: Final = 0.85
"""Of the PageRank over pieces (KET-RAG's, and Brin and Page's own)."""
_A_LONG_TIME: Final = 3_000
"""From so many pieces on, comparing all with all takes longer than starting a process."""


class Part(NamedTuple):
    """A text that is read for the graph, and the pieces that it is made of, by their places."""

    text: Passage
    pieces: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class SkeletonIndex:
    """A graph whose entities and relations name pieces, and its entities' vectors.

    Attributes:
        graph: What was read in the most central texts; its passages are the pieces of those texts.
        vectors: Of the entities.
    """

    graph: EntityGraph
    vectors: TextVectors

    @property
    def gaps(self) -> Gaps:
        """What could not be read or described."""
        return self.graph.gaps


@dataclass(frozen=True, slots=True, kw_only=True)
class _Skeleton(OverGraph, ABC):
    """What both ways of choosing share: ranking pieces, reading the chosen texts, merging."""

    piece: int = 150
    budget: float = 0.8

    def __post_init__(self) -> None:
        """Refuse what cannot be built, before anything runs."""
        _ = self.graph, self.keywords
        if not 0 < self.budget <= 1:
            raise ConfigError(
                f"a skeleton needs a budget above 0 and at most 1, got {self.budget!r}; choose budget=0.8"
            )

    @property
    def keywords(self) -> KeywordGraph:
        """Has the pieces and their vectors."""
        return KeywordGraph(piece=self.piece)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> SkeletonIndex:
        """Rank pieces, read the most central texts, merge, describe, embed."""
        keywords = await kit.open(self.keywords)
        ranks = await _ranks(keywords)
        parts = self.chosen(passages, keywords.pieces, ranks)
        # The index of extractions would ask about every passage. What is asked here is recorded under the same keys.
        read = await self.graph.extract.build([part.text for part in parts], kit)
        graph = await asyncio.to_thread(merged, read.of, read.gaps)
        graph = await described(graph, kit, at=self.describe_at)
        vectors = await TextVectors.over([entity_text(entity) for entity in graph.entities], kit.embedder)
        pieces = {part.text.id: [keywords.pieces[place].id for place in part.pieces] for part in parts}
        return SkeletonIndex(graph=_over_pieces(graph, pieces), vectors=vectors)

    @abstractmethod
    def chosen(self, passages: Sequence[Passage], pieces: Sequence[Passage], ranks: Numbers) -> list[Part]:
        """Return the texts to be read, in the scope's order."""

    def save(self, index: SkeletonIndex, folder: Path) -> None:
        """Write the graph and the vectors."""
        save_graph(index.graph, folder)
        index.vectors.save(folder)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> SkeletonIndex:  # noqa: ARG002 - the protocol's
        """Open what `save` wrote."""
        return SkeletonIndex(graph=load_graph(folder), vectors=TextVectors.load(folder, kit.embedder))


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageSkeleton(_Skeleton):
    """The graph over the passages whose pieces are most central on the mean.

    Whole passages are read, so that all methods and scopes share what was read.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        types: The types of entities, separated by commas.
        gleanings: How often a passage is gone through again for what was missed.
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each.
        piece: Tokens a piece.
        budget: The share of passages that is read, rounded up.
    """

    name: ClassVar[str] = "passage_skeleton"

    def chosen(self, passages: Sequence[Passage], pieces: Sequence[Passage], ranks: Numbers) -> list[Part]:
        """Return the most central passages; of equal ones the first."""
        shares = overlapping(passages, pieces)
        kept = _highest(mean_ranks(shares, ranks), self.budget)
        return [Part(passages[place], tuple(shares[place])) for place in kept]


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceSkeleton(_Skeleton):
    """The graph over the most central pieces, merged in reading order into texts of a passage's size, as published.

    A text never spans two documents. What is read depends on the scope, so that scopes share nothing.

    Attributes:
        size: The most tokens a text.
        overlap: Has no effect on what is read: pieces do not overlap.
        types: The types of entities, separated by commas.
        gleanings: How often a text is gone through again for what was missed.
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each.
        piece: Tokens a piece.
        budget: The share of pieces that is read, rounded up.
    """

    name: ClassVar[str] = "piece_skeleton"

    def chosen(self, passages: Sequence[Passage], pieces: Sequence[Passage], ranks: Numbers) -> list[Part]:  # noqa: ARG002 - the other's
        """Return the most central pieces, merged."""
        kept = _highest(ranks, self.budget)
        by_document = groupby(kept, key=lambda place: pieces[place].document_id)
        return list(chain.from_iterable(_merged(list(own), pieces, self.size) for _, own in by_document))


SkeletonOf = Literal["passages", "pieces"]
_KINDS: Final[Mapping[SkeletonOf, type[PassageSkeleton | PieceSkeleton]]] = {
    "passages": PassageSkeleton,
    "pieces": PieceSkeleton,
}


def skeleton_spec(of: SkeletonOf, method: object) -> IndexSpec[SkeletonIndex]:
    """Return the skeleton that a word stands for, with the method's parameters of the same names."""
    return spec_of(_KINDS[of], method)


def _highest(ranks: Numbers, budget: float) -> list[int]:
    """Return the places of the highest share of ranks, in their own order; of equal ones the first are taken."""
    wanted = math.ceil(round(budget * len(ranks), 9))
    # In parts of the mean, so that rounding is as fine for many as for few.
    order = np.argsort(-np.round(ranks * len(ranks), 9), kind="stable")[:wanted]
    return sorted(order.tolist())


def _merged(places: Sequence[int], pieces: Sequence[Passage], size: int) -> list[Part]:
    """Return pieces of one document in texts of at most `size` tokens, in order; a piece that is longer is alone."""
    texts: list[list[int]] = []
    room = 0
    for place in places:
        if not texts or pieces[place].tokens > room:
            texts.append([])
            room = size
        texts[-1].append(place)
        room -= pieces[place].tokens
    return [Part(_joined([pieces[place] for place in own]), tuple(own)) for own in texts]


def _joined(pieces: Sequence[Passage]) -> Passage:
    """Return pieces as one text; it is no stretch of its document where a piece between them is left out."""
    text = "\n".join(piece.text.strip() for piece in pieces)
    return Passage(
        id=content_id("p", *(piece.id for piece in pieces)),
        document_id=pieces[0].document_id,
        text=text,
        start=0,
        end=len(text),
        tokens=sum(piece.tokens for piece in pieces),
    )


async def _ranks(keywords: KeywordIndex) -> Numbers:
    if not keywords.pieces:
        return np.zeros(0)
    arrays = {
        "vectors": keywords.vectors.pooled,
        "starts": cast("Places", keywords.held.indptr),
        "words": cast("Places", keywords.held.indices),
        "width": np.array(len(keywords.words)),
        "damping": np.array(DAMPING),
    }
    return cast("Numbers", (await apart(piece_ranks, arrays, heavy=len(keywords.pieces) > _A_LONG_TIME))["ranks"])


def _over_pieces(graph: EntityGraph, pieces: Mapping[str, Sequence[str]]) -> EntityGraph:
    """Return the graph with the pieces of the texts in the place of the texts, each once."""

    def within(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(piece for text in texts for piece in pieces[text]))

    return replace(
        graph,
        entities=tuple(replace(entity, passages=within(entity.passages)) for entity in graph.entities),
        relations=tuple(replace(relation, passages=within(relation.passages)) for relation in graph.relations),
    )
