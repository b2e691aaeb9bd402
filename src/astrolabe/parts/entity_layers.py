"""Layers of broader entities above a graph's: what clusters of entities have in common, written by a model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.core.tokens import count_tokens
from astrolabe.parts.around import entity_row
from astrolabe.parts.ask_all import ask_all
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation
from astrolabe.parts.entity_names import entity_key, shown_name
from astrolabe.parts.entity_vectors import entity_text
from astrolabe.parts.extract import ExtractReply
from astrolabe.parts.soft_clusters import SoftClusters, clustered, sparsity
from astrolabe.parts.vectors import TextVectors
from astrolabe.prompts import render

STAGE: Final = "index.attribute"
_MAX_TOKENS: Final = 1_500
LONGEST_BROADER: Final = 2 * _MAX_TOKENS
"""Tokens of the longest reply about a cluster: one that is cut is asked for again with twice the limit."""
_MOST_BROADER: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Layering:
    """How layers are made, and when that ends.

    Attributes:
        clusters: How the entities of a layer are clustered.
        types: The types of broader entities, separated by commas.
        layers: The most layers above the first.
        sparse: At this sparsity or more a layer's clusters hold nothing together; see `soft_clusters.sparsity`.
        change: Where the sparsity changes by at most this share, another layer would bring nothing new.
        cluster_tokens: The most tokens of members that are shown at once; those with most relations come first.
    """

    clusters: SoftClusters
    types: str
    layers: int
    sparse: float
    change: float
    cluster_tokens: int


class Most(NamedTuple):
    """How many clusters are asked about at most, over all layers, and how many broader entities there are."""

    clusters: int
    entities: int


def most_of(how: Layering) -> Most:
    """Return what no graph and no model can go beyond.

    A layer is asked about at most `how.clusters.most` clusters, and has at most three broader entities for each. It
    has a next one only where those are at most half as many as its entities, and more than two.
    """
    asked = above = entities = 0
    layer = 2 * _MOST_BROADER * how.clusters.most
    for _ in range(how.layers):
        clusters = min(layer, how.clusters.most)
        asked += clusters
        entities = max(entities, above + _MOST_BROADER * clusters)
        layer = min(layer // 2, _MOST_BROADER * clusters)
        above += layer
        if layer <= 2:  # noqa: PLR2004 - as published
            break
    return Most(asked, entities)


class _Cluster(NamedTuple):
    """Members by their places in the growing graph, and how they are shown."""

    members: tuple[int, ...]
    shown: str


async def with_layers(graph: EntityGraph, passages: Sequence[Passage], kit: Kit, how: Layering) -> EntityGraph:
    """Return the graph with layers of broader entities, each joined to the members that it was written from.

    A broader entity has the passages of all members of its cluster. One named like an entity that is there is that
    entity: it gets the relations. Clusters of a layer are asked about at the same time; one that fails is a gap. It
    ends where clusters are too sparse or about as sparse as before, where a layer has two entities or fewer, or where
    the next has more than half as many, so that no model can keep it going. Of more clusters than `clusters.most`, as
    many as a published layer can have, the largest are asked about; the others are counted as dropped.
    """
    growing = _Growing(graph, passages)
    layer, before = list(range(len(graph.entities))), None
    for number in range(1, how.layers + 1):
        if len(layer) <= 2:  # noqa: PLR2004 - as published
            break
        texts = [entity_text(growing.entities[place]) for place in layer]
        vectors = (await TextVectors.over(texts, kit.embedder)).pooled
        clusters = await clustered(vectors, how.clusters)
        found = sparsity(clusters, len(layer))
        if found >= how.sparse or (before is not None and abs(found - before) <= how.change * before):
            break
        several = [tuple(layer[row] for row in cluster) for cluster in clusters if len(cluster) > 1]
        fresh = await _layer(growing, several, number, kit=kit, how=how)
        if not fresh or 2 * len(fresh) > len(layer):
            break
        layer, before = fresh, found
    return growing.graph()


async def _layer(
    growing: "_Growing", several: Sequence[tuple[int, ...]], number: int, *, kit: Kit, how: Layering
) -> list[int]:
    """Ask about the clusters of a layer; return the places of what is new."""
    current = growing.graph()
    largest = sorted(several, key=len, reverse=True)[: how.clusters.most]
    growing.beyond += len(several) - len(largest)
    limit = min(how.cluster_tokens, kit.context_tokens)
    clusters = [_cut(current, members, limit) for members in largest]
    outcomes = await ask_all(clusters, lambda cluster: _ask(cluster, kit, how.types))
    fresh: dict[int, None] = {}
    for cluster, outcome in zip(clusters, outcomes, strict=True):
        growing.asked += 1
        if isinstance(outcome, ModelError):
            names = ", ".join(growing.entities[place].name for place in cluster.members[:3])
            growing.failed[f"layer {number} above {names} ({len(cluster.members)} entities)"] = outcome.reason
        else:
            fresh.update(dict.fromkeys(growing.add(cluster.members, outcome, number)))
    return list(fresh)


def _cut(graph: EntityGraph, members: Sequence[int], limit: int) -> _Cluster:
    """Return the members that may be shown at once, those with most relations first; two at least."""
    degrees: list[int] = graph.degrees[list(members)].tolist()
    order = sorted(range(len(members)), key=lambda row: (-degrees[row], members[row]))
    kept: list[int] = []
    lines: list[str] = []
    spent = 0
    for row in order:
        line = entity_row(graph, members[row]).text
        spent += count_tokens(line)
        if spent > limit and len(kept) >= 2:  # noqa: PLR2004 - one alone has nothing in common
            break
        kept.append(members[row])
        lines.append(line)
    return _Cluster(tuple(kept), "\n".join(lines))


async def _ask(cluster: _Cluster, kit: Kit, types: str) -> ExtractReply:
    """Return what a cluster's members have in common.

    Raises:
        ModelError: The model gave no usable reply.
    """
    holes = {"types": types, "members": cluster.shown}
    prompt = render("attribute_entities.v1", stage=STAGE, reply=ExtractReply, max_tokens=_MAX_TOKENS, holes=holes)
    return (await kit.llm.ask(prompt)).value


class _Growing:
    """A graph that broader entities are added to."""

    def __init__(self, graph: EntityGraph, passages: Sequence[Passage]) -> None:
        self.entities = list(graph.entities)
        self.relations = {(one.source, one.target): one for one in graph.relations}
        self.places = dict(graph.place_of)
        self.order = {passage.id: place for place, passage in enumerate(passages)}
        self.asked = 0
        self.failed: dict[str, str] = {}
        self.lost = 0
        self.beyond = 0
        self._before = graph

    def add(self, members: Sequence[int], reply: ExtractReply, layer: int) -> Iterator[int]:
        """Add what members have in common; yield the places of the entities of this layer."""
        passages = self._union(self.entities[place].passages for place in members)
        broader: dict[str, int] = {}
        self.lost += len(reply.entities[_MOST_BROADER:])
        for said in reply.entities[:_MOST_BROADER]:
            if not (key := entity_key(said.name)):
                self.lost += 1
                continue
            description = " ".join(said.description.split())
            place = self.places.setdefault(key, len(self.entities))
            if place == len(self.entities):
                kind = " ".join(said.type.casefold().split())
                name = shown_name(said.name)
                self.entities.append(Entity(name=name, type=kind, description="", passages=(), layer=layer))
            self._widen(place, description, passages, layer)
            broader[key] = place
        self._relate({entity_key(self.entities[place].name): place for place in members}, broader, reply)
        return (place for place in broader.values() if self.entities[place].layer == layer)

    def graph(self) -> EntityGraph:
        """Return the graph as it is."""
        before = self._before
        dropped = dict(before.dropped)
        if self.lost:
            dropped["broader entity beyond three or without a name, or relation of it to no member"] = self.lost
        if self.beyond:
            dropped["cluster beyond the largest of a layer, not asked about"] = self.beyond
        return EntityGraph(
            entities=tuple(self.entities),
            relations=tuple(self.relations[ends] for ends in sorted(self.relations)),
            gaps=before.gaps + Gaps(asked=self.asked, failed=self.failed),
            dropped=dropped,
        )

    def _widen(self, place: int, description: str, passages: tuple[str, ...], layer: int) -> None:
        """Add a description and passages to an entity of this layer; one that was there before stays as it is."""
        one = self.entities[place]
        if one.layer == layer:
            lines = dict.fromkeys([*one.description.split("\n"), description])
            self.entities[place] = replace(
                one,
                description="\n".join(filter(None, lines)),
                passages=self._union([one.passages, passages]),
            )

    def _relate(self, members: Mapping[str, int], broader: Mapping[str, int], reply: ExtractReply) -> None:
        for one in reply.relations:
            member, above = members.get(entity_key(one.source)), broader.get(entity_key(one.target))
            if member is None or above is None or member == above:
                self.lost += 1
                continue
            ends = min(member, above), max(member, above)
            known = self.relations.get(ends)
            description = " ".join(one.description.split())
            lines = dict.fromkeys([*(known.description.split("\n") if known else ()), description])
            self.relations[ends] = Relation(
                source=ends[0],
                target=ends[1],
                description="\n".join(filter(None, lines)),
                keywords=known.keywords if known else (),
                weight=one.strength + (known.weight if known else 0.0),
                passages=self._union([known.passages if known else (), self.entities[member].passages]),
            )

    def _union(self, lists: "Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]]") -> tuple[str, ...]:
        """Return passages each once, in the scope's order."""
        return tuple(sorted({passage for listed in lists for passage in listed}, key=self.order.__getitem__))
