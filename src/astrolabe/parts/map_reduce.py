"""Answering from more than fits at once: points from each block of it, then one answer from the best points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import BaseModel, Field

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Question, Step
from astrolabe.core.tokens import count_tokens
from astrolabe.parts.ask_all import ask_all
from astrolabe.parts.look import Edge, Node, look, numbered
from astrolabe.parts.rank import ranked
from astrolabe.parts.readings import ask_for
from astrolabe.parts.sections import Row, Section, packed
from astrolabe.parts.write import Shown, write_from
from astrolabe.prompts import render

STAGE: Final = "answer.points"
_MAX_TOKENS: Final = 1_500
_NUMBER_TOKENS: Final = 4
"""What a row's number and the empty line after it take."""


class Point(BaseModel, frozen=True):
    """Something that helps to answer the question; `score` is 0 to 100, `entries` number the rows it rests on."""

    description: Annotated[str, Field(min_length=1, max_length=2_000)]
    score: Annotated[int, Field(ge=0, le=100)]
    entries: Annotated[tuple[int, ...], Field(max_length=20)] = ()


class Points(BaseModel, frozen=True):
    """What one block has to say."""

    points: Annotated[tuple[Point, ...], Field(max_length=40)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Rows that are asked about together.

    Attributes:
        name: How a trace calls it.
        rows: One at least.
    """

    name: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPoint:
    """A point with its place: its block's name, and the passages behind the rows that it names (else all)."""

    text: str
    score: int
    block: str
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """What all blocks say.

    Attributes:
        points: By score, ties in the order of the blocks; without those that score 0.
        asked: How many blocks there are.
        failed: Why the blocks that gave no usable reply did not, by name.
        useless: How many points scored 0.
    """

    points: tuple[FoundPoint, ...]
    asked: int
    failed: Mapping[str, ModelError]
    useless: int

    @property
    def told(self) -> str:
        """How much was asked, and what is missing."""
        said = f"{self.asked} block{'' if self.asked == 1 else 's'} asked"
        lost = "".join(f"; {name} failed: {error.reason}" for name, error in self.failed.items())
        return f"{said}, {len(self.failed)} failed, {self.useless} points of score 0{lost}"


def blocks_of(rows: Sequence[Row], *, tokens: int, name: str, costs: Sequence[int] | None = None) -> list[Block]:
    """Return rows in their order, as many to a block as `tokens` take, every row in exactly one.

    A row that is longer by itself is cut to the block's size and has one to itself.

    Args:
        rows: None make no block.
        tokens: The most a block may take.
        name: What the blocks are called, with a number from 1.
        costs: The tokens of each row where they are known.
    """
    blocks: list[list[Row]] = []
    room = 0
    for row, cost in zip(rows, costs or [count_tokens(row.text) for row in rows], strict=True):
        if not blocks or cost + _NUMBER_TOKENS > room:
            blocks.append([])
            room = tokens
        room -= cost + _NUMBER_TOKENS
        blocks[-1].append(row if room >= 0 else _cut(row, tokens - _NUMBER_TOKENS))
    return [Block(name=f"{name} {number}", rows=block) for number, block in enumerate(blocks, 1)]


async def map_points(question: Question, blocks: Sequence[Block], kit: Kit) -> Mapped:
    """Ask every block for its points, all at the same time; one that fails is counted and stops no other."""
    outcomes = await ask_all(blocks, lambda block: _points(question, block, kit))
    pairs = list(zip(blocks, outcomes, strict=True))
    points = [
        FoundPoint(text=point.description, score=point.score, block=block.name, passages=_behind(point, block))
        for block, outcome in pairs
        if not isinstance(outcome, ModelError)
        for point in outcome.points
    ]
    return Mapped(
        points=tuple(sorted((point for point in points if point.score), key=lambda point: -point.score)),
        asked=len(blocks),
        failed={block.name: outcome for block, outcome in pairs if isinstance(outcome, ModelError)},
        useless=sum(not point.score for point in points),
    )


async def map_reduce(
    question: Question, blocks: Sequence[Block], kit: Kit, *, tokens: int, trace: Sequence[Step], prompt: str
) -> Answer:
    """Return an answer written from the best points of all blocks.

    Where no block has a point, no answer is asked for: its status is `empty`, or that of the first failure where
    every block failed.

    Args:
        question: What is asked.
        blocks: None say nothing.
        kit: The model and its budgets.
        tokens: The most that the points shown may take.
        trace: What was looked at before.
        prompt: The answer prompt.
    """
    mapped = await map_points(question, blocks, kit)
    rows = [Row(point.text, point.passages) for point in mapped.points]
    shown = packed([Section(title="Points", rows=rows, tokens=tokens)], limit=kit.context_tokens)
    kept = mapped.points[: len(shown.rows[0])]
    scores: dict[str, int] = {}
    for point in kept:
        for passage in point.passages:
            scores.setdefault(passage, point.score)
    steps = (*trace, _looked(question, mapped, kept))
    if not kept:
        return _nothing(question, mapped, steps)
    retrieved = ranked(tuple(scores), tuple(scores.values()), source="point")
    return await write_from(question, Shown(text=shown.text, retrieved=retrieved, trace=steps), kit, prompt=prompt)


async def _points(question: Question, block: Block, kit: Kit) -> Points:
    """Return what a block says.

    Raises:
        ModelError: The model gave no usable reply.
    """
    material = "\n\n".join(f"[{number}] {row.text}" for number, row in enumerate(block.rows, 1))
    holes = {"material": material, "question": question.text}
    prompt = render("points.v1", stage=STAGE, reply=Points, max_tokens=_MAX_TOKENS, holes=holes)
    return (await ask_for(prompt, kit, something=lambda found: bool(found.points))).found


def _behind(point: Point, block: Block) -> tuple[str, ...]:
    named = [block.rows[entry - 1] for entry in dict.fromkeys(point.entries) if 0 < entry <= len(block.rows)]
    return tuple(dict.fromkeys(passage for row in named or block.rows for passage in row.passages))


def _looked(question: Question, mapped: Mapped, kept: Sequence[FoundPoint]) -> Step:
    ids = [f"point {number}" for number in range(1, len(kept) + 1)]
    points = [
        Node(id=name, kind="point", label=point.text, score=point.score, passages=point.passages)
        for name, point in zip(ids, kept, strict=True)
    ]
    sources = dict.fromkeys(point.block for point in kept)
    nodes = [*points, *(Node(id=block, kind="summary") for block in sources)]
    edges = [Edge(source=point.block, target=name) for name, point in zip(ids, kept, strict=True)]
    return look("map.points", nodes, edges, reason=mapped.told, asked=question.text)


def _nothing(question: Question, mapped: Mapped, steps: Sequence[Step]) -> Answer:
    if mapped.failed and len(mapped.failed) == mapped.asked:
        first = next(iter(mapped.failed.values()))
        reason = f"no block gave points: {first.reason}"
        return Answer(question_id=question.id, trace=numbered(steps), status=first.status, reason=reason)
    reason = f"no report says anything about the question ({mapped.told})"
    return Answer(question_id=question.id, trace=numbered(steps), status="empty", reason=reason)


def _cut(row: Row, tokens: int) -> Row:
    shown = packed([Section(title="", rows=[row], tokens=tokens)], limit=tokens)
    return shown.rows[0][0]
