"""A report on each community of a graph, written from its finest parts up."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Final

from pydantic import BaseModel, Field

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.core.tokens import count_tokens
from astrolabe.parts.around import entity_row, relation_row
from astrolabe.parts.ask_all import ask_all
from astrolabe.parts.communities import Community, Component, Forest, forest_of
from astrolabe.parts.entity_graph import Entity, EntityGraph
from astrolabe.parts.look import DRAWN, Node
from astrolabe.parts.over_graph import OverGraph
from astrolabe.parts.readings import Read, ask_for
from astrolabe.parts.sections import Row, Section, packed
from astrolabe.prompts import render
from astrolabe.prompts.template import PLAIN_CHARACTERS
from astrolabe.store.files import write_whole

STAGE: Final = "index.report"
ASPECTS: Final = "what is claimed and on what grounds, methods, results with their figures, comparisons, limits, dates"
"""What reports look at, unless a corpus has aspects of its own."""
_MAX_TOKENS: Final = 1_500


class Finding(BaseModel, frozen=True):
    """One thing that is known of a community."""

    summary: Annotated[str, Field(min_length=1, max_length=500)]
    explanation: Annotated[str, Field(max_length=3_000)] = ""


class Report(BaseModel, frozen=True):
    """What is known of a community; `rating` is its weight for the whole, 0 to 10."""

    title: Annotated[str, Field(min_length=1, max_length=300)]
    summary: Annotated[str, Field(min_length=1, max_length=3_000)]
    rating: Annotated[float, Field(ge=0, le=10)]
    rating_explanation: Annotated[str, Field(max_length=1_000)] = ""
    findings: Annotated[tuple[Finding, ...], Field(max_length=10)]

    @property
    def rated(self) -> bool:
        """Whether a model rated it; what an entity by itself says has no findings, and its rating of 0 says nothing."""
        return bool(self.findings)

    @property
    def text(self) -> str:
        """All that it says: title, summary and every finding, a line each."""
        lines = [self.title, self.summary, *(f"- {one.summary} {one.explanation}" for one in self.findings)]
        return "\n".join(" ".join(line.split()) for line in lines)


class _Written(Report, frozen=True):
    """A report as a model must give it: with a finding at least."""

    findings: Annotated[tuple[Finding, ...], Field(min_length=1, max_length=10)]


class _Kept(BaseModel, frozen=True):
    """Reports as they stand on disk; they lacked nothing."""

    communities: tuple[Community, ...]
    of: dict[int, Report]
    asked: int
    cut_short: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Reports:
    """The reports on the communities of a graph.

    Attributes:
        forest: All communities.
        of: By a community's id; those that failed, and those below the deepest level that is read, are missing.
        gaps: Which are missing and why, in the graph and here.
        cut_short: Communities whose reply ended at the token limit: its whole findings are there.
    """

    forest: Forest
    of: Mapping[int, Report]
    gaps: Gaps
    cut_short: tuple[int, ...] = ()
    _costs: dict[int, int] = field(default_factory=dict[int, int], init=False, repr=False, compare=False)

    def row(self, community: int) -> Row:
        """Return a community's report, with its passages."""
        return Row(self.of[community].text, self.forest.communities[community].passages)

    def node(self, community: int) -> Node:
        """Return a community as it is drawn."""
        report, passages = self.of[community], self.forest.communities[community].passages
        rating = report.rating if report.rated else None
        name = f"community {community}"
        return Node(id=name, kind="community", label=report.title, score=rating, passages=passages[:DRAWN])

    def cost(self, community: int) -> int:
        """Return the tokens of a report's text; each is counted once."""
        if community not in self._costs:
            self._costs[community] = count_tokens(self.of[community].text)
        return self._costs[community]

    def by_weight(self, level: int) -> list[int]:
        """Return the communities down to a level that have a report, by occurrence, then by rating, then in order."""
        places = [one.id for one in self.forest.down_to(level) if one.id in self.of]
        occurrence = [one.occurrence for one in self.forest.communities]
        return sorted(places, key=lambda place: (-occurrence[place], -self.of[place].rating))

    def around(self, entities: Sequence[int], *, level: int) -> list[int]:
        """Return the communities that hold entities: by how many of them, then by the report's rating, then in order.

        Those below the level and those without a report are left out.
        """
        held = Counter(place for entity in entities for place in self.forest.of_entity.get(entity, ()))
        level_of = {place: self.forest.communities[place].level for place in held}
        places = sorted(place for place in held if place in self.of and level_of[place] <= level)
        return sorted(places, key=lambda place: (-held[place], -self.of[place].rating))


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunityReports(OverGraph):
    """The communities of a `DescribedGraph`, and a report on each.

    Attributes:
        component: `all`, or `largest`: what is outside the largest connected component has no report.
        max_size: How many entities make a community too large.
        level: The deepest level that gets reports.
        report_tokens: The most tokens that a report is written from.
        aspects: What reports pay most attention to.
    """

    name: ClassVar[str] = "community_reports"
    prompts: ClassVar[tuple[str, ...]] = (*OverGraph.prompts, "report.v1")

    component: Component = "all"
    max_size: int = 10
    level: int = 2
    report_tokens: int = 12_000
    aspects: str = ASPECTS

    def __post_init__(self) -> None:
        """Refuse what cannot be built, before anything runs."""
        least = self.max_size >= 2 and self.level >= 0 and self.report_tokens >= 1  # noqa: PLR2004
        if not least or len(self.aspects) > PLAIN_CHARACTERS:
            msg = (
                f"reports need max_size >= 2, level >= 0, report_tokens >= 1 and aspects of at most {PLAIN_CHARACTERS} "
                f"characters, got max_size={self.max_size!r}, level={self.level!r}, "
                f"report_tokens={self.report_tokens!r}, aspects={self.aspects!r}"
            )
            raise ConfigError(msg)

    @property
    def most_calls(self) -> float:
        """The most calls that building it takes for each passage.

        A reply is told to list at most 80 entities.
        """
        return self.graph.most_calls + (1 + self.gleanings) * 80 * self.most_reports

    @property
    def most_reports(self) -> float:
        """The most reports that are written for each entity.

        Communities that have no part with a report share out the entities, two or more to each that is asked about.
        The others are on the levels above the deepest, and have at least `max_size` entities each.
        """
        return 0.5 + self.level / self.max_size

    async def build(self, passages: Sequence[Passage], kit: Kit) -> Reports:  # noqa: ARG002 - the protocol's
        """Cluster the graph and write the reports."""
        graph = await kit.open(self.graph)
        forest = await forest_of(graph, max_size=self.max_size, component=self.component)
        return await reported(graph, forest, kit, level=self.level, tokens=self.report_tokens, aspects=self.aspects)

    def save(self, index: Reports, folder: Path) -> None:
        """Write the communities and reports."""
        save_reports(index, folder)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> Reports:  # noqa: ARG002 - the protocol's
        """Read what `save` wrote."""
        return load_reports(folder)


