"""The graph of a scope as an index: extraction, merging, and one description for what is described at length."""

import asyncio
import gc
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from pydantic import BaseModel

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Cut, Gaps, Kit
from astrolabe.core.records import Passage
from astrolabe.core.tokens import count_tokens
from astrolabe.parts.ask_all import ask_all
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation, merged
from astrolabe.parts.extract import LONGEST_REPLY, TYPES, Extract
from astrolabe.prompts import render
from astrolabe.store.files import write_whole

STAGE: Final = "index.describe"
_MAX_TOKENS: Final = 500
_NOTES_TOKENS: Final = 4_000
"""How much of a subject's notes is shown at once; what is beyond comes in a further call, below what was written."""


class _Subject(NamedTuple):
    """What needs one description: an entity (`kind` 0) or a relation (1) by its place."""

    kind: int
    place: int
    name: str
    notes: str


class _Kept(BaseModel, frozen=True):
    """A graph as it stands on disk; it lacked nothing."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    asked: int
    dropped: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedGraph:
    """The entities and relations of a scope, merged.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        types: The types of entities, separated by commas.
        gleanings: How often a passage is gone through again for what was missed.
        describe_at: Descriptions of at least so many tokens in all are written into one, a call each.
    """

    name: ClassVar[str] = "described_graph"
    prompts: ClassVar[tuple[str, ...]] = (*Extract.prompts, "describe.v1")

    size: int = 1200
    overlap: int = 100
    types: str = TYPES
    gleanings: int = 0
    describe_at: int = 500

    def __post_init__(self) -> None:
        """Refuse what cannot be built, before anything runs."""
        _ = self.extract
        if self.describe_at < 1:
            msg = f"descriptions are written from describe_at >= 1 tokens on, got {self.describe_at!r}; try 500"
            raise ConfigError(msg)

    @property
    def cut(self) -> Cut:
        """The passages that are read."""
        return Cut(size=self.size, overlap=self.overlap)

    @property
    def extract(self) -> Extract:
        """What it is merged from."""
        return Extract(size=self.size, overlap=self.overlap, types=self.types, gleanings=self.gleanings)

    @property
    def most_calls(self) -> float:
        """The most calls that building it takes for each passage: a reply of many tokens makes several descriptions."""
        return (1 + self.gleanings) * (1 + LONGEST_REPLY / self.describe_at)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> EntityGraph:  # noqa: ARG002 - the protocol's
        """Merge what was read, then describe."""
        read = await kit.open(self.extract)
        graph = await asyncio.to_thread(merged, read.of, read.gaps)
        return await described(graph, kit, at=self.describe_at)

    def save(self, index: EntityGraph, folder: Path) -> None:
        """Write the graph."""
        save_graph(index, folder)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> EntityGraph:  # noqa: ARG002 - the protocol's
        """Read the graph."""
        return load_graph(folder)


async def described(graph: EntityGraph, kit: Kit, *, at: int) -> EntityGraph:
    """Return the graph with one description for each entity and relation that has `at` tokens of notes or more.

    A single note is a description already. What the model does not describe keeps its notes, and is a gap.
    """
    subjects = await asyncio.to_thread(lambda: [one for one in _subjects(graph) if count_tokens(one.notes) >= at])
    outcomes = await ask_all(subjects, lambda subject: _describe(subject, kit))
    entities, relations = list(graph.entities), list(graph.relations)
    failed: dict[str, str] = {}
    for subject, outcome in zip(subjects, outcomes, strict=True):
        if isinstance(outcome, ModelError):
            failed[f"description of {subject.name}"] = outcome.reason
        elif subject.kind:
            relations[subject.place] = replace(relations[subject.place], description=outcome)
        else:
            entities[subject.place] = replace(entities[subject.place], description=outcome)
    gaps = graph.gaps + Gaps(asked=len(subjects), failed=failed)
    return EntityGraph(entities=tuple(entities), relations=tuple(relations), gaps=gaps, dropped=graph.dropped)


def save_graph(graph: EntityGraph, folder: Path) -> None:
    """Write `graph.json`."""
    kept = _Kept(
        entities=tuple(graph.entities),
        relations=tuple(graph.relations),
        asked=graph.gaps.asked,
        dropped=dict(graph.dropped),
    )
    write_whole(folder / "graph.json", kept.model_dump_json())


def load_graph(folder: Path) -> EntityGraph:
    """Read what `save_graph` wrote."""
    with _uncollected():
        kept = _Kept.model_validate_json((folder / "graph.json").read_bytes())
    return EntityGraph(
        entities=kept.entities, relations=kept.relations, gaps=Gaps(asked=kept.asked), dropped=kept.dropped
    )


@contextmanager
def _uncollected() -> Generator[None]:
    """Look for no garbage meanwhile: all that is made stays, and looking through it again and again takes longer."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _subjects(graph: EntityGraph) -> Iterator[_Subject]:
    """Yield the entities and relations of which several things are said."""
    for place, entity in enumerate(graph.entities):
        if "\n" in entity.description:
            yield _Subject(0, place, entity.name, entity.description)
    for place, relation in enumerate(graph.relations):
        if "\n" in relation.description:
            ends = f"{graph.entities[relation.source].name} and {graph.entities[relation.target].name}"
            yield _Subject(1, place, ends, relation.description)


async def _describe(subject: _Subject, kit: Kit) -> str:
    """Return one description of all notes, taken in as many rounds as they need.

    Raises:
        ModelError: The model gave no usable reply.
    """
    notes = subject.notes.split("\n")
    while len(notes) > 1:
        taken, spent = 0, 0
        while taken < len(notes) and (taken < 2 or spent + count_tokens(notes[taken]) <= _NOTES_TOKENS):  # noqa: PLR2004
            spent += count_tokens(notes[taken])
            taken += 1
        prompt = render(
            "describe.v1",
            stage=STAGE,
            reply=str,
            max_tokens=_MAX_TOKENS,
            holes={"subject": subject.name, "notes": "\n".join(notes[:taken])},
        )
        notes = [" ".join((await kit.llm.ask(prompt)).value.split()), *notes[taken:]]
    return notes[0]
