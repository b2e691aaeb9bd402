"""KET-RAG: a graph over the most central part of the documents, and words that lead to pieces of all of them."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Calls, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.core.spelling import Scalar
from astrolabe.parts.described_graph import DescribedGraph
from astrolabe.parts.extract import FOUR_TYPES, TYPES
from astrolabe.parts.ket_context import Budgets, Indexes, ket_shown
from astrolabe.parts.keyword_graph import KeywordGraph
from astrolabe.parts.parameters import check_positive, spec_of
from astrolabe.parts.rank import check_k
from astrolabe.parts.skeleton import SkeletonOf, skeleton_spec
from astrolabe.parts.write import Shown, write_from

_OVERSAMPLE: Final = 2
# Texts of pieces are full but for one piece, and a document's last one is not: never more than this a passage.
_MOST_TEXTS: Final[Mapping[SkeletonOf, float]] = {"passages": 1.0, "pieces": 2.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class KETRAG:
    """Only the most central texts are read for the graph (the skeleton); words and pieces cover the rest for no call.

    Documents are cut into pieces; each is tied to the one that shares the most words with it and to the most similar
    one, and PageRank says how central it is. A question is answered from the entities of the skeleton nearest to it,
    with their relations and pieces, and from the pieces that the words nearest to it lead to. Community reports, which
    KET-RAG pays for and never reads, are not written. Published: the most central pieces are merged into the texts
    that are read (here within a document), and the answer is as short as can be.

    Attributes:
        k: How many entities are looked around (KET-RAG: 10).
        relations: How many relations are shown for each of them, on the mean (KET-RAG: 10).
        words: How many words are walked at most (KET-RAG: 1,000).
        tokens: Tokens of all that is shown (KET-RAG: 12,000), at most what the model may be shown.
        theta: The share of them that is the skeleton's (KET-RAG's README: 0.5).
        text_share: The share of the skeleton's that is pieces (KET-RAG: 0.5).
        skeleton: What is read: whole `passages`, which all graph methods share, or merged `pieces` (KET-RAG's own).
        budget: The share of passages or pieces that is read (KET-RAG: 0.8).
        piece: Tokens a piece (KET-RAG: 150; it cuts the skeleton's at 300 to show them, here all are the same).
        size: Tokens a passage (KET-RAG: 1,200).
        overlap: Tokens that neighbouring passages share (KET-RAG: 100).
        types: The types of entities, separated by commas (KET-RAG has GraphRAG's four).
        gleanings: How often a passage is gone through again for what was missed (GraphRAG: 1).
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each.
        prompt: What the answer is asked with.
    """

    name: ClassVar[str] = "ketrag"
    paper: ClassVar[str] = "Huang et al. 2025 (KET-RAG)"
    index_calls: ClassVar[str] = "1 for each passage of the skeleton; 1 for each long description"
    question_calls: ClassVar[str] = "1"
    presets: ClassVar[Mapping[str, Mapping[str, Scalar]]] = {
        "published": {"skeleton": "pieces", "types": FOUR_TYPES, "gleanings": 1, "prompt": "write_short.v1"}
    }

    k: int = 10
    relations: int = 10
    words: int = 1_000
    tokens: int = 12_000
    theta: float = 0.5
    text_share: float = 0.5
    skeleton: SkeletonOf = "passages"
    budget: float = 0.8
    piece: int = 150
    size: int = 1200
    overlap: int = 100
    types: str = TYPES
    gleanings: int = 0
    describe_at: int = 500
    prompt: str = "write.v1"

    def __post_init__(self) -> None:
        """Refuse what cannot be searched, before anything runs."""
        check_k(self.k)
        check_positive(self.name, relations=self.relations, words=self.words, tokens=self.tokens)
        _ = self.keyword_graph, skeleton_spec(self.skeleton, self)
        if not (0 <= self.theta <= 1 and 0 <= self.text_share <= 1):
            msg = f"ketrag needs shares from 0 to 1, got theta={self.theta!r}, text_share={self.text_share!r}; try 0.5"
            raise ConfigError(msg)

    @property
    def keyword_graph(self) -> KeywordGraph:
        """Words and pieces."""
        return KeywordGraph(piece=self.piece)

    @property
    def calls(self) -> Calls:
        """The skeleton's share of what reading every passage would take; one a question."""
        whole = spec_of(DescribedGraph, self)
        fewest = self.budget * (1 + self.gleanings) if self.skeleton == "passages" else 0.0
        most = self.budget * _MOST_TEXTS[self.skeleton] * whole.most_calls
        return Calls(question_low=1, question_high=1, passage_low=fewest, passage_high=most, cut=whole.cut)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Look around the nearest entities of the skeleton, walk the nearest words, write."""
        keywords = await kit.open(self.keyword_graph)
        skeleton = await kit.open(skeleton_spec(self.skeleton, self))
        asked = await keywords.vectors.embed(question.text) if keywords.pieces else None
        if asked is None:
            return await write_from(question, Shown(text=""), kit)
        tokens = min(self.tokens, kit.context_tokens)
        near = await asyncio.to_thread(skeleton.vectors.near, asked, self.k)
        theta = self.theta if near else 0.0
        budgets = Budgets(
            things=int(tokens * theta * (1 - self.text_share)),
            around=int(tokens * theta * self.text_share),
            keywords=int(tokens * (1 - theta)),
        )
        walked = await asyncio.to_thread(
            keywords.walk, asked, words=self.words, tokens=budgets.keywords, oversample=_OVERSAMPLE
        )
        shown = ket_shown(
            question,
            asked,
            near,
            walked,
            indexes=Indexes(skeleton=skeleton, keywords=keywords),
            relations=self.relations,
            budgets=budgets,
            kit=kit,
        )
        return await write_from(question, shown, kit, prompt=self.prompt)
