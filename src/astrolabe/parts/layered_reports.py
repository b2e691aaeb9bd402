"""A graph with layers of broader entities, its communities with their reports, and its entities as vectors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Literal

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.parts.communities import Component, forest_of
from astrolabe.parts.described_graph import described, load_graph, save_graph
from astrolabe.parts.entity_graph import EntityGraph, merged
from astrolabe.parts.entity_layers import LONGEST_BROADER, Layering, most_of, with_layers
from astrolabe.parts.entity_vectors import entity_text
from astrolabe.parts.extract_in_steps import ExtractInSteps
from astrolabe.parts.over_graph import OverGraph
from astrolabe.parts.parameters import spec_of
from astrolabe.parts.reports import ASPECTS, CommunityReports, Reports, load_reports, reported, save_reports
from astrolabe.parts.soft_clusters import Reducer, SoftClusters
from astrolabe.parts.vectors import TextVectors
from astrolabe.prompts.template import PLAIN_CHARACTERS

Extraction = Literal["together", "in_steps"]
BROADER_TYPES: Final = (
    "organization, person, location, event, product, technology, industry, field of research, theme, period"
)
"""What broader entities are of, unless a corpus has types of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layered:
    """What HiRAG answers from.

    Attributes:
        graph: All layers in one graph.
        reports: On its communities; their gaps hold the graph's.
        texts: The vectors of its entities, each with its description, by place.
    """

    graph: EntityGraph
    reports: Reports
    texts: TextVectors

    @property
    def gaps(self) -> Gaps:
        """What is missing, and why."""
        return self.reports.gaps


@dataclass(frozen=True, slots=True, kw_only=True)
class LayeredReports(OverGraph):
    """How it is built.

    Attributes:
        extraction: Entities and relations `together` in one reply, or `in_steps`, a call for each.
        broader_types: The types of broader entities, separated by commas.
        reducer: How the entities of a layer are clustered; see `SoftClusters`, also for the next three.
        dimensions: What `pca` and `umap` reduce to.
        threshold: How probably an entity must belong to a cluster to be in it.
        component_rows: A mixture has at most a component for so many entities.
        floor: What is added to a mixture's covariances, as a share of the mean variance.
        starts: How often a mixture is fitted.
        settled: A mixture has enough components where BIC changes by less than this share.
        layers: The most layers of broader entities.
        sparse: At this sparsity no further layer is made.
        change: Where sparsity changes by at most this share, neither.
        cluster_tokens: The most tokens of a cluster that are shown at once.
        component: `all`, or `largest`: what is outside the largest connected component has no report.
        max_size: How many entities make a community too large.
        level: The deepest level that gets reports.
        report_tokens: The most tokens that a report is written from.
        aspects: What reports pay most attention to.
    """

    name: ClassVar[str] = "layered_reports"
    prompts: ClassVar[tuple[str, ...]] = (
        *CommunityReports.prompts,
        *ExtractInSteps.prompts,
        "attribute_entities.v1",
    )

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

    def __post_init__(self) -> None:
        """Refuse what cannot be built, before anything runs."""
        _ = self.layering, spec_of(CommunityReports, self), spec_of(ExtractInSteps, self)
        within = self.layers >= 0 and 0 <= self.sparse <= 1 and self.change >= 0 and self.cluster_tokens >= 1
        if not within or not self.broader_types.strip(" ,") or len(self.broader_types) > PLAIN_CHARACTERS:
            msg = (
                "layers need layers >= 0, sparse from 0 to 1, change >= 0, cluster_tokens >= 1 and broader_types (at "
                f"most {PLAIN_CHARACTERS} characters), got layers={self.layers!r}, sparse={self.sparse!r}, "
                f"change={self.change!r}, cluster_tokens={self.cluster_tokens!r}, broader_types={self.broader_types!r}"
            )
            raise ConfigError(msg)

    @property
    def layering(self) -> Layering:
        """How broader entities are made."""
        return Layering(
            clusters=SoftClusters(
                reducer=self.reducer,
                dimensions=self.dimensions,
                neighbours=15,
                threshold=self.threshold,
                component_rows=self.component_rows,
                floor=self.floor,
                starts=self.starts,
                settled=self.settled,
            ),
            types=self.broader_types,
            layers=self.layers,
            sparse=self.sparse,
            change=self.change,
            cluster_tokens=self.cluster_tokens,
        )

    @property
    def least_calls(self) -> int:
        """The fewest calls for each passage: where it names nothing, its relations are not asked for."""
        return 1 + self.gleanings

    @property
    def most_calls(self) -> float:
        """The most calls for each passage.

        What is said of a relation may be summed up twice: once as passages have it, and once with what is said of it
        where one of its ends turns out to be what the other falls under.
        """
        reports = spec_of(CommunityReports, self)
        steps = 2 if self.extraction == "in_steps" else 1
        read = (1 + self.gleanings) * steps
        again = steps * self.graph.most_calls - read
        return read + 2 * again + reports.most_calls - self.graph.most_calls

    @property
    def most_calls_above(self) -> int:
        """The most calls for all that is above what passages speak of: it does not grow with the passages."""
        most = most_of(self.layering)
        described = most.clusters * LONGEST_BROADER / self.describe_at
        return math.ceil(most.clusters + described + most.entities * spec_of(CommunityReports, self).most_reports)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> Layered:
        """Read, merge, add layers, cluster, report, embed."""
        graph = await with_layers(await self._read(kit), passages, kit, self.layering)
        graph = await described(graph, kit, at=self.describe_at)
        forest = await forest_of(graph, max_size=self.max_size, component=self.component)
        reports = await reported(graph, forest, kit, level=self.level, tokens=self.report_tokens, aspects=self.aspects)
        texts = await TextVectors.over([entity_text(entity) for entity in graph.entities], kit.embedder)
        return Layered(graph=graph, reports=reports, texts=texts)

    def save(self, index: Layered, folder: Path) -> None:
        """Write graph, reports and vectors."""
        save_graph(index.graph, folder)
        save_reports(index.reports, folder)
        index.texts.save(folder)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> Layered:  # noqa: ARG002 - the protocol's
        """Read what `save` wrote."""
        texts = TextVectors.load(folder, kit.embedder)
        return Layered(graph=load_graph(folder), reports=load_reports(folder), texts=texts)

    async def _read(self, kit: Kit) -> EntityGraph:
        if self.extraction == "together":
            return await kit.open(self.graph)
        read = await kit.open(spec_of(ExtractInSteps, self))
        return await described(merged(read.of, read.gaps), kit, at=self.describe_at)
