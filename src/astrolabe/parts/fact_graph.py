"""The phrases that a scope's facts speak of, tied by the facts and by likeness: the memory of HippoRAG."""

import asyncio
import logging
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Cut, Gaps, IndexSpec, Kit, Vectors
from astrolabe.core.records import Passage
from astrolabe.parts.apart import Arrays, apart
from astrolabe.parts.entity_names import entity_key, shown_name
from astrolabe.parts.neighbours import Pairs, close_pairs
from astrolabe.parts.pagerank import Walk
from astrolabe.parts.readings import Readings
from astrolabe.parts.triples import NamesAndTriples, Reading, TriplesInTwo, triples_spec
from astrolabe.parts.triples import Triples as TriplesAtOnce
from astrolabe.parts.vectors import TextVectors
from astrolabe.store.files import write_whole

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_log = logging.getLogger(__name__)
Places = npt.NDArray[np.int64]
MOST_SYNONYMS: Final = 100
"""How many phrases a phrase names as like it (HippoRAG's own figure)."""
_FEWEST_CHARACTERS: Final = 3
_A_LONG_TIME: Final = 8_000
"""From so many phrases on, comparing all with all takes longer than starting a process."""


class Fact(NamedTuple):
    """What is said of two phrases, by their places in the graph."""

    subject: int
    relation: str
    object: int


class _Kept(BaseModel, frozen=True):
    """The words of a graph as they stand on disk; its numbers stand beside them."""

    phrases: tuple[str, ...]
    facts: tuple[Fact, ...]
    asked: int
    dropped: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Phrases and facts, named by their places, and where they were read.

    Attributes:
        passages: Passage ids, by document and place.
        phrases: As they are shown: the spelling that occurs most, the first of equals; in the order of their first
            mention as an end of a fact.
        facts: Each once, in the order of their first mention.
        mentions: Which passage (its place) says which fact, each pair once: shape (mentions, 2).
        gaps: Which passages are missing, and why.
        dropped: How many triples were left out, by reason.
    """

    passages: tuple[str, ...]
    phrases: Sequence[str]
    facts: Sequence[Fact]
    mentions: Places
    gaps: Gaps = field(default_factory=Gaps)
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])

    @cached_property
    def ends(self) -> Places:
        """The phrases of each fact, shape (facts, 2)."""
        return np.array([(fact.subject, fact.object) for fact in self.facts], dtype=np.int64).reshape(-1, 2)

    @cached_property
    def facts_of_passages(self) -> "csr_array":
        """Which passage says which fact: 0 or 1, shape (passages, facts)."""
        return _incidence(self.mentions, (len(self.passages), len(self.facts)))

    @cached_property
    def phrases_of_facts(self) -> "csr_array":
        """Which fact speaks of which phrase: 0 or 1, shape (facts, phrases)."""
        pairs = np.column_stack([np.repeat(np.arange(len(self.facts)), 2), self.ends.ravel()])
        return _incidence(pairs, (len(self.facts), len(self.phrases)))

    @cached_property
    def phrases_of_passages(self) -> "csr_array":
        """Which passage speaks of which phrase in a fact: 0 or 1, shape (passages, phrases)."""
        both = cast("csr_array", self.facts_of_passages @ self.phrases_of_facts)
        both.data = np.ones_like(cast("Vectors", both.data))
        return both

    @cached_property
    def passages_of_phrase(self) -> Places:
        """How many passages speak of each phrase, shape (phrases,), at least 1."""
        return cast("Vectors", self.phrases_of_passages.sum(axis=0)).astype(np.int64)

    @cached_property
    def said(self) -> Places:
        """How many passages say each fact, shape (facts,), at least 1."""
        return np.bincount(self.mentions[:, 1], minlength=len(self.facts)).astype(np.int64)

    def written(self, fact: int) -> str:
        """Return a fact's three parts as a phrase: `moon pulls water`."""
        one = self.facts[fact]
        return f"{self.phrases[one.subject]} {one.relation} {self.phrases[one.object]}"


