"""GraphRAG: a graph of what passages speak of, its communities, a report on each; asked as a whole or near entities."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar, Literal

from astrolabe.core.protocols import Calls, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.core.spelling import Scalar
from astrolabe.parts.communities import Component
from astrolabe.parts.entity_vectors import EntityVectors
from astrolabe.parts.extract import FOUR_TYPES, TYPES
from astrolabe.parts.look import look
from astrolabe.parts.map_reduce import Block, blocks_of, map_reduce
from astrolabe.parts.no_graph import no_graph
from astrolabe.parts.parameters import check_positive, spec_of
from astrolabe.parts.rank import check_k
from astrolabe.parts.relation_vectors import RelationVectors
from astrolabe.parts.reports import ASPECTS, CommunityReports, Reports
from astrolabe.parts.surroundings import Budgets, surroundings
from astrolabe.parts.write import write_from

Order = Literal["degree", "similarity"]
_DRAWN = 50
"""How many communities a trace draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reported:
    """The index that both ways of asking share."""

    paper: ClassVar[str] = "Edge et al. 2024 (GraphRAG); run as in ASTRA-QA"
    index_calls: ClassVar[str] = "1 a passage; 1 a community (about one for four entities)"

    size: int = 1200
    overlap: int = 100
    types: str = TYPES
    gleanings: int = 0
    describe_at: int = 500
    component: Component = "all"
    max_size: int = 10
    level: int = 2
    report_tokens: int = 12_000
    aspects: str = ASPECTS

    @property
    def reports_of(self) -> CommunityReports:
        """The communities and their reports; `graph` of it is what they are communities of."""
        return spec_of(CommunityReports, self)

    def _calls(self, *, low: int, high: int) -> Calls:
        index = self.reports_of
        return Calls(
            question_low=low,
            question_high=high,
            passage_low=1 + self.gleanings,
            passage_high=index.most_calls,
            cut=index.cut,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRAGGlobal(_Reported):
    """Every report is asked for points (map), and the answer is written from the best of them (reduce).

    It reads no passage: what no report says is not found. Defaults are those of nano-graphrag, which the run of
    ASTRA-QA has, too; passages of all methods that build a graph are the same, and so are types and gleanings.
    Published: four types, one gleaning, and only the largest connected component of the graph.

    Attributes:
        size: Tokens a passage (1,200 in GraphRAG and all that follow it).
        overlap: Tokens that neighbouring passages share (100, likewise).
        types: The types of entities, separated by commas.
        gleanings: How often a passage is gone through again for what was missed (GraphRAG has 1).
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each (nano: 500).
        component: Which part of the graph has communities: `all` or `largest` (GraphRAG's).
        max_size: How many entities make a community too large (GraphRAG: 10).
        level: The deepest level that has reports (GraphRAG: 2).
        report_tokens: The most tokens that a report is written from (nano: 12,000).
        aspects: What reports pay most attention to (GraphRAG's are those of a decision maker).
        reports: How many reports are asked, those of the largest share of passages first (nano: 512).
        block_tokens: Tokens of reports that are asked at once (nano: 16,384), at most what the model may be shown.
        point_tokens: Tokens of points that the answer is written from (nano: 16,384), likewise.
        prompt: What the answer is asked with.
    """

    name: ClassVar[str] = "graphrag_global"
    question_calls: ClassVar[str] = "1 for each block of reports, and 1"
    presets: ClassVar[Mapping[str, Mapping[str, Scalar]]] = {
        "published": {"types": FOUR_TYPES, "gleanings": 1, "component": "largest"}
    }

    reports: int = 512
    block_tokens: int = 16_384
    point_tokens: int = 16_384
    prompt: str = "write.v1"

    def __post_init__(self) -> None:
        """Refuse what cannot be asked, before anything runs."""
        _ = self.reports_of.graph.extract
        check_positive(self.name, reports=self.reports, block_tokens=self.block_tokens, point_tokens=self.point_tokens)

    @property
    def calls(self) -> Calls:
        """A report may fill a block by itself; where no report says anything, no answer is asked for."""
        return self._calls(low=1, high=self.reports + 1)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Order the reports, ask them in blocks, write from the points."""
        index = await kit.open(self.reports_of)
        if not index.forest.communities:
            return no_graph(question, kit.passages(self.reports_of.cut))
        chosen = index.by_weight(self.level)[: self.reports]
        blocks = await asyncio.to_thread(self.blocks, index, chosen, kit)
        said = f"{len(chosen)} of {len(index.of)} reports, asked in blocks: {len(blocks)}; at most {_DRAWN} are drawn"
        drawn = [index.node(place) for place in chosen[:_DRAWN]]
        trace = [look("search.communities", drawn, mode="by occurrence, then rating", reason=said)]
        return await map_reduce(question, blocks, kit, tokens=self.point_tokens, trace=trace, prompt=self.prompt)

    def blocks(self, index: Reports, chosen: Sequence[int], kit: Kit) -> list[Block]:
        """Return the reports in blocks that a model may be shown."""
        rows, costs = [index.row(place) for place in chosen], [index.cost(place) for place in chosen]
        return blocks_of(rows, tokens=min(self.block_tokens, kit.context_tokens), name="reports", costs=costs)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRAGLocal(_Reported):
    """The entities nearest to the question, and what lies around them: reports, relations, passages; one call.

    Defaults are those of the run of ASTRA-QA: the budgets of nano-graphrag, and five entities (nano: 20, GraphRAG:
    10); where they are more than the model may be shown, all shrink together. Published: four types, one gleaning,
    and only the largest connected component has reports.

    Attributes:
        size: Tokens a passage (1,200 in GraphRAG and all that follow it).
        overlap: Tokens that neighbouring passages share (100, likewise).
        types: The types of entities, separated by commas.
        gleanings: How often a passage is gone through again for what was missed (GraphRAG has 1).
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each (nano: 500).
        component: Which part of the graph has communities: `all` or `largest` (GraphRAG's).
        max_size: How many entities make a community too large (GraphRAG: 10).
        level: The deepest level that has reports (GraphRAG: 2).
        report_tokens: The most tokens that a report is written from (nano: 12,000).
        aspects: What reports pay most attention to (GraphRAG's are those of a decision maker).
        k: How many entities are looked around.
        entity_tokens: Tokens of entities that are shown (nano shows them all; 4,800 as for relations).
        relation_tokens: Tokens of relations that are shown (nano: 4,800).
        community_tokens: Tokens of reports that are shown (nano: 3,200).
        passage_tokens: Tokens of passages that are shown (nano: 4,000).
        order: Relations by the `degree` of their ends, as in nano, or by `similarity` to the question.
        prompt: What the answer is asked with.
    """

    name: ClassVar[str] = "graphrag_local"
    question_calls: ClassVar[str] = "1"
    presets: ClassVar[Mapping[str, Mapping[str, Scalar]]] = {
        "published": {"types": FOUR_TYPES, "gleanings": 1, "component": "largest"}
    }

    k: int = 5
    entity_tokens: int = 4_800
    relation_tokens: int = 4_800
    community_tokens: int = 3_200
    passage_tokens: int = 4_000
    order: Order = "degree"
    prompt: str = "write.v1"

    def __post_init__(self) -> None:
        """Refuse what no search can do, before anything runs."""
        check_k(self.k)
        _ = self.reports_of.graph.extract
        check_positive(self.name, **asdict(self.budgets))

    @property
    def budgets(self) -> Budgets:
        """Tokens of each section."""
        return spec_of(Budgets, self)

    @property
    def calls(self) -> Calls:
        """One a question."""
        return self._calls(low=1, high=1)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Find entities, look around them, write."""
        graph = await kit.open(self.reports_of.graph)
        if not graph.entities:
            return no_graph(question, kit.passages(self.reports_of.cut))
        index, entities = await kit.open(self.reports_of), await kit.open(spec_of(EntityVectors, self))
        near = await entities.nearest(question.text, k=self.k)
        similar = None
        if self.order == "similarity":
            relations = (await kit.open(spec_of(RelationVectors, self))).texts
            query = await relations.embed(question.text)
            similar = None if query is None else relations.similar(query)
        shown = surroundings(
            question, near, graph=graph, index=index, kit=kit, level=self.level, budgets=self.budgets, similar=similar
        )
        return await write_from(question, shown, kit, prompt=self.prompt)
