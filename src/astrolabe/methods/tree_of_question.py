"""Tree-of-Question: every question is tried whole, and only one whose answer does not do is taken apart."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Literal

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Calls, Cut, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.parts.checked_answers import does, spans
from astrolabe.parts.pack import no_context
from astrolabe.parts.rank import check_k
from astrolabe.parts.retrieve import Retriever, retriever_spec
from astrolabe.parts.tree_answer import answer_of_nodes, answer_of_passages, with_tree
from astrolabe.parts.tree_gathering import Answered, Gathering
from astrolabe.parts.tree_node import Node, Pair
from astrolabe.parts.tree_prompts import decompose, filled

Judged = Literal["root", "own"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeOfQuestion:
    """Search, answer, check the answer; where it does not do, the same for the parts of the question.

    The answers that do are put together in the end. Where none does, the root's own answer stands. A check that
    cannot be read is no yes. A question that refers to an earlier one is filled in with the stretches of text that
    answer that one, else with its answer, and starts as soon as these are there; all others run at the same time.

    Differences from the published code: stretches are asked for only where another question waits for them, in one
    call and not one a passage; questions of the last level are not taken apart; a lone answer that does is written up
    as an answer to the question, not handed on as it is.

    Attributes:
        retriever: `dense`, `bm25` or `fused`.
        k: Passages a search (as in the APT-RAG experiments, 20).
        size: Tokens a passage (512 there).
        overlap: Tokens that neighbouring passages share.
        depth: Levels of the tree; questions of the last one are not taken apart (4 there).
        most_nodes: A question whose parts would make the tree larger than this is not taken apart.
        judged: For which question an answer has to do: the `root`, as published, also below it, or its `own`.
    """

    name: ClassVar[str] = "tree_of_question"
    paper: ClassVar[str] = "Tree-of-Question, as compared by APT-RAG"
    index_calls: ClassVar[str] = "0"
    question_calls: ClassVar[str] = "3; where the question is taken apart 5, and 3 to 5 a part"

    retriever: Retriever = "dense"
    k: int = 20
    size: int = 512
    overlap: int = 0
    depth: int = 4
    most_nodes: int = 100
    judged: Judged = "root"

    def __post_init__(self) -> None:
        """Refuse what makes no tree, before anything runs."""
        check_k(self.k)
        Cut(size=self.size, overlap=self.overlap)
        if min(self.depth, self.most_nodes) < 1:
            msg = f"{self!r}: depth and most_nodes are at least 1"
            raise ConfigError(msg)

    @property
    def calls(self) -> Calls:
        """A query, and an answer or, where nothing is found, a plan; at most five a node of the largest tree.

        A node of the last level has no plan, and the last part of a question is one that no other waits for.
        """
        if self.depth == 1:
            return Calls(question_low=1, question_high=3)
        a_node = 4 if self.depth == 2 else 5  # noqa: PLR2004 - the root and parts
        below = a_node * self.most_nodes if self.most_nodes > 1 else 0
        return Calls(question_low=2, question_high=4 + below)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Try the question whole, then its parts; answer from all answers that do."""
        if not kit.passages(Cut(size=self.size, overlap=self.overlap)):
            return no_context(question, ())
        index = await kit.open(retriever_spec(self.retriever, size=self.size, overlap=self.overlap))
        root = Node(id="0", question=question.text, most=self.most_nodes)
        tree = _Tree(method=self, gather=Gathering(kit=kit, index=index, k=self.k), root=question.text)
        await tree.gather.search(root)
        whole = await answer_of_passages(question, root, kit)
        await tree.resolve(root)
        good = sorted((node for node in root.walk() if node.reason == "answerable"), key=lambda node: node.depth)
        if good and root not in good:
            return await answer_of_nodes(question, root, good, kit)
        return with_tree(whole, root)


@dataclass(slots=True, kw_only=True)
class _Tree:
    """One question's tree as it grows."""

    method: TreeOfQuestion
    gather: Gathering
    root: str

    async def resolve(self, node: Node) -> None:
        """Check a node's answer; where it does not do, go on with the parts of its question."""
        node.mode = "external"
        if await self._does(node):
            node.reason = "answerable"
        elif node.depth >= self.method.depth - 1:
            node.reason = "depth_cap"
        elif parts := await self._taken_apart(node):
            node.mode, node.reason = "vertical", "split"
            await self._expand(node, parts)

    async def _does(self, node: Node) -> bool:
        if node.answer is None or node.status != "ok":
            return False
        asked = self.root if self.method.judged == "root" else node.question
        try:
            with node.paying():
                return await does(node.answer, asked, self.gather.kit)
        except ModelError as error:  # a check that says nothing is no yes
            node.why = error.reason
        return False

    async def _taken_apart(self, node: Node) -> tuple[str, ...]:
        try:
            with node.paying():
                parts = await decompose(node.question, self.gather.kit, prompt="subquestions.v1")
        except ModelError as error:
            node.reason, node.why = "parse_fallback", node.why or error.reason
            return ()
        if not parts or len(parts) > node.most:
            node.reason = "breadth_cap" if parts else "atomic"
            return ()
        return parts

    async def _expand(self, parent: Node, parts: Sequence[str]) -> None:
        """Try the parts of a question; each starts as soon as what it refers to is answered."""
        parent.grow(parts, preceding=False)
        answered = {child.position: asyncio.Event() for child in parent.children}
        told: dict[int, Pair] = {}
        async with asyncio.TaskGroup() as group:
            for child in parent.children:
                group.create_task(self._try(child, parent, answered, told))

    async def _try(self, child: Node, parent: Node, answered: Answered, told: dict[int, Pair]) -> None:
        for place in child.refs:
            await answered[place].wait()
        child.question = filled(child.question, {place: told[place] for place in child.refs})
        await self.gather.search(child)
        await self.gather.alone(child)
        if any(child.position in other.refs for other in parent.children):
            told[child.position] = await self._told(child)
        answered[child.position].set()
        await self.resolve(child)

    async def _told(self, child: Node) -> Pair:
        """Return what a sibling that refers to a child is told: the stretches that answer it, else its answer."""
        marked: tuple[str, ...] = ()
        if child.answer is not None:
            with suppress(ModelError), child.paying():
                marked = await spans(child, self.gather.kit)
        return Pair(child.question, ", ".join(marked) or child.answer, child.why)