@dataclass(frozen=True, kw_only=True)
class FactIndex:
    """Facts with their phrases' vectors, and which phrases are like each other.

    Attributes:
        facts: What was read.
        vectors: Of the phrases.
        synonyms: Pairs of phrases, the lower place first, with their cosine.
    """

    facts: Facts
    vectors: TextVectors
    synonyms: Pairs

    @property
    def gaps(self) -> Gaps:
        """Which passages are missing, and why."""
        return self.facts.gaps

    @cached_property
    def weights(self) -> "csr_array":
        """How strongly phrases are tied, in both directions, shape (phrases, phrases).

        The number of times that passages say a fact of the two, plus their cosine where they are synonyms.
        """
        facts = self.facts
        sources = np.concatenate([facts.ends[:, 0], self.synonyms.sources])
        targets = np.concatenate([facts.ends[:, 1], self.synonyms.targets])
        return symmetric(sources, targets, np.concatenate([facts.said, self.synonyms.scores]), len(facts.phrases))

    @cached_property
    def walk(self) -> Walk:
        """The walk over the phrases."""
        return Walk.over(self.weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactGraph:
    """The facts of a scope, merged, with synonym edges.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        reading: How triples are read: `at_once` in one reply a passage, `in_two`.
        synonyms: The cosine from which two phrases count as like each other, above 0 and at most 1.
    """

    name: ClassVar[str] = "fact_graph"
    prompts: ClassVar[tuple[str, ...]] = (*TriplesAtOnce.prompts, *TriplesInTwo.prompts)

    size: int = 1200
    overlap: int = 100
    reading: Reading = "at_once"
    synonyms: float = 0.8

    def __post_init__(self) -> None:
        """Refuse what cannot be built, before anything runs."""
        _ = self.cut
        if not 0 < self.synonyms <= 1:
            raise ConfigError(f"synonyms are from a cosine above 0 to 1, got {self.synonyms!r}; choose synonyms=0.8")

    @property
    def cut(self) -> Cut:
        """The passages that are read."""
        return Cut(size=self.size, overlap=self.overlap)

    @property
    def triples(self) -> IndexSpec[Readings[NamesAndTriples]]:
        """What it is merged from."""
        return triples_spec(self.reading, size=self.size, overlap=self.overlap)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> FactIndex:
        """Merge what was read, embed the phrases, find those that are alike."""
        read = await kit.open(self.triples)
        facts = await asyncio.to_thread(merged_facts, [passage.id for passage in passages], read)
        if passages and not facts.facts:
            _log.warning("no fact was read in %d of %d passages", len(passages), len(passages))
        vectors = await TextVectors.over(facts.phrases, kit.embedder)
        return FactIndex(facts=facts, vectors=vectors, synonyms=await self._alike(facts.phrases, vectors.pooled))

    def save(self, index: FactIndex, folder: Path) -> None:
        """Write `facts.json`, `facts.npz` and the vectors."""
        facts = index.facts
        kept = _Kept(
            phrases=tuple(facts.phrases),
            facts=tuple(facts.facts),
            asked=facts.gaps.asked,
            dropped=dict(facts.dropped),
        )
        write_whole(folder / "facts.json", kept.model_dump_json())
        np.savez(folder / "facts.npz", mentions=facts.mentions, allow_pickle=False, **index.synonyms._asdict())
        index.vectors.save(folder)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> FactIndex:
        """Open what `save` wrote."""
        kept = _Kept.model_validate_json((folder / "facts.json").read_bytes())
        with np.load(folder / "facts.npz", allow_pickle=False) as arrays:
            mentions = arrays["mentions"]
            synonyms = Pairs(arrays["sources"], arrays["targets"], arrays["scores"])
        facts = Facts(
            passages=tuple(passage.id for passage in passages),
            phrases=kept.phrases,
            facts=kept.facts,
            mentions=mentions,
            gaps=Gaps(asked=kept.asked),
            dropped=kept.dropped,
        )
        return FactIndex(facts=facts, vectors=TextVectors.load(folder, kit.embedder), synonyms=synonyms)

    async def _alike(self, phrases: Sequence[str], vectors: Vectors) -> Pairs:
        """Return which phrases are alike; those of too few characters are like none."""
        long = np.flatnonzero([_characters(phrase) >= _FEWEST_CHARACTERS for phrase in phrases])
        arrays = {"rows": vectors[long], "floor": np.array(self.synonyms)}
        found = await apart(alike, arrays, heavy=len(long) > _A_LONG_TIME)
        return Pairs(
            long[cast("Places", found["sources"])],
            long[cast("Places", found["targets"])],
            cast("Vectors", found["scores"]),
        )


def merged_facts(passages: Sequence[str], read: Readings[NamesAndTriples]) -> Facts:
    """Return what was read in passages, given in the scope's order, as phrases and facts.

    Phrases are one where `entity_key` is, facts where their three parts are. What a passage says twice counts once.
    Triples that lack a part, and those of a thing with itself, are left out and counted.
    """
    spellings: dict[str, list[str]] = {}
    facts: dict[tuple[str, str, str], str] = {}
    mentions: dict[tuple[int, tuple[str, str, str]], None] = {}
    dropped: Counter[str] = Counter()
    for place, passage in enumerate(passages):
        for triple in read.of[passage].triples if passage in read.of else ():
            key = entity_key(triple.subject), entity_key(triple.relation), entity_key(triple.object)
            if fault := _fault(key):
                dropped[fault] += 1
                continue
            spellings.setdefault(key[0], []).append(shown_name(triple.subject))
            spellings.setdefault(key[2], []).append(shown_name(triple.object))
            facts.setdefault(key, shown_name(triple.relation))
            mentions[place, key] = None
    phrases = {key: place for place, key in enumerate(spellings)}
    numbers = {key: place for place, key in enumerate(facts)}
    return Facts(
        passages=tuple(passages),
        phrases=tuple(Counter(names).most_common(1)[0][0] for names in spellings.values()),
        facts=tuple(Fact(phrases[key[0]], relation, phrases[key[2]]) for key, relation in facts.items()),
        mentions=np.array([(place, numbers[key]) for place, key in mentions], dtype=np.int64).reshape(-1, 2),
        gaps=read.gaps,
        dropped=dict(sorted(dropped.items())),
    )


def symmetric(sources: Places, targets: Places, weights: npt.NDArray[np.number], size: int) -> "csr_array":
    """Return undirected edges as a matrix, shape (size, size); the weights of edges between the same two add up."""
    from scipy.sparse import coo_array

    rows, columns = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    both = np.concatenate([weights, weights]).astype(np.float64)
    return coo_array((both, (rows, columns)), shape=(size, size)).tocsr()


def alike(arrays: Arrays) -> Arrays:
    """Return the close pairs of `rows` at or above `floor`, for `apart`."""
    rows = cast("Vectors", arrays["rows"])
    pairs = close_pairs(rows, floor=float(cast("Vectors", arrays["floor"])), most=MOST_SYNONYMS)
    return pairs._asdict()


def _fault(key: tuple[str, str, str]) -> str:
    if not all(key):
        return "triple without one of its parts"
    return "triple of a thing with itself" if key[0] == key[2] else ""


def _incidence(pairs: Places, shape: tuple[int, int]) -> "csr_array":
    """Return pairs, each once, as a matrix of ones."""
    from scipy.sparse import coo_array

    ones = np.ones(len(pairs), dtype=np.float64)
    return coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=shape).tocsr()


def _characters(phrase: str) -> int:
    """Count letters and digits; one of a script that fills a square counts as two."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in phrase if character.isalnum())
