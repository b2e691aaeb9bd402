"""A node of a reasoning tree: one question, how it was resolved, and what came of it."""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from astrolabe.core.errors import FailureStatus, ModelError
from astrolabe.core.records import Hit, Step, Usage
from astrolabe.core.usage import metering

if TYPE_CHECKING:
    from pydantic import JsonValue

Mode = Literal["lateral", "external", "vertical"]
"""Answered from answers that are there, from a search, or from its children."""
Reason = Literal["answerable", "atomic", "split", "depth_cap", "breadth_cap", "parse_fallback", "budget"]
"""Why a node has its mode; `budget` where calls, tokens or time were spent."""


MARK: Final = re.compile(r"<([^<>]*\bQ\d+\b[^<>]*)>")
"""Where a planned question wants the answers of earlier ones: `<Q1>`, `<Q1, Q2>`."""
NUMBER: Final = re.compile(r"\bQ(\d+)\b")


class Pair(NamedTuple):
    """A question and its answer; where there is none, why."""

    question: str
    answer: str | None
    why: str = ""


class Room(NamedTuple):
    """What questions that share a call may take together.

    Attributes:
        tokens: Fewer tokens of passages than this.
        most: At most so many questions.
        overlap: Their evidence overlaps by more than this Jaccard similarity.
    """

    tokens: int
    most: int
    overlap: float


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """One question of a tree.

    Attributes:
        id: `0` for the root; children of the root are `1`, `2`, ..., below that `2.1`, `2.2`, ...
        question: As it is asked now, marks replaced once they are known.
        parent: Null for the root.
        position: Among its siblings, from 1; 0 for the root.
        refs: The positions of the earlier siblings whose answers it needs.
        most: How many nodes may stand below it.
        context: The pairs of those siblings that it was shown.
        mode: How it was resolved.
        reason: Why so.
        query: What was searched for.
        hits: What was found.
        shown: What of it the model was shown.
        batch: The ids of the nodes that were answered in the same call; empty for a call of its own.
        room: What its children may take together where they share calls; null where evidence decides nothing.
        answer: Null while there is none, and where there is none to be had.
        status: `ok`, or the state that the attempt ended in.
        why: What was wrong then.
        usage: What its own calls cost; a call for several nodes counts with their parent.
        children: In their order.
    """

    id: str
    question: str
    parent: "Node | None" = None
    position: int = 0
    refs: tuple[int, ...] = ()
    most: int = 0
    context: Sequence[Pair] = ()
    mode: Mode | None = None
    reason: Reason | None = None
    query: str = ""
    hits: Sequence[Hit] = ()
    shown: Sequence[Hit] = ()
    batch: tuple[str, ...] = ()
    room: Room | None = None
    answer: str | None = None
    status: Literal["ok"] | FailureStatus = "ok"
    why: str = ""
    usage: Usage = field(default_factory=Usage)
    children: list["Node"] = field(default_factory=list["Node"])

    @property
    def depth(self) -> int:
        """How many parents stand above it; 0 for the root."""
        return self.parent.depth + 1 if self.parent else 0

    @property
    def pair(self) -> Pair:
        """Its question and answer."""
        return Pair(self.question, self.answer, self.why)

    def grow(self, parts: Sequence[str], *, preceding: bool) -> None:
        """Take children for parts of the question; what is left of the nodes is shared evenly.

        Args:
            parts: Their questions.
            preceding: Whether a child is shown the answers of all earlier siblings, or of those that it names.
        """
        self.children = [
            Node(
                id=str(place) if self.parent is None else f"{self.id}.{place}",
                question=text,
                parent=self,
                position=place,
                refs=tuple(range(1, place)) if preceding else references(text, place),
                most=(self.most - len(parts)) // len(parts),
            )
            for place, text in enumerate(parts, 1)
        ]

    def walk(self) -> Iterator["Node"]:
        """Yield the node and all below it, parents before children, in order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def fail(self, error: ModelError) -> None:
        """Keep the state that an attempt ended in."""
        self.status, self.why = error.status, error.reason

    @contextmanager
    def paying(self) -> Generator[None]:
        """Count the calls made inside as the node's own."""
        with metering() as meter:
            try:
                yield
            finally:
                self.usage = self.usage + meter.total

    def step(self) -> Step:
        """Return the node as a step of a trace."""
        nodes: list[JsonValue] = [
            {"id": hit.passage_id, "kind": "passage", "label": hit.passage_id, "score": round(hit.score, 6)}
            for hit in self.hits
        ]
        output: dict[str, JsonValue] = {
            "answer": self.answer,
            "status": self.status,
            "why": self.why,
            "query": self.query,
            "refs": list(self.refs),
            "batch": list(self.batch),
            "shown": len(self.shown),
            "room": dict(self.room._asdict()) if self.room else None,
            "nodes": nodes,
            "edges": [],
        }
        return Step(
            id=self.id,
            parent=self.parent.id if self.parent else None,
            stage="node",
            mode=self.mode or "",
            reason=self.reason or "",
            input=self.question,
            output=output,
            hits=tuple(self.hits),
            usage=self.usage,
        )


def renumbered(question: str, now: Mapping[str, int]) -> str:
    """Return a question whose marks have the places that the questions they name have now; unknown ones stay.

    Examples:
        >>> renumbered("Which of <Q2, Q9> was first?", {"Q2": 1})
        'Which of <Q1, Q9> was first?'
    """
    return MARK.sub(lambda mark: NUMBER.sub(lambda name: f"Q{now.get(name[0], name[1])}", mark[0]), question)


def references(question: str, position: int) -> tuple[int, ...]:
    """Return the positions of the earlier siblings that a planned question names, ascending; others are no references.

    Examples:
        >>> references("Which of <Q1, Q2> and <Q7> was first in Q3 of 2020?", 3)
        (1, 2)
    """
    named = {int(number) for mark in MARK.findall(question) for number in NUMBER.findall(mark)}
    return tuple(sorted(number for number in named if 0 < number < position))
