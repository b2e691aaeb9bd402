"""LogicRAG: what has to be found out, in its logical order, until the notes are enough."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, groupby, zip_longest
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field, StrictBool

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Calls, Cut, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.parts.pack import fit, material, no_context
from astrolabe.parts.plan_graph import Planned, nodes_of
from astrolabe.parts.rank import check_k
from astrolabe.parts.retrieve import Retriever, retriever_spec
from astrolabe.parts.tree_answer import answer_of_notes
from astrolabe.parts.tree_gathering import Gathering
from astrolabe.parts.tree_node import Node, Pair
from astrolabe.parts.tree_prompts import is_answerable
from astrolabe.prompts import render

_NOTES_TOKENS = 1_000
_PLAN_TOKENS = 2_000


class LogicPlan(BaseModel, frozen=True):
    """Whether the notes are enough, and what has to be found out if not."""

    enough: StrictBool
    questions: Annotated[tuple[Planned, ...], Field(max_length=100)] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicRAG:
    """Questions that depend on each other are looked up rank by rank, and one set of notes grows until it is enough.

    First the question itself is searched for and notes are taken. Where they are not enough, the model says what has
    to be found out and what builds on what; the questions of one rank are searched for together and noted down in
    one call (the paper's merging of ranks), then the notes are checked. An unreadable check means: not enough.

    Attributes:
        retriever: `dense`, `bm25` or `fused`.
        k: Passages a search (20 in the APT-RAG experiments, 5 in the authors' code).
        rounds: The most ranks that are looked up (3 there).
        size: Tokens a passage (512 there).
        overlap: Tokens that neighbouring passages share.
    """

    name: ClassVar[str] = "logicrag"
    paper: ClassVar[str] = "LogicRAG, as compared by APT-RAG"
    index_calls: ClassVar[str] = "0"
    question_calls: ClassVar[str] = "3, and 2 a rank"

    retriever: Retriever = "dense"
    k: int = 20
    rounds: int = 3
    size: int = 512
    overlap: int = 0

    def __post_init__(self) -> None:
        """Refuse what no search can do, before anything runs."""
        check_k(self.k)
        Cut(size=self.size, overlap=self.overlap)

    @property
    def calls(self) -> Calls:
        """Notes, a plan and an answer; notes and a check a rank."""
        return Calls(question_low=3, question_high=3 + 2 * self.rounds)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Search and note down; go on by rank while the notes are not enough; write from them."""
        if not kit.passages(Cut(size=self.size, overlap=self.overlap)):
            return no_context(question, ())
        index = await kit.open(retriever_spec(self.retriever, size=self.size, overlap=self.overlap))
        gather = Gathering(kit=kit, index=index, k=self.k)
        root = Node(id="0", question=question.text, query=question.text)
        await gather.search(root)
        with root.paying():
            notes = await _noted(root.question, "", [root], kit)
            await _plan(root, notes, kit)
        for rank in _ranks(root.children)[: self.rounds]:
            async with asyncio.TaskGroup() as group:
                for node in rank:
                    node.query = node.question
                    group.create_task(gather.search(node))
            with root.paying():
                notes = await _with_rank(root.question, notes, rank, kit)
                if await _are_enough(root.question, notes, kit):
                    break
        return await answer_of_notes(question, root, notes, kit)


async def _noted(question: str, notes: str, nodes: Sequence[Node], kit: Kit) -> str:
    """Return the notes with what the nodes' passages add, as many of them as the model may be shown: in turns."""
    in_turns = chain.from_iterable(zip_longest(*(node.shown for node in nodes)))
    shown = fit(list({hit.passage_id: hit for hit in in_turns if hit}.values()), kit)
    kept = {hit.passage_id for hit in shown}
    for node in nodes:
        node.shown = [hit for hit in node.shown if hit.passage_id in kept]
    context = material(shown, kit)
    holes = {"question": question, "notes": notes or "(none)", "context": context or "(nothing was found)"}
    prompt = render("note_down.v1", stage="answer.notes", reply=str, max_tokens=_NOTES_TOKENS, holes=holes)
    return (await kit.llm.ask(prompt)).value


async def _with_rank(question: str, notes: str, rank: Sequence[Node], kit: Kit) -> str:
    """Return the notes with what a rank adds: as they were where nothing can be noted down, and its nodes say so."""
    for node in rank:
        node.mode, node.reason = "external", "atomic"
    try:
        notes = await _noted(question, notes, rank, kit)
    except ModelError as error:
        for node in rank:
            node.fail(error)
        return notes
    for node in rank:
        node.answer = notes
    return notes


async def _plan(root: Node, notes: str, kit: Kit) -> None:
    """Take what has to be found out as the root's children; none where the notes are enough or the plan unreadable."""
    holes = {"question": root.question, "notes": notes}
    prompt = render("logic_plan.v1", stage="answer.plan", reply=LogicPlan, max_tokens=_PLAN_TOKENS, holes=holes)
    root.mode, root.reason = "external", "atomic"
    try:
        plan = (await kit.llm.ask(prompt)).value
    except ModelError as error:
        root.reason, root.why = "parse_fallback", error.reason
        return
    if plan.questions and not plan.enough:
        root.mode, root.reason = "vertical", "split"
        root.children = nodes_of(root, plan.questions)


async def _are_enough(question: str, notes: str, kit: Kit) -> bool:
    with suppress(ModelError):
        return await is_answerable(question, [Pair("What is known?", notes)], kit)
    return False


def _ranks(children: Sequence[Node]) -> list[list[Node]]:
    """Return the questions by how many others stand before them, those of one rank together."""
    by_depth = sorted(children, key=lambda node: (node.depth, node.position))
    return [list(rank) for _, rank in groupby(by_depth, key=lambda node: node.depth)]
