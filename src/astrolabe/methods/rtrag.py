"""RT-RAG: the plan that most draws agree on, a tree of halves, answered from its leaves by vote."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Calls, Cut, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.core.spelling import Scalar
from astrolabe.parts.halved_questions import Plan, most_plan_calls, plans
from astrolabe.parts.pack import fit, no_context
from astrolabe.parts.rank import check_k
from astrolabe.parts.retrieve import Retriever, retriever_spec
from astrolabe.parts.sampled_answers import draws, found_in, most_frequent, restated
from astrolabe.parts.tree_answer import answer_of_nodes, answer_of_passages
from astrolabe.parts.tree_node import Node, references
from astrolabe.parts.tree_prompts import contextualize, filled, written
from astrolabe.parts.voted_search import VotedSearch


@dataclass(frozen=True, slots=True, kw_only=True)
class RTRAG:
    """Draw several plans, follow the commonest shape, search and vote at its leaves, put the answers together.

    A question falls into two or stays whole. Where the second half waits for the first, it is made to stand alone
    once that is answered, and planned then. A leaf is searched for until most drawn answers agree on one; so is any
    question whose halves do not settle it. Without an answer at the root, the same is tried for the question in other
    words, a node below the root, and at last the answer is written from what was found for the question itself.

    Differences from the published code: the restated question is the one that the second attempt asks; what waits
    for an answer is not planned before; draws that must be alike are made once, and draws that can change
    no vote are not made; no worked examples are shown; the answer is written up with the prompt that all methods share.

    Attributes:
        retriever: `dense`, `bm25` or `fused`.
        k: Passages a search (as in the APT-RAG experiments, 20).
        size: Tokens a passage (512 there).
        overlap: Tokens that neighbouring passages share.
        depth: Levels of a plan; questions of the last one stay whole (4 there).
        trees: Plans that are drawn for the question at most (5 there).
        later_trees: Likewise for a half that waited (2 there).
        samples: Answers that are drawn a search at most (5 there).
        rounds: The most searches for one question of the tree (4 there).
        attempts: How often the tree is grown, each time for other words (2 there).
        tree_temperature: Of the plans: 0.3, so that a vote can decide something; 0 as published makes one plan.
        answer_temperature: Of the drawn answers (0.3 there).
    """

    name: ClassVar[str] = "rtrag"
    paper: ClassVar[str] = "RT-RAG, as compared by APT-RAG"
    index_calls: ClassVar[str] = "0"
    question_calls: ClassVar[str] = "8 to some hundreds: 3 to 5 plans a question, 3 to 5 answers a search"
    presets: ClassVar[Mapping[str, Mapping[str, Scalar]]] = {"published": {"tree_temperature": 0.0}}

    retriever: Retriever = "dense"
    k: int = 20
    size: int = 512
    overlap: int = 0
    depth: int = 4
    trees: int = 5
    later_trees: int = 2
    samples: int = 5
    rounds: int = 4
    attempts: int = 2
    tree_temperature: float = 0.3
    answer_temperature: float = 0.3

    def __post_init__(self) -> None:
        """Refuse what makes no tree, before anything runs."""
        check_k(self.k)
        Cut(size=self.size, overlap=self.overlap)
        counts = (self.depth, self.trees, self.later_trees, self.samples, self.rounds, self.attempts)
        if min(counts) < 1 or min(self.tree_temperature, self.answer_temperature) < 0:
            msg = f"{self!r}: what counts plans, answers or levels is at least 1, a temperature at least 0"
            raise ConfigError(msg)

    @property
    def calls(self) -> Calls:
        """How the question is built and its plans at least; at most every node of every attempt searched for."""
        trees, later = draws(self.trees, self.tree_temperature), draws(self.later_trees, self.tree_temperature)
        search = self.rounds * (draws(self.samples, self.answer_temperature) + 1) - 1
        solved = search
        for levels in range(1, self.depth):
            solved = 2 * solved + most_plan_calls(levels, later) + 2 + search
        attempt = most_plan_calls(self.depth, trees) + solved
        return Calls(question_low=2 + trees // 2 if self.depth > 1 else 0, question_high=self.attempts * (attempt + 1))

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Grow a tree and solve it; where it has no answer, once more for other words; else write from passages."""
        if not kit.passages(Cut(size=self.size, overlap=self.overlap)):
            return no_context(question, ())
        index = await kit.open(retriever_spec(self.retriever, size=self.size, overlap=self.overlap))
        root = Node(id="0", question=question.text)
        look = VotedSearch(
            kit=kit,
            index=index,
            k=self.k,
            samples=self.samples,
            temperature=self.answer_temperature,
            rounds=self.rounds,
        )
        tree = _Tree(method=self, look=look)
        tried: Node | None = root
        while tried:
            plan = await tree.plan(tried, self.depth, self.trees)
            await tree.solve(tried, plan, self.depth)
            if tried.answer is not None:
                return await answer_of_nodes(question, root, [*tried.children, tried], kit)
            tried = await tree.once_more(root)
        root.shown = fit(root.hits, kit)
        return await answer_of_passages(question, root, kit)