async def reported(
    graph: EntityGraph, forest: Forest, kit: Kit, *, level: int = 2, tokens: int = 12_000, aspects: str = ASPECTS
) -> Reports:
    """Return reports on the communities down to a level, a call each, the finest level first.

    A report is written from the community's entities and relations, those that are connected most first. Where they
    take more than `tokens` (or than the kit's model may be shown), reports on the parts stand for their members, the
    largest parts first, until the rest fits. An entity that is a community by itself is its own report, without a
    call and unrated; without a description it has none. A report that fails is a gap, never text.
    """
    shown = await asyncio.to_thread(_Shown, graph, forest, min(tokens, kit.context_tokens))
    chosen = forest.down_to(level)
    alone = {one.id: own_report(graph.entities[one.entities[0]]) for one in chosen if len(one.entities) == 1}
    of = {place: report for place, report in alone.items() if report is not None}
    failed: dict[str, str] = {}
    short: list[int] = []
    several = [community for community in chosen if len(community.entities) > 1]
    for depth in sorted({community.level for community in several}, reverse=True):
        of_level = [community for community in several if community.level == depth]
        material = await asyncio.to_thread(shown.texts, of_level, of)
        outcomes = await ask_all(material, lambda text: write_report(text, kit, aspects=aspects))
        for community, outcome in zip(of_level, outcomes, strict=True):
            if isinstance(outcome, ModelError):
                failed[f"report on {_called(graph, community)}"] = outcome.reason
                continue
            of[community.id] = outcome.found
            short += [community.id] if outcome.short else []
    gaps = graph.gaps + Gaps(asked=len(several), failed=failed)
    return Reports(forest=forest, of=dict(sorted(of.items())), gaps=gaps, cut_short=tuple(sorted(short)))


