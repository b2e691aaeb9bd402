"""What KET-RAG shows: a neighbourhood in the skeleton, and pieces found by words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from astrolabe.core.protocols import Kit, Vectors
from astrolabe.core.records import Hit, Question, Step
from astrolabe.parts.around import around_entities, entity_row, passage_row, relation_row
from astrolabe.parts.graph_sections import entity_node
from astrolabe.parts.keyword_graph import KeywordIndex, Walked
from astrolabe.parts.look import Edge, Node, look
from astrolabe.parts.sections import Section, packed
from astrolabe.parts.skeleton import SkeletonIndex
from astrolabe.parts.vectors import Near
from astrolabe.parts.write import Shown

_DRAWN: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexes:
    """Both halves of what is searched."""

    skeleton: SkeletonIndex
    keywords: KeywordIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Tokens of each section."""

    things: int
    around: int
    keywords: int


def ket_shown(
    question: Question,
    asked: Vectors,
    near: Sequence[Near],
    walked: Walked,
    *,
    indexes: Indexes,
    relations: int,
    budgets: Budgets,
    kit: Kit,
) -> Shown:
    """Return the entities that are near with their relations and pieces, then the pieces that words led to.

    A piece that words led to is not shown a second time around an entity.

    Args:
        question: What is asked.
        asked: Its vector.
        near: Entities of the skeleton, nearest first; may be none.
        walked: Words, and the pieces that they led to.
        indexes: Hold the graph and the pieces.
        relations: How many relations are shown for each entity at most, on the mean.
        budgets: Shrunk together where they are more than the model may be shown.
        kit: Says how much that is.
    """
    skeleton, keywords = indexes.skeleton, indexes.keywords
    graph = skeleton.graph
    found = around_entities(graph, [one.place for one in near])
    by_words = [keywords.pieces[place] for place in walked.pieces]
    led_to = {piece.id for piece in by_words}
    things = [
        *(entity_row(graph, place) for place in found.entities),
        *(relation_row(graph, place) for place in found.relations[: relations * len(found.entities)]),
    ]
    others = [kit.read(name) for name in found.passages if name not in led_to]
    sections = [
        Section(title="Things and how they are related", rows=things, tokens=budgets.things),
        Section(title="Where they are spoken of", rows=list(map(passage_row, others)), tokens=budgets.around),
        Section(title="More on the question", rows=list(map(passage_row, by_words)), tokens=budgets.keywords),
    ]
    shown = packed(
        [section if section.tokens else replace(section, rows=()) for section in sections], kit.context_tokens
    )
    similar = dict(zip((piece.id for piece in keywords.pieces), keywords.vectors.similar(asked).tolist(), strict=True))
    own = [row.passages[0] for kept in shown.rows[1:] for row in kept]
    every = sorted(shown.passages, key=lambda name: -round(similar[name], 6))
    sources = {name: "keyword" if name in led_to else "entity" for name in every}
    return Shown(
        text=shown.text,
        contexts=_hits(own, similar, sources),
        retrieved=_hits(every, similar, sources),
        trace=(
            _look_at_entities(question, near, skeleton, found.relations),
            _look_at_words(question, walked, keywords),
        ),
    )


def _hits(names: Sequence[str], similar: Mapping[str, float], sources: Mapping[str, str]) -> list[Hit]:
    return [
        Hit(passage_id=name, rank=rank, score=similar[name], source=sources[name]) for rank, name in enumerate(names, 1)
    ]


def _look_at_entities(
    question: Question, near: Sequence[Near], skeleton: SkeletonIndex, relations: Sequence[int]
) -> Step:
    graph = skeleton.graph
    nodes = [entity_node(graph, one.place, score=one.score) for one in near]
    places = {one.place for one in near}
    among = [graph.relations[place] for place in relations]
    edges = [
        Edge(source=graph.entities[one.source].name, target=graph.entities[one.target].name)
        for one in among
        if one.source in places and one.target in places
    ]
    reason = "" if graph.entities else "no graph: the skeleton has no entity; words alone are searched"
    return look("search.entities", nodes, edges, mode="similarity", asked=question.text, reason=reason)


def _look_at_words(question: Question, walked: Walked, keywords: KeywordIndex) -> Step:
    """Draw the first words that were walked, and the pieces among them that are shown."""
    words = [(keywords.words[one.place], one) for one in walked.words[:_DRAWN]]
    pieces = [keywords.pieces[place].id for place in walked.pieces[:_DRAWN]]
    nodes = [
        *(Node(id=f"word {word}", kind="keyword", label=word, score=one.score) for word, one in words),
        *(Node(id=piece, kind="passage", passages=(piece,)) for piece in pieces),
    ]
    edges = [
        Edge(source=f"word {word}", target=keywords.pieces[place].id)
        for word, one in words
        for place in walked.pieces[:_DRAWN]
        if keywords.has(place, one.place)
    ]
    reason = f"{len(walked.words)} of {len(keywords.words)} words led to {len(walked.pieces)} pieces"
    return look("search.keywords", nodes, edges, mode="similarity", asked=question.text, reason=reason)
