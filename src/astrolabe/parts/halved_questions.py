"""A question that falls into two, and its halves likewise: plans that are drawn several times."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Kit
from astrolabe.parts.sampled_answers import enough_draws
from astrolabe.parts.tree_node import MARK, references
from astrolabe.prompts import render

STAGE: Final = "answer.plan"
_ANALYSIS_TOKENS: Final = 800
_HALF_TOKENS: Final = 2_000
_Line = Annotated[str, Field(max_length=2_000)]


class Analysis(BaseModel, frozen=True):
    """What a question asks for, what it names, and what has to be found first."""

    asks: _Line = ""
    known: Annotated[tuple[_Line, ...], Field(max_length=100)] = ()
    unknown: Annotated[tuple[_Line, ...], Field(max_length=100)] = ()


class Halves(BaseModel, frozen=True):
    """Whether a question falls into two, and into which."""

    kind: Literal["none", "parallel", "sequential"]
    first: _Line = ""
    second: _Line = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A question, and the plans of its halves: two or none."""

    question: str
    halves: tuple["Plan", ...] = ()

    @property
    def height(self) -> int:
        """Its levels; 1 for a question that stays whole."""
        return 1 + max((half.height for half in self.halves), default=0)

    @property
    def nodes(self) -> int:
        """How many questions it holds, its own included."""
        return 1 + sum(half.nodes for half in self.halves)

    @property
    def shape(self) -> tuple[int, int]:
        """Its height and how many questions it holds: what plans vote with."""
        return self.height, self.nodes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draw:
    """Which of several draws a plan is."""

    number: int
    temperature: float


async def plans(question: str, kit: Kit, *, levels: int, count: int, temperature: float) -> list[Plan | ModelError]:
    """Return draws of a question's plan, in order, no more than a vote on their shapes needs.

    A draw that says nothing stands as its error.

    How the question is built is asked once for all. A second half that needs the answer of the first is not planned
    further: it is asked anew once that answer is there. Questions of the last level stay whole and cost nothing.

    Args:
        question: The question.
        kit: The model.
        levels: The most levels of a plan, at least 1.
        count: How many draws at most; 1 is made at temperature 0, where all would be the same.
        temperature: Of the draws.
    """
    if levels < 2:  # noqa: PLR2004 - one level is the question itself
        return [Plan(question=question)]
    analysis = await _analysis(question, kit)

    async def drawn(number: int) -> Plan:
        return await _grown(question, analysis, kit, levels=levels, draw=_Draw(number=number, temperature=temperature))

    return await enough_draws(drawn, count=count, temperature=temperature, alike=lambda plan: plan.shape)


def most_plan_calls(levels: int, count: int) -> int:
    """Return the most calls that `plans` makes: two for every question that may fall into two, the first's shared.

    Examples:
        >>> most_plan_calls(1, 5), most_plan_calls(2, 5), most_plan_calls(4, 5)
        (0, 6, 66)
    """
    inner = 2 ** (levels - 1) - 1
    return 1 + count * (2 * inner - 1) if inner else 0


async def _grown(question: str, analysis: str, kit: Kit, *, levels: int, draw: _Draw) -> Plan:
    halves = await _halved(question, analysis, kit, draw)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_half(text, place, kit, levels=levels - 1, draw=draw))
            for place, text in enumerate(halves, 1)
        ]
    return Plan(question=question, halves=tuple(task.result() for task in tasks))


async def _half(question: str, place: int, kit: Kit, *, levels: int, draw: _Draw) -> Plan:
    """Return the plan of a half: whole where it waits for the other, where no level is left, or nothing is said."""
    if levels < 2 or references(question, place):  # noqa: PLR2004 - one level is the question itself
        return Plan(question=question)
    try:
        return await _grown(question, await _analysis(question, kit), kit, levels=levels, draw=draw)
    except ModelError:
        return Plan(question=question)


async def _analysis(question: str, kit: Kit) -> str:
    """Return how a question is built, for the model to read."""
    holes = {"question": question}
    prompt = render("analyse.v1", stage=STAGE, reply=Analysis, max_tokens=_ANALYSIS_TOKENS, holes=holes)
    try:
        said = (await kit.llm.ask(prompt)).value
    except ModelError:
        return "(not known)"
    known, unknown = (", ".join(things) or "(nothing)" for things in (said.known, said.unknown))
    return f"It asks for: {said.asks}\nIt names: {known}\nTo be found first: {unknown}"


async def _halved(question: str, analysis: str, kit: Kit, draw: _Draw) -> tuple[str, ...]:
    """Return the halves of a question; none where it stays whole, or where they are not two that can be asked."""
    prompt = render(
        "halve.v1",
        stage=STAGE,
        reply=Halves,
        max_tokens=_HALF_TOKENS,
        holes={"question": question, "analysis": analysis},
        temperature=draw.temperature,
        repetition=draw.number,
    )
    said = (await kit.llm.ask(prompt)).value
    first, second = (" ".join(half.split()) for half in (said.first, said.second))
    usable = first and second and first != second and not MARK.search(first)
    return (first, second) if said.kind != "none" and usable else ()