async def write_report(shown: str, kit: Kit, *, aspects: str = ASPECTS) -> Read[Report]:
    """Return a report on what is shown: one call; of a reply that was cut, its whole findings.

    Raises:
        ModelError: The model gave no usable reply.
    """
    holes = {"group": shown, "aspects": aspects}
    prompt = render("report.v1", stage=STAGE, reply=_Written, max_tokens=_MAX_TOKENS, holes=holes)
    written, short = await ask_for(prompt, kit, something=lambda report: bool(report.findings))
    return Read(Report.model_validate(written.model_dump()), short)


def save_reports(index: Reports, folder: Path) -> None:
    """Write `reports.json`."""
    kept = _Kept(
        communities=tuple(index.forest.communities),
        of=dict(index.of),
        asked=index.gaps.asked,
        cut_short=index.cut_short,
    )
    write_whole(folder / "reports.json", kept.model_dump_json())


def load_reports(folder: Path) -> Reports:
    """Read what `save_reports` wrote."""
    kept = _Kept.model_validate_json((folder / "reports.json").read_bytes())
    forest = Forest(communities=kept.communities)
    return Reports(forest=forest, of=kept.of, gaps=Gaps(asked=kept.asked), cut_short=kept.cut_short)


class _Shown:
    """What reports are written from: rows are made once, whichever levels show them."""

    def __init__(self, graph: EntityGraph, forest: Forest, tokens: int) -> None:
        self.forest = forest
        self.tokens = tokens
        self.entities = [entity_row(graph, place) for place in range(len(graph.entities))]
        self.relations = [relation_row(graph, place) for place in range(len(graph.relations))]
        self.cost = [count_tokens(row.text) for row in (*self.entities, *self.relations)]
        self.degrees: list[int] = graph.degrees.tolist()
        ranks: list[int] = graph.degrees[graph.ends].sum(axis=1).tolist()
        self.order = [(-rank, -one.weight) for rank, one in zip(ranks, graph.relations, strict=True)]

    def texts(self, communities: Sequence[Community], reports: Mapping[int, Report]) -> list[str]:
        """Return what is known of each community."""
        return [self.text(community, reports) for community in communities]

    def text(self, community: Community, reports: Mapping[int, Report]) -> str:
        """Return what is known of a community, within the budget."""
        entities, relations = set(community.entities), set(community.relations)
        parts: list[Row] = []
        spent = self._spent(community)
        kids = [self.forest.communities[kid] for kid in community.kids if kid in reports]
        for kid in sorted(kids, key=self._spent, reverse=True):
            if spent <= self.tokens:
                break
            report = Row(reports[kid.id].text, kid.passages)
            if (shorter := self._spent(kid) - count_tokens(report.text)) > 0:
                spent -= shorter
                parts.append(report)
                entities -= set(kid.entities)
                relations -= set(kid.relations)
        things = [self.entities[place] for place in sorted(entities, key=lambda place: (-self.degrees[place], place))]
        related = [self.relations[place] for place in sorted(relations, key=lambda place: (*self.order[place], place))]
        sections = [
            Section(title=title, rows=rows, tokens=self.tokens)
            for title, rows in (("Reports on parts", parts), ("Entities", things), ("Relations", related))
        ]
        return packed(sections, limit=self.tokens).text

    def _spent(self, community: Community) -> int:
        related = (self.cost[len(self.entities) + place] for place in community.relations)
        return sum(self.cost[place] for place in community.entities) + sum(related)


def own_report(entity: Entity) -> Report | None:
    """Return what an entity by itself says, unrated; null where that is nothing."""
    if not entity.description.strip():
        return None
    return Report(title=entity.name[:300], summary=entity.description[:3_000], rating=0.0, findings=())


def _called(graph: EntityGraph, community: Community) -> str:
    """Name a community by its most connected entity, so that no two of a level have the same name."""
    degrees: list[int] = graph.degrees[list(community.entities)].tolist()
    first = graph.entities[community.entities[degrees.index(max(degrees))]]
    return f"{first.name!r} and {len(degrees) - 1} more (level {community.level})"