@dataclass(slots=True, kw_only=True)
class _Tree:
    """One question's tree as it is solved."""

    method: RTRAG
    look: VotedSearch
    restated: int = 0

    async def once_more(self, root: Node) -> Node | None:
        """Return the question in other words, below the root; null where no attempt or no other words are left."""
        if self.restated + 1 >= self.method.attempts:
            return None
        self.restated += 1
        with root.paying():
            said = await restated(root.question, self.look.kit, repetition=self.restated)
        if said is None:
            return None
        node = Node(id=f"again{self.restated}", question=said, parent=root)
        root.children = [*root.children, node]
        return node

    async def plan(self, node: Node, levels: int, count: int) -> Plan:
        """Return the first plan of the commonest shape; the question as it is where no draw says anything."""
        temperature = self.method.tree_temperature
        with node.paying():
            drawn = await plans(node.question, self.look.kit, levels=levels, count=count, temperature=temperature)
        usable = [plan for plan in drawn if isinstance(plan, Plan)]
        if usable:
            return most_frequent(usable, lambda plan: plan.shape)
        node.reason = "parse_fallback"
        node.why = next(error.reason for error in drawn if isinstance(error, ModelError))
        return Plan(question=node.question)

    async def solve(self, node: Node, plan: Plan, levels: int) -> None:
        """Answer a question from its halves; where it has none or they do not settle it, from a search."""
        node.mode, node.reason = "external", node.reason or ("atomic" if levels > 1 else "depth_cap")
        if plan.halves:
            node.mode, node.reason = "vertical", "split"
            await self._solve_halves(node, plan, levels - 1)
            await self._put_together(node)
        if node.answer is None:
            await self.look.look_up(node)

    async def _solve_halves(self, node: Node, plan: Plan, levels: int) -> None:
        above = f"{node.id}." if node.parent else ""
        first, second = node.children = [
            Node(id=f"{above}{place}", question=half.question, parent=node, position=place)
            for place, half in enumerate(plan.halves, 1)
        ]
        second.refs = references(second.question, second.position)
        if second.refs:
            await self.solve(first, plan.halves[0], levels)
            await self._solve_after(second, first, levels)
            return
        async with asyncio.TaskGroup() as group:
            for child, half in zip(node.children, plan.halves, strict=True):
                group.create_task(self.solve(child, half, levels))

    async def _solve_after(self, second: Node, first: Node, levels: int) -> None:
        """Answer a half that waited: planned anew with the answer of the first, whole where that has none."""
        pairs = {first.position: first.pair}
        if first.answer is None:
            second.question = filled(second.question, pairs)
            await self.solve(second, Plan(question=second.question), levels)
            return
        with second.paying():
            second.question = await contextualize(second.question, pairs, self.look.kit)
        second.context = list(pairs.values())
        plan = await self.plan(second, levels, self.method.later_trees)
        await self.solve(second, plan, levels)

    async def _put_together(self, node: Node) -> None:
        pairs = [child.pair for child in node.children]
        if all(pair.answer is None for pair in pairs):
            return
        try:
            with node.paying():
                node.answer = await found_in(written(pairs), node.question, self.look.kit, stage="answer.merge")
        except ModelError as error:
            node.fail(error)
