"""Communities of what is both related and alike, level above level, each with a report (ArchRAG, Wang et al. 2025)."""

import asyncio
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from pydantic import BaseModel

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Gaps, Kit, Vectors
from astrolabe.core.records import Passage
from astrolabe.core.tokens import count_tokens
from astrolabe.parts.apart import apart
from astrolabe.parts.around import entity_row, relation_row
from astrolabe.parts.ask_all import ask_all
from astrolabe.parts.attributed_clusters import attributed, lifted
from astrolabe.parts.communities import by_support, canonical_order
from astrolabe.parts.entity_graph import EntityGraph, Places
from astrolabe.parts.entity_vectors import EntityVectors
from astrolabe.parts.over_graph import OverGraph
from astrolabe.parts.parameters import spec_of
from astrolabe.parts.reports import ASPECTS, Report, own_report, write_report
from astrolabe.parts.sections import Row, Section, packed
from astrolabe.parts.vectors import Near, TextVectors
from astrolabe.store.files import write_whole

_HEAVY_NODES: Final = 4_000
"""Nodes from which all pairs take longer than what may be done beside the loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A community of one level.

    Attributes:
        kids: What it is made of, by place: entities at level 1, else clusters of the level below.
        entities: The places of all entities below it, ascending.
        passages: The ids of their passages, those that hold most of them first, ties in the order of mention.
        report: What is known of it; null where the report failed or there is nothing to say.
    """

    kids: tuple[int, ...]
    entities: tuple[int, ...]
    passages: tuple[str, ...]
    report: Report | None

    @property
    def text(self) -> str:
        """What of its report is embedded; empty without one."""
        return f"{self.report.title}\n{self.report.summary}" if self.report else ""

    @property
    def row(self) -> Row:
        """The heading and the summary of its report, with its passages."""
        if self.report is None:
            return Row("", self.passages)
        rating = f" (rating {self.report.rating:g})" if self.report.rated else ""
        return Row(f"{self.report.title}{rating}: {' '.join(self.report.summary.split())}", self.passages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The clusters of a level, and the vectors of their reports' titles and summaries, by place."""

    clusters: tuple[Cluster, ...]
    texts: TextVectors

    def nearest(self, query: Vectors, *, k: int) -> list[Near]:
        """Return the `k` clusters nearest to a query's vector, best first; those without a report are never near."""
        return [near for near in self.texts.near(query, k) if self.clusters[near.place].report]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchy:
    """All levels, the lowest first, and what is missing in them and below."""

    levels: tuple[Level, ...]
    gaps: Gaps


class _Kept(BaseModel, frozen=True):
    """A hierarchy as it stands on disk; it lacked nothing."""

    levels: tuple[tuple[Cluster, ...], ...]
    asked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributedHierarchy(OverGraph):
    """The clusters of a `DescribedGraph` by relations and likeness, clusters of those, and so on, each with a report.

    Attributes:
        max_level: The most levels above the entities.
        min_clusters: A level of fewer clusters ends it; the first is always there.
        max_size: How many nodes make a cluster too large.
        percentile: New edges join what is more alike than this share of the related pairs, in [0, 1].
        weighted: Whether an edge weighs what its ends have in common, or all weigh the same.
        report_tokens: The most tokens that a report is written from.
        aspects: What reports pay most attention to.
    """

    name: ClassVar[str] = "attributed_hierarchy"
    prompts: ClassVar[tuple[str, ...]] = (*OverGraph.prompts, "report.v1")

    max_level: int = 4
    min_clusters: int = 5
    max_size: int = 15
    percentile: float = 0.7
    weighted: bool = True
    report_tokens: int = 4_000
    aspects: str = ASPECTS

    def __post_init__(self) -> None:
        """Refuse what cannot be built, before anything runs."""
        counts = min(self.max_level, self.min_clusters, self.max_size - 1, self.report_tokens)
        if counts < 1 or not 0 <= self.percentile <= 1:
            msg = (
                "a hierarchy needs max_level, min_clusters and report_tokens >= 1, max_size >= 2 and a percentile from "
                f"0 to 1, got max_level={self.max_level!r}, min_clusters={self.min_clusters!r}, "
                f"report_tokens={self.report_tokens!r}, max_size={self.max_size!r}, percentile={self.percentile!r}"
            )
            raise ConfigError(msg)

    @property
    def entities(self) -> EntityVectors:
        """What tells which entities are alike."""
        return spec_of(EntityVectors, self)

    @property
    def most_calls(self) -> float:
        """The most calls that building it takes for each passage.

        A reply is told to list at most 80 entities. Only clusters of two nodes or more are asked about, so that there
        are fewer than entities over all levels.
        """
        return self.graph.most_calls + (1 + self.gleanings) * 80

    async def build(self, passages: Sequence[Passage], kit: Kit) -> Hierarchy:  # noqa: ARG002 - the protocol's
        """Cluster, report, embed, lift; again over the clusters, until there are too few."""
        graph = await kit.open(self.graph)
        nodes = canonical_order(graph)
        rows = (await kit.open(self.entities)).texts.pooled[nodes]
        ends = np.argsort(nodes)[graph.ends]
        material, levels, gaps = (
            _Material(graph, min(self.report_tokens, kit.context_tokens)),
            list[Level](),
            graph.gaps,
        )
        while len(levels) < self.max_level:
            label = await self._clustered(rows, ends)
            groups = [nodes[label == group] for group in range(label.max(initial=-1) + 1)]
            if len(groups) == len(nodes) or (levels and len(groups) < self.min_clusters):
                break
            kids = [tuple(sorted(group.tolist())) for group in groups]
            clusters, missing = await self._reported(material, levels, kids, kit)
            texts = await TextVectors.over([cluster.text for cluster in clusters], kit.embedder)
            levels.append(Level(clusters=clusters, texts=texts))
            gaps = gaps + missing
            nodes, rows, ends = np.arange(len(clusters)), texts.pooled, lifted(label, ends)
        return Hierarchy(levels=tuple(levels), gaps=gaps)

    def save(self, index: Hierarchy, folder: Path) -> None:
        """Write the clusters and the vectors of each level."""
        kept = _Kept(levels=tuple(level.clusters for level in index.levels), asked=index.gaps.asked)
        write_whole(folder / "hierarchy.json", kept.model_dump_json())
        for number, level in enumerate(index.levels, 1):
            level.texts.save(folder, f"level-{number}")

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> Hierarchy:  # noqa: ARG002 - the protocol's
        """Read what `save` wrote."""
        kept = _Kept.model_validate_json((folder / "hierarchy.json").read_bytes())
        levels = [
            Level(clusters=clusters, texts=TextVectors.load(folder, kit.embedder, f"level-{number}"))
            for number, clusters in enumerate(kept.levels, 1)
        ]
        return Hierarchy(levels=tuple(levels), gaps=Gaps(asked=kept.asked))

    async def _clustered(self, rows: Vectors, ends: Places) -> Places:
        """Return each node's cluster, numbered from 0."""
        arrays = {"rows": rows, "ends": ends, "max_size": np.array(self.max_size)}
        arrays |= {"percentile": np.array(self.percentile), "weighted": np.array(self.weighted)}
        found = await apart(attributed, arrays, heavy=len(rows) > _HEAVY_NODES)
        return found["cluster"].astype(np.int64)

    async def _reported(
        self, material: "_Material", levels: Sequence[Level], kids: Sequence[tuple[int, ...]], kit: Kit
    ) -> tuple[tuple[Cluster, ...], Gaps]:
        """Return the clusters of a level with their reports, and which reports are missing."""
        below = levels[-1].clusters if levels else None
        clusters = [material.cluster(own, below) for own in kids]
        several = [place for place, own in enumerate(kids) if len(own) > 1]
        texts = await asyncio.to_thread(lambda: [material.text(clusters[place], below) for place in several])
        outcomes = await ask_all(texts, lambda text: write_report(text, kit, aspects=self.aspects))
        failed: dict[str, str] = {}
        for place, outcome in zip(several, outcomes, strict=True):
            if isinstance(outcome, ModelError):
                failed[f"report on {material.called(clusters[place])} (level {len(levels) + 1})"] = outcome.reason
            else:
                clusters[place] = replace(clusters[place], report=outcome.found)
        return tuple(clusters), Gaps(asked=len(several), failed=failed)


class _Material:
    """What reports on clusters are written from."""

    def __init__(self, graph: EntityGraph, tokens: int) -> None:
        self.graph = graph
        self.tokens = tokens
        self.degrees: list[int] = graph.degrees.tolist()
        self.ranks: list[int] = graph.degrees[graph.ends].sum(axis=1).tolist()

    def cluster(self, kids: tuple[int, ...], below: Sequence[Cluster] | None) -> Cluster:
        """Return a cluster of kids; one of a single kid has that one's report, an entity's own without a call."""
        entities = kids if below is None else tuple(sorted(entity for kid in kids for entity in below[kid].entities))
        report = None
        if len(kids) == 1:
            report = own_report(self.graph.entities[kids[0]]) if below is None else below[kids[0]].report
        return Cluster(kids=kids, entities=entities, passages=by_support(self.graph, entities), report=report)

    def text(self, cluster: Cluster, below: Sequence[Cluster] | None) -> str:
        """Return what is known of a cluster: its parts, then with the tokens that are left entities and relations.

        Relations that leave the cluster count, too, after those inside it.
        """
        parts = [below[kid].row for kid in cluster.kids if below[kid].report] if below is not None else []
        first = packed([Section(title="Reports on parts", rows=parts, tokens=self.tokens)], limit=self.tokens)
        left = self.tokens - sum(count_tokens(row.text) for row in first.rows[0])
        inside = set(cluster.entities)
        touching = {relation for entity in inside for relation in self.graph.relations_of(entity)}
        things = sorted(inside, key=lambda place: (-self.degrees[place], place))
        related = sorted(touching, key=lambda place: (self._leaves(place, inside), -self.ranks[place], place))
        rest = packed(
            [
                Section(title="Entities", rows=[entity_row(self.graph, place) for place in things], tokens=left),
                Section(
                    title="Relations",
                    rows=[relation_row(self.graph, place) for place in related],
                    tokens=left,
                ),
            ],
            limit=left,
        )
        return "\n\n".join(filter(None, [first.text, rest.text if left > 0 else ""]))

    def called(self, cluster: Cluster) -> str:
        """Name a cluster by its most connected entity."""
        first = max(cluster.entities, key=lambda place: (self.degrees[place], -place))
        return f"{self.graph.entities[first].name!r} and {len(cluster.entities) - 1} more"

    def _leaves(self, relation: int, inside: AbstractSet[int]) -> bool:
        one = self.graph.relations[relation]
        return not (one.source in inside and one.target in inside)
