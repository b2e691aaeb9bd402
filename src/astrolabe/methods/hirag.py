"""HiRAG: broader entities above those of the passages; answers from near ones, their communities and a bridge."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

from astrolabe.core.protocols import Calls, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.core.spelling import Scalar
from astrolabe.parts.bridge import bridge
from astrolabe.parts.bridged import Budgets, Reached, bridged
from astrolabe.parts.communities import Component
from astrolabe.parts.extract import TYPES
from astrolabe.parts.layered_reports import BROADER_TYPES, Extraction, Layered, LayeredReports
from astrolabe.parts.no_graph import no_graph
from astrolabe.parts.parameters import check_positive, spec_of
from astrolabe.parts.rank import check_k
from astrolabe.parts.reports import ASPECTS
from astrolabe.parts.soft_clusters import Reducer
from astrolabe.parts.vectors import Near
from astrolabe.parts.write import write_from


@dataclass(frozen=True, slots=True, kw_only=True)
class HiRAG:
    """A hierarchy of entities and a bridge between communities (Huang et al. 2025); one call a question.

    Clusters of entities are summed up in broader entities, layer by layer; all layers are one graph with communities
    and reports. The question finds entities; shown are the reports of their communities, the shortest paths that join
    the communities' key entities, the entities, and their passages.

    Defaults are the paper's code's unless said. Its budgets add up to 45,000 tokens, more than its model reads; here
    all sections shrink together to what the model may be shown. `published` reads passages in two steps with a
    gleaning each (4 calls) and clusters with UMAP and raw BIC; only the largest component has reports there.

    Attributes:
        k: How many entities are looked around (20).
        wider: So many times as many entities are candidates for the bridge (10).
        keys: How many key entities a community has at most (10).
        size: Tokens a passage (1,200).
        overlap: Tokens that neighbouring passages share (100).
        types: The types of entities, separated by commas (nine and others; ours suit papers).
        gleanings: How often a passage is gone through again for what was missed (1; none here).
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each (500).
        extraction: `in_steps` as published, or `together`, the one reply that all graph methods share here.
        broader_types: The types of broader entities, separated by commas (nine).
        reducer: `umap` as published (extra `[raptor]`), `pca` or `neighbours`; see `SoftClusters`.
        dimensions: What `pca` and `umap` reduce to (2).
        threshold: How probably an entity must belong to a cluster to be in it (0.1).
        component_rows: A mixture has at most a component for so many entities (1; 3 is ours, for small layers).
        floor: Added to a mixture's covariances, as a share of the mean variance (0; 0.05 is ours).
        starts: How often a mixture is fitted from another start (5).
        settled: A mixture has enough components where BIC changes by less than this share (0.001).
        layers: The most layers of broader entities (50).
        sparse: At this sparsity of clusters no further layer is made (0.98).
        change: Where sparsity changes by at most this share, neither (0.05).
        cluster_tokens: The most tokens of a cluster that are shown at once (60,000, cut at random; here those with
            most relations first, and at most what the model may be shown).
        component: `all`, or `largest`: what is outside the largest connected component has no report (largest).
        max_size: How many entities make a community too large (10).
        level: The deepest level that has reports (2).
        report_tokens: The most tokens that a report is written from (32,768 in all; 12,000 as for GraphRAG here).
        aspects: What reports pay most attention to.
        community_tokens: Tokens of reports that are shown (12,500).
        path_tokens: Tokens of the bridge that are shown (12,500).
        entity_tokens: Tokens of entities that are shown (it shows all 20; 3,000 holds them).
        passage_tokens: Tokens of passages that are shown (20,000).
        prompt: What the answer is asked with.
    """

    name: ClassVar[str] = "hirag"
    paper: ClassVar[str] = "Huang et al. 2025 (HiRAG)"
    index_calls: ClassVar[str] = "1 a passage; 1 a cluster of entities in each layer; 1 a community"
    question_calls: ClassVar[str] = "1"
    presets: ClassVar[Mapping[str, Mapping[str, Scalar]]] = {
        "published": {
            "types": (
                "organization, person, location, event, product, technology, industry, mathematics, social sciences"
            ),
            "broader_types": (
                "organization, person, location, event, product, technology, industry, mathematics, social sciences"
            ),
            "gleanings": 1,
            "extraction": "in_steps",
            "reducer": "umap",
            "component_rows": 1,
            "floor": 0.0,
            "cluster_tokens": 60_000,
            "component": "largest",
        }
    }

    k: int = 20
    wider: int = 10
    keys: int = 10
    size: int = 1200
    overlap: int = 100
    types: str = TYPES
    gleanings: int = 0
    describe_at: int = 500
    extraction: Extraction = "together"
    broader_types: str = BROADER_TYPES
    reducer: Reducer = "neighbours"
    dimensions: int = 2
    threshold: float = 0.1
    component_rows: int = 3
    floor: float = 0.05
    starts: int = 5
    settled: float = 0.001
    layers: int = 50
    sparse: float = 0.98
    change: float = 0.05
    cluster_tokens: int = 12_000
    component: Component = "all"
    max_size: int = 10
    level: int = 2
    report_tokens: int = 12_000
    aspects: str = ASPECTS
    community_tokens: int = 12_500
    path_tokens: int = 12_500
    entity_tokens: int = 3_000
    passage_tokens: int = 20_000
    prompt: str = "write.v1"

    def __post_init__(self) -> None:
        """Refuse what cannot be asked, before anything runs."""
        check_k(self.k)
        check_positive(self.name, wider=self.wider, keys=self.keys, **asdict(spec_of(Budgets, self)))
        _ = self.index

    @property
    def index(self) -> LayeredReports:
        """What is searched."""
        return spec_of(LayeredReports, self)

    @property
    def calls(self) -> Calls:
        """One a question."""
        index = self.index
        return Calls(
            question_low=1,
            question_high=1,
            passage_low=index.least_calls,
            passage_high=index.most_calls,
            scope_high=index.most_calls_above,
            cut=index.cut,
        )

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Find entities, their communities, the bridge between those, and their passages; write."""
        index = await kit.open(self.index)
        if not index.graph.entities:
            return no_graph(question, kit.passages(self.index.cut))
        wide = await index.texts.nearest(question.text, k=self.k * self.wider)
        near = wide[: self.k]
        communities = index.reports.around([one.place for one in near], level=self.level)
        path = await bridge(index.graph, self._keys(index, wide, communities))
        found = Reached(near=near, communities=communities, path=path)
        shown = bridged(question, found, index=index, kit=kit, budgets=spec_of(Budgets, self))
        return await write_from(question, shown, kit, prompt=self.prompt)

    def _keys(self, index: Layered, wide: Sequence[Near], communities: Sequence[int]) -> list[int]:
        """Return the best entities of each community, in the order of their nearness to the question."""
        keys: set[int] = set()
        for community in communities:
            inside = set(index.reports.forest.communities[community].entities)
            keys.update([one.place for one in wide if one.place in inside][: self.keys])
        return [one.place for one in wide if one.place in keys]
