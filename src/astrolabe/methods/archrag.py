"""ArchRAG: communities of what is related and alike, searched on every level, filtered by points, then answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from astrolabe.core.protocols import Calls, Kit
from astrolabe.core.records import Answer, Question, Step
from astrolabe.core.spelling import Scalar
from astrolabe.parts.attributed_hierarchy import AttributedHierarchy
from astrolabe.parts.attributed_search import layer_blocks, look_at_layers, search_layers
from astrolabe.parts.extract import FOUR_TYPES, TYPES
from astrolabe.parts.look import look
from astrolabe.parts.map_reduce import Block, map_reduce
from astrolabe.parts.no_graph import no_graph
from astrolabe.parts.pack import no_context
from astrolabe.parts.parameters import check_positive, spec_of
from astrolabe.parts.rank import check_k
from astrolabe.parts.relation_vectors import RelationVectors
from astrolabe.parts.reports import ASPECTS
from astrolabe.parts.sections import Row
from astrolabe.parts.write import write_alone

Searched = Literal["all", "lowest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchRAG:
    """The nearest entities, relations and communities of every level are asked for points; the best are written up.

    Defaults are those of ArchRAG's code, with what its paper describes: every level is searched, edges have weights,
    and no answer without context is mixed in. Published is the script of its authors' run as it works: its values,
    entities and the lowest communities alone (its flag for levels is inverted), edges without weights (they are never
    set), and an answer from the model's own knowledge among what is asked for points.

    Attributes:
        size: Tokens a passage (ArchRAG: 600; here as for all methods that build a graph).
        overlap: Tokens that neighbouring passages share (ArchRAG: 100).
        types: The types of entities, separated by commas (ArchRAG: four).
        gleanings: How often a passage is gone through again for what was missed (ArchRAG: 1).
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each.
        max_level: The most levels above the entities (code 4, script 6).
        min_clusters: A level of fewer communities ends the hierarchy; the first is always there (code 5, script 10).
        max_size: How many nodes make a community too large (15 in both).
        percentile: New edges join what is more alike than this share of the related pairs (code 0.7, script 0.8).
        weighted: Whether an edge weighs what its ends have in common.
        report_tokens: The most tokens that a report is written from (4,000 in both).
        aspects: What reports pay most attention to.
        levels: Whether `all` levels are searched or the `lowest` communities only; entities always are.
        own_answer: Whether an answer from the model's own knowledge is asked for points, too.
        k: How many of each level are found (5 in both).
        k_relations: How many relations of the entities found (10 in both).
        block_tokens: Tokens that are asked for points at once (4,000 in both), at most what the model may be shown.
        point_tokens: Tokens of points that the answer is written from (4,000 in both), likewise.
        prompt: What the answer is asked with.
    """

    name: ClassVar[str] = "archrag"
    paper: ClassVar[str] = "Wang et al. 2025 (ArchRAG)"
    index_calls: ClassVar[str] = "1 a passage; 1 a community (about one for five entities)"
    question_calls: ClassVar[str] = "1 for each block of entities or communities, and 1"
    presets: ClassVar[Mapping[str, Mapping[str, Scalar]]] = {
        "published": {
            "size": 600,
            "types": FOUR_TYPES,
            "gleanings": 1,
            "max_level": 6,
            "min_clusters": 10,
            "percentile": 0.8,
            "weighted": False,
            "levels": "lowest",
            "own_answer": True,
            "prompt": "write_knowing.v1",
        }
    }

    size: int = 1200
    overlap: int = 100
    types: str = TYPES
    gleanings: int = 0
    describe_at: int = 500
    max_level: int = 4
    min_clusters: int = 5
    max_size: int = 15
    percentile: float = 0.7
    weighted: bool = True
    report_tokens: int = 4_000
    aspects: str = ASPECTS
    levels: Searched = "all"
    own_answer: bool = False
    k: int = 5
    k_relations: int = 10
    block_tokens: int = 4_000
    point_tokens: int = 4_000
    prompt: str = "write.v1"

    def __post_init__(self) -> None:
        """Refuse what cannot be searched, before anything runs."""
        check_k(self.k)
        _ = self.hierarchy_of.graph.extract
        check_positive(
            self.name, k_relations=self.k_relations, block_tokens=self.block_tokens, point_tokens=self.point_tokens
        )

    @property
    def hierarchy_of(self) -> AttributedHierarchy:
        """The levels; `graph` of it is what lies below them."""
        return spec_of(AttributedHierarchy, self)

    @property
    def calls(self) -> Calls:
        """A row may fill a block by itself; where nothing found says anything, no answer is asked for."""
        rows = self.k * (1 + (self.max_level if self.levels == "all" else 1)) + self.k_relations
        return Calls(
            question_low=1 + self.own_answer,
            question_high=rows + 1 + 2 * self.own_answer,
            passage_low=1 + self.gleanings,
            passage_high=self.hierarchy_of.most_calls,
            cut=self.hierarchy_of.cut,
        )

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Search every level, ask for points, write from the best."""
        graph = await kit.open(self.hierarchy_of.graph)
        if not graph.entities:
            return no_graph(question, kit.passages(self.hierarchy_of.cut))
        hierarchy = await kit.open(self.hierarchy_of)
        entities = (await kit.open(self.hierarchy_of.entities)).texts
        relations = (await kit.open(spec_of(RelationVectors, self))).texts
        query = await entities.embed(question.text)
        if query is None:
            return no_context(question, [])
        levels = hierarchy.levels if self.levels == "all" else hierarchy.levels[:1]
        found = search_layers(
            query, graph, entities=entities, relations=relations, levels=levels, k=self.k, k_relations=self.k_relations
        )
        blocks = layer_blocks(found, graph, levels, tokens=min(self.block_tokens, kit.context_tokens))
        trace = look_at_layers(question, found, graph, levels)
        if self.own_answer:
            own, step = await _own_answer(question, kit)
            blocks, trace = [*blocks, *own], [*trace, step]
        return await map_reduce(question, blocks, kit, tokens=self.point_tokens, trace=trace, prompt=self.prompt)


async def _own_answer(question: Question, kit: Kit) -> tuple[list[Block], Step]:
    """Return an answer without any document as a block of its own; none where it failed, and the step says why."""
    own = await write_alone(question, kit)
    if own.status != "ok":
        return [], look("ask.own_answer", [], asked=question.text, reason=f"no own answer: {own.reason}")
    row = Row(f"What the model itself makes of the question, without any material:\n{own.text}")
    return [Block(name="own answer", rows=[row])], look("ask.own_answer", [], asked=question.text)
