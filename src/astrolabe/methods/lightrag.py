"""LightRAG: a graph whose entities and relations are both searched, by the names and by the themes of a question."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from astrolabe.core.protocols import Calls, Kit, Vectors
from astrolabe.core.records import Answer, Question, Step
from astrolabe.core.spelling import Scalar
from astrolabe.parts.around import Found, around_entities, around_relations, interleave
from astrolabe.parts.described_graph import DescribedGraph
from astrolabe.parts.entity_graph import EntityGraph
from astrolabe.parts.entity_vectors import EntityVectors
from astrolabe.parts.extract import FOUR_TYPES, TYPES
from astrolabe.parts.graph_sections import graph_sections, look_at_entities, look_at_keywords, look_at_relations
from astrolabe.parts.no_graph import no_graph
from astrolabe.parts.parameters import check_positive, spec_of
from astrolabe.parts.question_keywords import Keywords, Words, question_keywords
from astrolabe.parts.rank import check_k
from astrolabe.parts.relation_vectors import RelationVectors
from astrolabe.parts.write import write_from

Order = Literal["degree", "similarity"]
Searched = tuple[Found, tuple[Step, ...]]
_BUDGETS: Mapping[str, Scalar] = {"entity_tokens": 4_800, "relation_tokens": 4_800}


@dataclass(frozen=True, slots=True, kw_only=True)
class _LightRAG(ABC):
    """What the three ways of searching share: the graph, the keywords of a question, what is shown."""

    paper: ClassVar[str] = "Guo et al. 2024 (LightRAG); run as in ASTRA-QA"
    index_calls: ClassVar[str] = "1 a passage; 1 for each long description"
    question_calls: ClassVar[str] = "2"
    presets: ClassVar[Mapping[str, Mapping[str, Scalar]]] = {
        "published": {"k": 5, "types": FOUR_TYPES, "gleanings": 1, **_BUDGETS}
    }

    k: int = 60
    entity_tokens: int = 4_000
    relation_tokens: int = 4_000
    passage_tokens: int = 4_000
    order: Order = "degree"
    size: int = 1200
    overlap: int = 100
    types: str = TYPES
    gleanings: int = 0
    describe_at: int = 500
    prompt: str = "write.v1"

    def __post_init__(self) -> None:
        """Refuse what no search can do, before anything runs."""
        check_k(self.k)
        budgets = {name: getattr(self, name) for name in ("entity_tokens", "relation_tokens", "passage_tokens")}
        check_positive("lightrag", **budgets)
        _ = self.graph_of

    @property
    def graph_of(self) -> DescribedGraph:
        """The graph that is searched."""
        return spec_of(DescribedGraph, self)

    @property
    def calls(self) -> Calls:
        """Keywords and answer: two a question."""
        low, high = 1 + self.gleanings, self.graph_of.most_calls
        return Calls(question_low=2, question_high=2, passage_low=low, passage_high=high, cut=self.graph_of.cut)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Ask for keywords, search by them, write."""
        graph = await kit.open(self.graph_of)
        if not graph.entities:
            return no_graph(question, kit.passages(self.graph_of.cut))
        keywords = await question_keywords(question.text, kit)
        found, steps = await self._search(keywords, graph, kit)
        trace = [look_at_keywords(question.text, keywords), *steps]
        tokens = (self.entity_tokens, self.relation_tokens, self.passage_tokens)
        shown = graph_sections(found, graph, kit, tokens=tokens, trace=trace)
        return await write_from(question, shown, kit, prompt=self.prompt)

    @abstractmethod
    async def _search(self, keywords: Keywords, graph: EntityGraph, kit: Kit) -> Searched:
        """Return what is found, and the steps that found it."""

    async def _by_entities(self, words: Words, graph: EntityGraph, kit: Kit) -> Searched:
        """Enter the graph by its entities: their relations and passages lie around them."""
        near = await (await kit.open(spec_of(EntityVectors, self))).nearest(words.query, k=self.k)
        found = around_entities(graph, [one.place for one in near], similar=await self._similar(words, kit))
        return found, (look_at_entities(graph, near, words),)

    async def _by_relations(self, words: Words, graph: EntityGraph, kit: Kit) -> Searched:
        """Enter the graph by its relations: their ends and passages lie around them."""
        near = await (await kit.open(spec_of(RelationVectors, self))).texts.nearest(words.query, k=self.k)
        found = around_relations(graph, [one.place for one in near], similar=await self._similar(words, kit))
        return found, (look_at_relations(graph, near, words),)

    async def _similar(self, words: Words, kit: Kit) -> Vectors | None:
        """Return how similar each relation is to the words, where relations are ordered by it."""
        if self.order == "degree":
            return None
        relations = (await kit.open(spec_of(RelationVectors, self))).texts
        row = await relations.embed(words.query)
        return None if row is None else relations.similar(row)


