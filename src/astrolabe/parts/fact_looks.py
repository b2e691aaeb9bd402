"""Steps of a trace that show a walk over a graph of facts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import numpy.typing as npt

from astrolabe.core.protocols import Vectors
from astrolabe.core.records import Hit, Step
from astrolabe.parts.fact_graph import Facts
from astrolabe.parts.fact_walk import Link
from astrolabe.parts.look import Edge, Node, look
from astrolabe.parts.question_entities import Named
from astrolabe.parts.rank import best

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_SHOWN: Final = 10
_QUESTION: Final = "question"
Places = npt.NDArray[np.int64]


def look_at_links(facts: Facts, links: Sequence[Link], named: Named) -> Step:
    """Return the step that linked what was named to phrases, the seeds of a walk; its reason says what is missing."""
    passages = _passages_of(facts, [link.phrase for link in links])
    nodes = {
        link.phrase: Node(
            id=facts.phrases[link.phrase], kind="entity", score=link.score, passages=passages[link.phrase]
        )
        for link in links
    }
    edges = [Edge(source=_QUESTION, target=facts.phrases[link.phrase], label=link.asked) for link in links]
    missing = len(named.entities) - len(links)
    reason = named.reason or (f"{missing} of {len(named.entities)} named are like no phrase" if missing else "")
    drawn = [Node(id=_QUESTION, kind="question"), *nodes.values()] if links else []
    return look("search.entities", drawn, edges, asked="; ".join(named.entities), reason=reason)


def look_at_facts(facts: Facts, shown: Sequence[int], near: Vectors, kept: Sequence[int], *, reason: str) -> Step:
    """Return the step that found facts near the question, of which some were kept."""
    nodes = [
        Node(
            id=f"fact {place}",
            kind="fact",
            label=facts.written(place),
            score=float(near[place]),
            passages=_passages_that_say(facts, place),
        )
        for place in shown
    ]
    pairs = [(place, end) for place in kept for end in (facts.facts[place].subject, facts.facts[place].object)]
    edges = [Edge(source=f"fact {place}", target=facts.phrases[end], label="kept") for place, end in pairs]
    ends = dict.fromkeys(end for _, end in pairs)
    passages = _passages_of(facts, list(ends))
    phrases = [Node(id=facts.phrases[end], kind="entity", passages=passages[end]) for end in ends]
    return look("search.facts", [*nodes, *phrases], edges, reason=reason)


def look_at_walk(facts: Facts, shares: npt.NDArray[np.float64], hits: Sequence[Hit], *, damping: float) -> Step:
    """Return the step that walked the graph: the phrases where it spent most time, their facts, and the best passages.

    Args:
        facts: The graph's.
        shares: Of the walk's time, the phrases first; passages may follow.
        hits: The passages that came of it, best first.
        damping: The walk's.
    """
    own = shares[: len(facts.phrases)]
    # In parts of the highest share: `best` compares six decimals.
    scale = own.max(initial=0.0) or 1.0
    top = [place for place in best((own / scale).astype(np.float32), _SHOWN) if own[place] > 0]
    passages = _passages_of(facts, top)
    phrases = [
        Node(id=facts.phrases[place], kind="entity", score=float(own[place]), passages=passages[place]) for place in top
    ]
    shown = [Node(id=hit.passage_id, kind="passage", score=hit.score, passages=(hit.passage_id,)) for hit in hits]
    between = np.flatnonzero(np.isin(facts.ends, top).all(axis=1))
    said = [
        Edge(source=facts.phrases[one.subject], target=facts.phrases[one.object], label=one.relation)
        for one in (facts.facts[place] for place in between.tolist())
    ]
    held = {hit.passage_id for hit in hits}
    read = [
        Edge(source=facts.phrases[place], target=passage)
        for place in top
        for passage in passages[place]
        if passage in held
    ]
    return look(
        "search.walk",
        [*phrases, *shown],
        [*said, *read],
        mode=f"personalised PageRank, damping {damping:g}",
        hits=hits,
    )


def _passages_of(facts: Facts, phrases: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the ids of the passages that speak of each of some phrases."""
    once = sorted(set(phrases))
    spoken = cast("csr_array", facts.phrases_of_passages[:, once])
    rows, columns = cast("tuple[Places, Places]", spoken.nonzero())
    found: dict[int, list[str]] = {phrase: [] for phrase in once}
    pairs: list[tuple[int, int]] = np.column_stack([rows, columns]).tolist()
    for row, column in pairs:
        found[once[column]].append(facts.passages[row])
    return {phrase: tuple(passages) for phrase, passages in found.items()}


def _passages_that_say(facts: Facts, fact: int) -> tuple[str, ...]:
    places: list[int] = facts.mentions[facts.mentions[:, 1] == fact, 0].tolist()
    return tuple(facts.passages[place] for place in places)
