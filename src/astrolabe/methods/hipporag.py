"""HippoRAG: a walk over the facts of all passages, from what the question names; and HippoRAG 2."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Calls, Kit
from astrolabe.core.records import Answer, Hit, Question, Step
from astrolabe.core.spelling import Scalar
from astrolabe.parts.fact_graph import FactGraph
from astrolabe.parts.fact_looks import look_at_facts, look_at_links, look_at_walk
from astrolabe.parts.fact_walk import (
    NO_GRAPH,
    best_passages,
    by_similarity,
    fact_seeds,
    link_seeds,
    linked,
    passage_scores,
    walked,
)
from astrolabe.parts.pagerank import check_damping
from astrolabe.parts.passage_graph import PassageGraph
from astrolabe.parts.pick_facts import Picked, pick_facts
from astrolabe.parts.question_entities import Named, question_entities
from astrolabe.parts.rank import best, check_k, scaled
from astrolabe.parts.thought import think
from astrolabe.parts.triples import CALLS_A_PASSAGE, Reading
from astrolabe.parts.write import write_answer

# The weakest of scores that are moved to [0, 1] would be no seed at all, and a small scope has no other.
_WEAKEST: Final = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class HippoRAG:
    """Facts of three parts are read in every passage; their phrases are the nodes, facts and likeness the edges.

    What the question names is linked to the nearest phrases; a walk that keeps coming back to them (personalised
    PageRank) gives each phrase its activation, a fact that of its two phrases, a passage that of its facts. Where the
    question names nothing, nothing can be linked or there is no fact, passages are ranked by similarity, and the trace
    says so. Published is the run of ASTRA-QA: two replies a passage, the damping of HippoRAG's class, one thought.

    Attributes:
        k: How many passages are read (HippoRAG's own 5).
        damping: The probability of following an edge rather than going back to the seeds (0.5 in every command that
            HippoRAG publishes; its class, and so the published run, has 0.1).
        synonyms: The cosine from which two phrases are alike (HippoRAG's own 0.8).
        thoughts: How often a thought about the passages is searched for again (0 in HippoRAG's plain runs).
        reading: `at_once` for one reply a passage, `in_two` for names first, then triples (HippoRAG's own).
        size: Tokens a passage (HippoRAG is given passages; 1,200 as in all graph methods here).
        overlap: Tokens that neighbouring passages share.
        prompt: What the answer is asked with.
    """

    name: ClassVar[str] = "hipporag"
    paper: ClassVar[str] = "Gutierrez et al. 2024 (HippoRAG)"
    index_calls: ClassVar[str] = "1 a passage; 2 where names and triples are read in two"
    question_calls: ClassVar[str] = "2, and 1 a thought"
    presets: ClassVar[Mapping[str, Mapping[str, Scalar]]] = {
        "published": {"damping": 0.1, "thoughts": 1, "reading": "in_two", "prompt": "write_reasoned.v1"}
    }

    k: int = 5
    damping: float = 0.5
    synonyms: float = 0.8
    thoughts: int = 0
    reading: Reading = "at_once"
    size: int = 1200
    overlap: int = 100
    prompt: str = "write.v1"

    def __post_init__(self) -> None:
        """Refuse what cannot be walked, before anything runs."""
        check_k(self.k)
        _ = self.graph
        check_damping(self.damping)
        if self.thoughts < 0:
            raise ConfigError(f"hipporag needs thoughts >= 0, got thoughts={self.thoughts!r}; choose thoughts=0")

    @property
    def graph(self) -> FactGraph:
        """The graph that is walked."""
        return FactGraph(size=self.size, overlap=self.overlap, reading=self.reading, synonyms=self.synonyms)

    @property
    def calls(self) -> Calls:
        """One or two a passage; the question's entities and thoughts, where there is a fact, and the answer."""
        read, most = CALLS_A_PASSAGE[self.reading], 2 + self.thoughts
        return Calls(question_low=1, question_high=most, passage_low=read, passage_high=read, cut=self.graph.cut)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Name, link, walk; think, link and walk again; write."""
        index = await kit.open(self.graph)
        facts, trace, thoughts, hits = index.facts, list[Step](), list[str](), list[Hit]()
        named = await question_entities(question.text, kit) if facts.facts else Named((), NO_GRAPH)
        scores = np.zeros(len(facts.passages))
        while True:
            links = await linked(named.entities, index)
            trace.append(look_at_links(facts, links, named))
            if not links:
                break
            shares = await asyncio.to_thread(walked, index, link_seeds(facts, links), self.damping)
            scores = np.maximum(scores, passage_scores(facts, shares))
            hits = best_passages(facts.passages, scores, self.k, source=self.name)
            trace.append(look_at_walk(facts, shares, hits, damping=self.damping))
            if len(thoughts) == self.thoughts:
                break
            named = await think(question.text, hits, thoughts, kit)
            thoughts.extend(named.entities)
        if not hits:
            hits, step = await by_similarity(question, kit, self.graph.cut, k=self.k, why=trace[-1].reason)
            trace.append(step)
        return await write_answer(question, hits, kit, trace=trace, prompt=self.prompt)


@dataclass(frozen=True, slots=True, kw_only=True)
class HippoRAG2:
    """Passages are nodes, too; the question is linked to facts, of which the model may veto any.

    The facts nearest to the question are shown to the model. The phrases of those it keeps and, with little weight,
    all passages by similarity are the seeds of the walk, and passages are ranked by their own activation. Where no
    fact is kept, passages are ranked by similarity, and the trace says so.

    Attributes:
        k: How many passages are read (the paper's 5).
        links: How many facts are shown to the model, and how many of their phrases become seeds (the paper's 5).
        passage_weight: The seed of the passage most similar to the question (the paper's 0.05).
        damping: The probability of following an edge rather than going back to the seeds (the paper's 0.5).
        synonyms: The cosine from which two phrases are alike (the paper's 0.8).
        reading: `at_once` for one reply a passage, `in_two` for names first, then triples (the paper's).
        size: Tokens a passage (the paper is given passages; 1,200 as in all graph methods here).
        overlap: Tokens that neighbouring passages share.
        prompt: What the answer is asked with.
    """

    name: ClassVar[str] = "hipporag2"
    paper: ClassVar[str] = "Gutierrez et al. 2025 (HippoRAG 2)"
    index_calls: ClassVar[str] = "1 a passage; 2 where names and triples are read in two"
    question_calls: ClassVar[str] = "2; 1 where no fact was read"
    presets: ClassVar[Mapping[str, Mapping[str, Scalar]]] = {
        "published": {"reading": "in_two", "prompt": "write_reasoned.v1"}
    }

    k: int = 5
    links: int = 5
    passage_weight: float = 0.05
    damping: float = 0.5
    synonyms: float = 0.8
    reading: Reading = "at_once"
    size: int = 1200
    overlap: int = 100
    prompt: str = "write.v1"

    def __post_init__(self) -> None:
        """Refuse what cannot be walked, before anything runs."""
        check_k(self.k)
        check_k(self.links)
        check_damping(self.damping)
        _ = self.graph
        if self.passage_weight <= 0:
            raise ConfigError(f"hipporag2 needs passage_weight > 0, got {self.passage_weight!r}; choose 0.05")

    @property
    def graph(self) -> PassageGraph:
        """The graph that is walked."""
        return PassageGraph(size=self.size, overlap=self.overlap, reading=self.reading, synonyms=self.synonyms)

    @property
    def calls(self) -> Calls:
        """One or two a passage; the choice of facts, where there are any, and the answer."""
        read = CALLS_A_PASSAGE[self.reading]
        return Calls(question_low=1, question_high=2, passage_low=read, passage_high=read, cut=self.graph.cut)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Find facts, let the model choose, walk, write."""
        index = await kit.open(self.graph)
        facts, passages = index.graph.facts, index.passage_vectors
        asked = await passages.embed(question.text) if len(passages) else None
        if asked is None:
            return await write_answer(question, [], kit)
        near = scaled(index.fact_vectors.similar(asked), floor=_WEAKEST)
        shown = best(near, self.links)
        told = [facts.written(place) for place in shown]
        picked = await pick_facts(question.text, told, kit) if shown else Picked((), NO_GRAPH)
        kept = [shown[place] for place in picked.places]
        trace = [look_at_facts(facts, shown, near, kept, reason=picked.reason)]
        if kept:
            lightly = self.passage_weight * scaled(passages.similar(asked), floor=_WEAKEST)
            seeds = np.concatenate([fact_seeds(facts, kept, near, most=self.links), lightly]).astype(np.float64)
            shares = await asyncio.to_thread(walked, index, seeds, self.damping)
            hits = best_passages(facts.passages, shares[len(facts.phrases) :], self.k, source=self.name)
            step = look_at_walk(facts, shares, hits, damping=self.damping)
        else:
            hits, step = await by_similarity(question, kit, self.graph.cut, k=self.k, why=picked.reason)
        return await write_answer(question, hits, kit, trace=[*trace, step], prompt=self.prompt)