@dataclass(frozen=True, slots=True, kw_only=True)
class LightRAGLow(_LightRAG):
    """The entities nearest to the names in the question, and the relations and passages around them.

    Defaults are those of LightRAG 1.0, except that passages are read once, as for all methods that build a graph.
    Published is the run of ASTRA-QA. Where the question has no low-level keyword, all of it is searched for.

    Attributes:
        k: How many entities are found (LightRAG: 60; published: 5).
        entity_tokens: Tokens of entities that are shown (no limit in either; 4,000 as for relations, published 4,800).
        relation_tokens: Tokens of relations that are shown (LightRAG: 4,000; published: 4,800).
        passage_tokens: Tokens of passages that are shown (4,000 in both).
        order: Relations by the `degree` of their ends, as in both, or by `similarity` to the keywords.
        size: Tokens a passage (1,200 in both).
        overlap: Tokens that neighbouring passages share (100 in both).
        types: The types of entities, separated by commas (published: four).
        gleanings: How often a passage is gone through again for what was missed (1 in both).
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each (500 in both).
        prompt: What the answer is asked with.
    """

    name: ClassVar[str] = "lightrag_low"

    async def _search(self, keywords: Keywords, graph: EntityGraph, kit: Kit) -> Searched:
        return await self._by_entities(keywords.low, graph, kit)


@dataclass(frozen=True, slots=True, kw_only=True)
class LightRAGHigh(_LightRAG):
    """The relations nearest to the themes of the question, all their ends, and their passages.

    Defaults are those of LightRAG 1.0, except that passages are read once, as for all methods that build a graph.
    Published is the run of ASTRA-QA. Where the question has no high-level keyword, all of it is searched for; where
    the graph has no relation, its entities are searched instead.

    Attributes:
        k: How many relations are found (LightRAG: 60; published: 5).
        entity_tokens: Tokens of entities that are shown (LightRAG: 4,000; published: 4,800).
        relation_tokens: Tokens of relations that are shown (LightRAG: 4,000; published: 4,800).
        passage_tokens: Tokens of passages that are shown (4,000 in both).
        order: Relations by the `degree` of their ends, as in both, or by `similarity` to the keywords.
        size: Tokens a passage (1,200 in both).
        overlap: Tokens that neighbouring passages share (100 in both).
        types: The types of entities, separated by commas (published: four).
        gleanings: How often a passage is gone through again for what was missed (1 in both).
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each (500 in both).
        prompt: What the answer is asked with.
    """

    name: ClassVar[str] = "lightrag_high"

    async def _search(self, keywords: Keywords, graph: EntityGraph, kit: Kit) -> Searched:
        if graph.relations:
            return await self._by_relations(keywords.high, graph, kit)
        reason = "; ".join(filter(None, [keywords.high.reason, "the graph has no relation: entities are searched"]))
        return await self._by_entities(keywords.high._replace(reason=reason), graph, kit)


@dataclass(frozen=True, slots=True, kw_only=True)
class LightRAGHybrid(_LightRAG):
    """Both ways at once: what low and high find, merged in turns by what it is, within one set of budgets.

    Defaults are those of LightRAG 1.0, except that passages are read once, as for all methods that build a graph, and
    that both are merged in turns, as in LightRAG 1.4. Published is the run of ASTRA-QA.

    Attributes:
        k: How many entities and how many relations are found (LightRAG: 60; published: 5).
        entity_tokens: Tokens of entities that are shown (LightRAG: 4,000; published: 4,800).
        relation_tokens: Tokens of relations that are shown (LightRAG: 4,000; published: 4,800).
        passage_tokens: Tokens of passages that are shown (4,000 in both).
        order: Relations by the `degree` of their ends, as in both, or by `similarity` to the keywords.
        size: Tokens a passage (1,200 in both).
        overlap: Tokens that neighbouring passages share (100 in both).
        types: The types of entities, separated by commas (published: four).
        gleanings: How often a passage is gone through again for what was missed (1 in both).
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each (500 in both).
        prompt: What the answer is asked with.
    """

    name: ClassVar[str] = "lightrag_hybrid"

    async def _search(self, keywords: Keywords, graph: EntityGraph, kit: Kit) -> Searched:
        low, by_entities = await self._by_entities(keywords.low, graph, kit)
        high, by_relations = await self._by_relations(keywords.high, graph, kit)
        return interleave(low, high), (*by_entities, *by_relations)
