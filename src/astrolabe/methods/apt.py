"""APT-RAG: a reasoning tree that grows as it is answered, with leaves that share evidence answered together."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Calls, Cut, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.core.usage import Meter, metering
from astrolabe.parts.pack import no_context
from astrolabe.parts.rank import check_k
from astrolabe.parts.retrieve import Retriever, retriever_spec
from astrolabe.parts.tree_answer import answer_of_tree
from astrolabe.parts.tree_gathering import Answered, Batching, is_spent, runs
from astrolabe.parts.tree_node import Node, references
from astrolabe.parts.tree_prompts import contextualize, decompose, is_answerable

Context = Literal["referenced", "preceding"]


@dataclass(frozen=True, slots=True, kw_only=True)
class APT:
    """Each question is answered from its siblings' answers, from a search, or from its children (APT-RAG).

    A question that refers to earlier siblings is first made to stand alone, and answered from their answers where
    these are enough (lateral); else it is taken apart (vertical) or searched for (external). Neighbours that need a
    search and share passages are answered in one call. Whatever waits for no answer runs at the same time; the tree,
    the answers and the calls are those of the serial order.

    Attributes:
        retriever: `dense`, `bm25` or `fused`.
        k: Passages a search (the paper's 20).
        size: Tokens a passage (the paper's 512).
        overlap: Tokens that neighbouring passages share.
        depth: Levels of the tree; nodes of the last one are not taken apart (the release's 4).
        breadth: Parts of a question that is taken apart: 0 for as many as it needs, else exactly so many (ablation).
        most_breadth: A question that would fall into more parts than this is searched for whole.
        most_nodes: Likewise for the nodes of a tree; parts share what is left evenly.
        most_calls: After so many calls no node is taken apart any more; 0 is without limit.
        most_tokens: Likewise for tokens.
        most_seconds: Likewise for seconds.
        lateral: Whether siblings' answers may answer a question (ablation).
        vertical: Whether questions below the root are taken apart (ablation).
        cluster: Whether only questions with overlapping evidence share a call; else neighbours do (ablation).
        batch: The most questions that share a call; 1 answers each alone (the paper's unbatched variant).
        shared: The Jaccard similarity above which evidence overlaps; 0 for one shared passage (the release's).
        batch_tokens: A batch takes fewer tokens of passages than this, and never more than the model may be shown.
        context: Which earlier answers a question is shown: the `referenced` siblings' (the release), or those of all
            `preceding` ones (the paper's text).
    """

    name: ClassVar[str] = "apt"
    paper: ClassVar[str] = "APT-RAG: adaptive planning over reasoning trees"
    index_calls: ClassVar[str] = "0"
    question_calls: ClassVar[str] = "3 to some dozens: up to 3 a node, fewer where leaves share a call"

    retriever: Retriever = "dense"
    k: int = 20
    size: int = 512
    overlap: int = 0
    depth: int = 4
    breadth: int = 0
    most_breadth: int = 100
    most_nodes: int = 200
    most_calls: int = 0
    most_tokens: int = 0
    most_seconds: float = 0.0
    lateral: bool = True
    vertical: bool = True
    cluster: bool = True
    batch: int = 30
    shared: float = 0.0
    batch_tokens: int = 50_000
    context: Context = "referenced"

    def __post_init__(self) -> None:
        """Refuse what makes no tree, before anything runs."""
        check_k(self.k)
        Cut(size=self.size, overlap=self.overlap)
        if min(self.depth, self.batch, self.most_breadth, self.most_nodes) < 1 or self.breadth in {1, -1}:
            raise ConfigError(f"{self!r}: depth, batch, most_breadth, most_nodes are at least 1, breadth 0 or from 2")

    @property
    def calls(self) -> Calls:
        """A plan and a query at least; at most five a node of the largest tree, four a part in two levels."""
        most = 4 * self.most_nodes if self.depth == 2 else 5 * self.most_nodes + 5  # noqa: PLR2004 - root and parts
        return Calls(question_low=min(2, self.depth), question_high=max(3, most) if self.depth > 1 else 2)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Grow the tree from the question, then answer it from its children or from what was found."""
        if not kit.passages(Cut(size=self.size, overlap=self.overlap)):
            return no_context(question, ())
        index = await kit.open(retriever_spec(self.retriever, size=self.size, overlap=self.overlap))
        root = Node(id="0", question=question.text, most=self.most_nodes)
        with metering() as spent:
            tree = _Tree(method=self, gather=Batching(kit=kit, index=index, k=self.k, rules=self), spent=spent)
            with root.paying():
                parts = await tree.plan(root)
            if parts:
                await tree.expand(root, parts)
            else:
                await tree.gather.search(root)
            return await answer_of_tree(question, root, kit)


@dataclass(slots=True, kw_only=True)
class _Tree:
    """One question's tree as it grows."""

    method: APT
    gather: Batching
    spent: Meter
    began: float = field(default_factory=time.monotonic)

    async def plan(self, node: Node) -> tuple[str, ...]:
        """Decide how a node is resolved; return its parts where it is taken apart."""
        method = self.method
        if method.lateral and node.context and await self._is_answerable(node):
            node.mode, node.reason = "lateral", "answerable"
            return ()
        node.mode = "external"
        if node.depth >= method.depth - 1:
            node.reason = "depth_cap"
        elif is_spent(self.spent.total, time.monotonic() - self.began, method):
            node.reason = "budget"
        elif node.parent and not method.vertical:
            node.reason = "atomic"
        else:
            return await self._taken_apart(node)
        return ()

    async def expand(self, parent: Node, parts: Sequence[str]) -> None:
        """Answer the parts of a question; each starts as soon as what it refers to is answered."""
        parent.grow(parts, preceding=self.method.context == "preceding")
        answered = {child.position: asyncio.Event() for child in parent.children}
        free = [child for child in parent.children if not child.refs]
        async with asyncio.TaskGroup() as group:
            for child in parent.children:
                if child.refs:
                    group.create_task(self._answer_after(child, answered))
            planned = [group.create_task(self._plan_and_split(child, answered, group)) for child in free]
            for task in planned:
                await task
            await self.gather.find(parent, [child for child in free if child.mode == "external"])
            for run in runs(parent.children):
                for together in self.gather.grouped(run):
                    group.create_task(self.gather.answer(parent, together, answered))

    async def _is_answerable(self, node: Node) -> bool:
        with suppress(ModelError):  # a check that says nothing means: search
            return await is_answerable(node.question, node.context, self.gather.kit)
        return False

    async def _taken_apart(self, node: Node) -> tuple[str, ...]:
        try:
            parts = await decompose(node.question, self.gather.kit, parts=self.method.breadth)
        except ModelError as error:
            node.reason, node.why = "parse_fallback", error.reason
            return ()
        if not parts or len(parts) > min(self.method.most_breadth, node.most):
            node.reason = "breadth_cap" if parts else "atomic"
            return ()
        node.mode, node.reason = "vertical", "split"
        return parts

    async def _plan_and_split(self, child: Node, answered: Answered, group: asyncio.TaskGroup) -> None:
        with child.paying():
            parts = await self.plan(child)
        if parts:
            group.create_task(self._split(child, parts, answered))

    async def _split(self, child: Node, parts: Sequence[str], answered: Answered) -> None:
        await self.expand(child, parts)
        await self.gather.merge(child)
        answered[child.position].set()

    async def _answer_after(self, child: Node, answered: Answered) -> None:
        """Answer a question that refers to earlier siblings, once they are answered."""
        siblings = child.parent.children if child.parent else []
        for place in child.refs:
            await answered[place].wait()
        pairs = {place: siblings[place - 1].pair for place in child.refs}
        with child.paying():
            if references(child.question, child.position):
                child.question = await contextualize(child.question, pairs, self.gather.kit)
            child.context = list(pairs.values())
            parts = await self.plan(child)
        if parts:
            await self._split(child, parts, answered)
            return
        if child.mode == "lateral":
            await self.gather.aside(child)
        else:
            await self.gather.search(child)
            await self.gather.alone(child)
        answered[child.position].set()
