"""From what a question leads to, over a walk, to passages: the arithmetic of HippoRAG and HippoRAG 2."""

from collections.abc import Sequence
from typing import Final, NamedTuple, cast

import numpy as np

from astrolabe.core.protocols import Cut, Kit, Vectors
from astrolabe.core.records import Hit, Question, Step
from astrolabe.parts.dense import Dense
from astrolabe.parts.fact_graph import FactIndex, Facts
from astrolabe.parts.look import Node, look
from astrolabe.parts.pagerank import Numbers
from astrolabe.parts.passage_graph import PassageIndex
from astrolabe.parts.rank import best, ranked

NO_GRAPH: Final = "no graph: no fact was read in this scope"


class Link(NamedTuple):
    """What of the question leads to which phrase (by its place), and how near they are."""

    asked: str
    phrase: int
    score: float


async def linked(texts: Sequence[str], index: FactIndex) -> list[Link]:
    """Return each text's nearest phrase, in the texts' order; a text that is like none is left out."""
    links: list[Link] = []
    for text in texts:
        near = await index.vectors.nearest(text, k=1)
        links += [Link(text, place, score) for place, score in near if score > 0]
    return links


def link_seeds(facts: Facts, links: Sequence[Link]) -> Numbers:
    """Return seeds of a walk over the phrases: a linked one weighs 1 by the number of passages that speak of it."""
    seeds = np.zeros(len(facts.phrases))
    for link in links:
        seeds[link.phrase] = 1.0 / facts.passages_of_phrase[link.phrase]
    return seeds


def fact_seeds(facts: Facts, kept: Sequence[int], near: Vectors, *, most: int) -> Numbers:
    """Return seeds of a walk over the phrases, from facts.

    A fact gives each of its phrases its nearness by the number of passages that speak of the phrase; of several facts
    a phrase has the mean. The `most` heaviest phrases are kept, the first of equals.

    Args:
        facts: The graph's.
        kept: Facts by their places.
        near: How near each fact of the graph is, shape (facts,), above 0.
        most: How many phrases are seeds.
    """
    ends = facts.ends[list(kept)].ravel()
    given = np.repeat(near[list(kept)], 2) / facts.passages_of_phrase[ends]
    sums = np.bincount(ends, weights=given, minlength=len(facts.phrases))
    seeds: Numbers = sums / np.maximum(np.bincount(ends, minlength=len(facts.phrases)), 1)
    chosen = np.argsort(-np.round(seeds, 9), kind="stable")[:most]
    return np.where(np.isin(np.arange(len(seeds)), chosen), seeds, 0.0)


def walked(index: FactIndex | PassageIndex, seeds: Numbers, damping: float) -> Numbers:
    """Return each node's share of the walk's time; for a thread of its own."""
    return index.walk.rank(seeds, damping=damping)


def passage_scores(facts: Facts, shares: Numbers) -> Numbers:
    """Return each passage's score in [0, 1]: the sum over its facts of their phrases' shares, by the highest."""
    scores = cast("Numbers", facts.facts_of_passages @ (facts.phrases_of_facts @ shares))
    return scores / (scores.max(initial=0.0) or 1.0)


def best_passages(passages: Sequence[str], scores: Numbers, k: int, *, source: str) -> list[Hit]:
    """Return the `k` passages with the highest scores, best first, of equal ones the first; none that scores 0."""
    parts = (scores / (scores.max(initial=0.0) or 1.0)).astype(np.float32)
    order = [place for place in best(parts, k) if scores[place] > 0]
    return ranked([passages[place] for place in order], [float(parts[place]) for place in order], source=source)


async def by_similarity(question: Question, kit: Kit, cut: Cut, *, k: int, why: str) -> tuple[list[Hit], Step]:
    """Return the passages most similar to the question, and the step that says why they stand in for a walk."""
    index = await kit.open(Dense(size=cut.size, overlap=cut.overlap))
    hits = list(await index.search(question.text, k=k))
    reason = f"{why}; passages are ranked by similarity"
    nodes = [Node(id=hit.passage_id, kind="passage", score=hit.score, passages=(hit.passage_id,)) for hit in hits]
    return hits, look("search.passages", nodes, mode="dense", reason=reason, asked=question.text, hits=hits)
