"""What lies around entities or relations of a graph: what they touch, in order, and how it is written."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from astrolabe.core.protocols import Vectors
from astrolabe.core.records import Passage
from astrolabe.parts.entity_graph import EntityGraph
from astrolabe.parts.sections import Row

A = TypeVar("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Parts of a graph, each once, best first.

    Attributes:
        entities: By their places in the graph.
        relations: By their places in the graph.
        passages: By their ids.
    """

    entities: tuple[int, ...] = ()
    relations: tuple[int, ...] = ()
    passages: tuple[str, ...] = ()


def around_entities(graph: EntityGraph, entities: Sequence[int], *, similar: Vectors | None = None) -> Found:
    """Return what lies around entities that are in order; none lie around none.

    Their relations come by the sum of both ends' degrees and then by weight, as in LightRAG and local GraphRAG. Their
    passages come by the first of the entities that they speak of, then by how many of its neighbours they speak of,
    too. Ties stand in the graph's order.

    Args:
        graph: The whole graph.
        entities: Places, best first; one that comes twice counts once.
        similar: How similar each of the graph's relations is to the question, shape (relations,): orders the
            relations by that instead.
    """
    chosen = tuple(dict.fromkeys(entities))
    touched = sorted({relation for entity in chosen for relation in graph.relations_of(entity)})
    passages = chain.from_iterable(_supported(graph, entity) for entity in chosen)
    return Found(entities=chosen, relations=_in_order(graph, touched, similar), passages=tuple(dict.fromkeys(passages)))


def around_relations(graph: EntityGraph, relations: Sequence[int], *, similar: Vectors | None = None) -> Found:
    """Return what lies around relations: every end of theirs and every passage, in the relations' order.

    Args:
        graph: The whole graph.
        relations: Places; they are put in order as `around_entities` does.
        similar: As in `around_entities`.
    """
    ordered = _in_order(graph, sorted(set(relations)), similar)
    ends: list[int] = graph.ends[list(ordered)].ravel().tolist()
    passages = chain.from_iterable(graph.relations[relation].passages for relation in ordered)
    return Found(entities=tuple(dict.fromkeys(ends)), relations=ordered, passages=tuple(dict.fromkeys(passages)))


def interleave(first: Found, second: Found) -> Found:
    """Return both, in turns: the best of the first, the best of the second, and so on, each part once."""
    return Found(
        entities=_in_turns(first.entities, second.entities),
        relations=_in_turns(first.relations, second.relations),
        passages=_in_turns(first.passages, second.passages),
    )


def entity_row(graph: EntityGraph, entity: int) -> Row:
    """Return an entity as a line: name, type, how many relations it has, description.

    `Moon (body, 2 relations): It circles the earth.`
    """
    one = graph.entities[entity]
    degree = int(graph.degrees[entity])
    about = [one.type, f"{degree} relation{'' if degree == 1 else 's'}"]
    return Row(_line(one.name, about, one.description), one.passages)


def relation_row(graph: EntityGraph, relation: int) -> Row:
    """Return a relation as a line: both ends, its themes, weight, rank (the sum of the ends' degrees), description.

    `Moon - Tides (themes: sea, gravity; weight 9, rank 5): The moon causes tides.`
    """
    one = graph.relations[relation]
    themes = f"themes: {', '.join(one.keywords)};" if one.keywords else ""
    about = f"{themes} weight {one.weight:g}".strip()
    name = f"{graph.entities[one.source].name} - {graph.entities[one.target].name}"
    rank = int(graph.degrees[[one.source, one.target]].sum())
    return Row(_line(name, [about, f"rank {rank}"], one.description), one.passages)


def passage_row(passage: Passage) -> Row:
    """Return a passage's own text, every line of it."""
    return Row(passage.text.strip(), (passage.id,))


def _line(name: str, about: Iterable[str], description: str) -> str:
    head = f"{name} ({', '.join(filter(None, about))})"
    said = " ".join(description.split())
    return f"{head}: {said}" if said else head


def _in_order(graph: EntityGraph, relations: Sequence[int], similar: Vectors | None) -> tuple[int, ...]:
    """Return relations, given in the graph's order, by similarity or else by degree and weight."""
    if similar is not None:
        return tuple(sorted(relations, key=lambda relation: -round(float(similar[relation]), 6)))
    ranks: list[int] = graph.degrees[graph.ends[list(relations)]].sum(axis=1).tolist()
    weights = [graph.relations[relation].weight for relation in relations]
    order = sorted(range(len(relations)), key=lambda place: (-ranks[place], -weights[place]))
    return tuple(relations[place] for place in order)


def _supported(graph: EntityGraph, entity: int) -> list[str]:
    """Return an entity's passages by how many of its neighbours they speak of, most first."""
    neighbours = set(graph.neighbours(entity))
    support = {
        passage: sum(other in neighbours for other in graph.spoken_of[passage])
        for passage in graph.entities[entity].passages
    }
    return sorted(support, key=lambda passage: -support[passage])


def _in_turns(first: Sequence[A], second: Sequence[A]) -> tuple[A, ...]:
    paired = chain.from_iterable(zip(first, second, strict=False))
    return tuple(dict.fromkeys((*paired, *first[len(second) :], *second[len(first) :])))
