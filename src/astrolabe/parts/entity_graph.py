"""A graph of entities and relations, merged from what was read in passages."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from astrolabe.core.protocols import Gaps
from astrolabe.parts.entity_names import entity_key, shown_name
from astrolabe.parts.extract import ExtractedRelation, Extraction

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A thing that passages speak of.

    Attributes:
        name: As it is shown: the spelling that occurs most, the first of equals.
        type: The type that occurs most; empty where none was given.
        description: What all passages say of it, each description once, a line each.
        passages: The ids of its passages, in the scope's order.
        layer: 0 for what was read in passages; higher for what was written about entities of the layer below.
    """

    name: str
    type: str
    description: str
    passages: tuple[str, ...]
    layer: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """How two entities are related, in no direction.

    Attributes:
        source: The place of one end among the graph's entities; below `target`.
        target: The place of the other.
        description: What all passages say of it, each description once, a line each.
        keywords: The themes it belongs to, each once.
        weight: The sum of the strengths.
        passages: The ids of its passages, in the scope's order.
    """

    source: int
    target: int
    description: str
    keywords: tuple[str, ...]
    weight: float
    passages: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class EntityGraph:
    """Entities and relations, named by their places.

    Attributes:
        entities: In the order of their first mention.
        relations: By their ends.
        gaps: Which passages are missing, and why.
        dropped: How many records were left out, by reason.
    """

    entities: Sequence[Entity]
    relations: Sequence[Relation]
    gaps: Gaps = field(default_factory=Gaps)
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])

    @cached_property
    def ends(self) -> Places:
        """The relations' ends, shape (relations, 2)."""
        ends = (end for one in self.relations for end in (one.source, one.target))
        return np.fromiter(ends, dtype=np.int64, count=2 * len(self.relations)).reshape(-1, 2)

    @cached_property
    def degrees(self) -> Places:
        """How many relations each entity has, shape (entities,)."""
        return np.bincount(self.ends.ravel(), minlength=len(self.entities)).astype(np.int64)

    @cached_property
    def _incident(self) -> tuple[Places, Places]:
        """Relations by entity: where each entity's begin, and the relations one after the other."""
        owners = self.ends.ravel()
        order = np.argsort(owners, kind="stable")
        return np.concatenate([[0], np.cumsum(self.degrees)]).astype(np.int64), (order // 2).astype(np.int64)

    @cached_property
    def place_of(self) -> Mapping[str, int]:
        """The entities' places by `entity_key` of their names."""
        return {entity_key(entity.name): place for place, entity in enumerate(self.entities)}

    @cached_property
    def spoken_of(self) -> Mapping[str, Sequence[int]]:
        """The places of the entities that each passage speaks of, by passage id."""
        spoken: dict[str, list[int]] = {}
        for place, entity in enumerate(self.entities):
            for passage in entity.passages:
                spoken.setdefault(passage, []).append(place)
        return spoken

    def relations_of(self, entity: int) -> list[int]:
        """Return the places of an entity's relations, ascending."""
        starts, relations = self._incident
        places: list[int] = relations[starts[entity] : starts[entity + 1]].tolist()
        return places

    def neighbours(self, entity: int) -> list[int]:
        """Return the places of the entities that it is related to, in the order of its relations."""
        ends = self.ends[self.relations_of(entity)]
        places: list[int] = np.where(ends[:, 0] == entity, ends[:, 1], ends[:, 0]).tolist()
        return places

    def adjacency(self) -> "csr_array":
        """Return the symmetric matrix of weights, shape (entities, entities), float64."""
        from scipy.sparse import coo_array

        weights = np.array([relation.weight for relation in self.relations], dtype=np.float64)
        sources, targets = self.ends[:, 0], self.ends[:, 1]
        rows, columns = np.concatenate([sources, targets]), np.concatenate([targets, sources])
        size = (len(self.entities), len(self.entities))
        return coo_array((np.concatenate([weights, weights]), (rows, columns)), shape=size).tocsr()


@dataclass(slots=True)
class _Mentions:
    """What passages say of one thing, in order."""

    names: list[str] = field(default_factory=list[str])
    types: list[str] = field(default_factory=list[str])
    listed: bool = False
    descriptions: dict[str, None] = field(default_factory=dict[str, None])
    keywords: dict[str, str] = field(default_factory=dict[str, str])
    passages: dict[str, None] = field(default_factory=dict[str, None])
    weight: float = 0.0

    def describe(self, description: str) -> None:
        """Note what is said of it."""
        if description := " ".join(description.split()):
            self.descriptions[description] = None


def merged(read: Mapping[str, Extraction], gaps: Gaps) -> EntityGraph:
    """Return the graph of what was read, by passage id in the scope's order.

    Entities are one where `entity_key` is; relations where both ends are, in either direction. A passage speaks of
    the entities that it lists and of the ends of its relations; an end that no passage lists is an entity without
    type and description, and counted. Records without a name, and relations of a thing to itself, are left out and
    counted, as are records that could not be read.
    """
    entities: dict[str, _Mentions] = {}
    relations: dict[tuple[str, str], _Mentions] = {}
    dropped: Counter[str] = Counter()
    for passage, extraction in read.items():
        dropped["record that could not be read"] += extraction.unread
        listed = _list_entities(passage, extraction, entities, dropped)
        for one in extraction.relations:
            named = {entity_key(name): name for name in (one.source, one.target)}
            if "" in named or len(named) == 1:
                dropped["relation without an end" if "" in named else "relation of a thing to itself"] += 1
                continue
            for key, name in named.items():
                if key not in listed:
                    listed.add(key)
                    _mention(entities, key, name, passage)
            first, second = sorted(named)
            _add_relation(relations.setdefault((first, second), _Mentions()), passage, one)
    dropped["end that was not listed, kept without a type"] = sum(not mentions.listed for mentions in entities.values())
    return EntityGraph(
        entities=tuple(map(_entity, entities.values())),
        relations=tuple(_relations(entities, relations)),
        gaps=gaps,
        dropped={reason: number for reason, number in sorted(dropped.items()) if number},
    )


def _list_entities(
    passage: str, extraction: Extraction, entities: dict[str, _Mentions], dropped: Counter[str]
) -> set[str]:
    """Note the entities that a passage lists; return their keys."""
    listed: set[str] = set()
    for said in extraction.entities:
        if not (key := entity_key(said.name)):
            dropped["entity without a name"] += 1
            continue
        listed.add(key)
        mentions = _mention(entities, key, said.name, passage)
        mentions.listed = True
        mentions.describe(said.description)
        if kind := " ".join(said.type.casefold().split()):
            mentions.types.append(kind)
    return listed


def _mention(entities: dict[str, _Mentions], key: str, name: str, passage: str) -> _Mentions:
    mentions = entities.setdefault(key, _Mentions())
    mentions.names.append(shown_name(name))
    mentions.passages[passage] = None
    return mentions


def _add_relation(mentions: _Mentions, passage: str, one: ExtractedRelation) -> None:
    mentions.passages[passage] = None
    mentions.describe(one.description)
    mentions.weight += one.strength
    for keyword in map(shown_name, one.keywords):
        mentions.keywords.setdefault(entity_key(keyword), keyword)


def _entity(mentions: _Mentions) -> Entity:
    return Entity(
        name=Counter(mentions.names).most_common(1)[0][0],
        type=Counter(mentions.types).most_common(1)[0][0] if mentions.types else "",
        description="\n".join(mentions.descriptions),
        passages=tuple(mentions.passages),
    )


def _relations(entities: Mapping[str, _Mentions], relations: Mapping[tuple[str, str], _Mentions]) -> Iterator[Relation]:
    places = {key: place for place, key in enumerate(entities)}
    by_places = {tuple(sorted(places[key] for key in ends)): mentions for ends, mentions in relations.items()}
    for (source, target), mentions in sorted(by_places.items(), key=lambda pair: pair[0]):
        yield Relation(
            source=source,
            target=target,
            description="\n".join(mentions.descriptions),
            keywords=tuple(filter(None, mentions.keywords.values())),
            weight=mentions.weight,
            passages=tuple(mentions.passages),
        )
