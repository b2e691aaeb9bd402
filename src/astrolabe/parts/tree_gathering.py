"""Finding passages for the nodes of a tree, and asking for their answers."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Index, Kit
from astrolabe.core.records import Usage
from astrolabe.core.tokens import count_tokens
from astrolabe.parts.evidence_clusters import TOKENS_A_QUESTION, Evidence, clusters, in_order
from astrolabe.parts.pack import fit, material
from astrolabe.parts.shown_pairs import within
from astrolabe.parts.tree_node import Node, Pair, Room
from astrolabe.parts.tree_prompts import answer_from, answer_together, queries_for, query_for, written

Answered = Mapping[int, asyncio.Event]
"""By a child's position, whether it is resolved."""


class Rules(Protocol):
    """The parameters of a tree that gathering keeps to."""

    @property
    def batch(self) -> int:
        """The most questions that share a call."""
        ...

    @property
    def batch_tokens(self) -> int:
        """A batch takes fewer tokens of passages than this, and never more than the model may be shown."""
        ...

    @property
    def cluster(self) -> bool:
        """Whether only questions with overlapping evidence share a call."""
        ...

    @property
    def shared(self) -> float:
        """The Jaccard similarity above which evidence overlaps."""
        ...

    @property
    def most_calls(self) -> int:
        """Calls after which no node is taken apart any more; 0 is without limit."""
        ...

    @property
    def most_tokens(self) -> int:
        """Likewise tokens of prompts and replies."""
        ...

    @property
    def most_seconds(self) -> float:
        """Likewise seconds since the tree began."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """What the nodes of one tree are answered from.

    Attributes:
        kit: The model and the scope.
        index: What is searched.
        k: Passages a search.
    """

    kit: Kit
    index: Index
    k: int

    async def search(self, node: Node) -> None:
        """Find passages for one node, by a query of its own."""
        with node.paying():
            node.query = node.query or await query_for(node.question, self.kit)
            node.hits = await self.index.search(node.query, k=self.k)
        node.shown = fit(node.hits, self.kit, beside=self._beside(node))

    async def alone(self, node: Node) -> None:
        """Answer a node from what it was shown, and from the answers that it refers to; these take half at most."""
        passages = material(node.shown, self.kit, beside=self._beside(node))
        shown = "\n\n".join(filter(None, [self._known(node.context, 2), passages]))
        await self.say(node, "answer_node.v1", "answer.node", shown)

    async def aside(self, node: Node) -> None:
        """Answer a node from the answers that it refers to."""
        await self.say(node, "answer_from_siblings.v1", "answer.lateral", self._known(node.context))

    async def merge(self, node: Node) -> None:
        """Answer a node from its children's answers; where none has one, neither has it, and nothing is asked."""
        pairs = [child.pair for child in node.children]
        if all(pair.answer is None for pair in pairs):
            node.status = node.children[0].status
            node.why = f"none of its {len(pairs)} parts could be answered: {pairs[0].question!r}: {pairs[0].why}"
            return
        await self.say(node, "merge_answers.v1", "answer.merge", self._known(pairs))

    def _beside(self, node: Node) -> int:
        return count_tokens(self._known(node.context, 2))

    def _known(self, pairs: Sequence[Pair], share: int = 1) -> str:
        """Return pairs as a model is shown them, within a part of what it may be shown: the whole, or a half."""
        return written(within(pairs, self.kit.context_tokens // share))

    async def say(self, node: Node, prompt: str, stage: str, shown: str) -> None:
        """Ask for a node's answer; what fails is the node's state and stops no other."""
        if not shown.strip():
            node.status, node.why = "empty", "the search found no passage in this scope"
            return
        try:
            with node.paying():
                node.answer = await answer_from(prompt, stage, node.question, self.kit, shown=shown)
        except ModelError as error:
            node.fail(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batching(Gathering):
    """Gathering where siblings share calls, by the rules of their tree."""

    rules: Rules

    async def find(self, parent: Node, children: Sequence[Node]) -> None:
        """Search for several children: one call for all their queries, and one more for each that it left out."""
        if self.rules.cluster:
            parent.room = Room(self._tokens(), self.rules.batch, self.rules.shared)
        if len(children) > 1:
            with parent.paying():
                queries = await queries_for(children, self.kit)
            for child in children:
                child.query = queries.get(child.id, "")
        async with asyncio.TaskGroup() as group:
            for child in children:
                group.create_task(self.search(child))

    def grouped(self, run: Sequence[Node]) -> list[list[Node]]:
        """Return which neighbours are answered together."""
        budget = self._tokens()
        sizes = {hit.passage_id: self.kit.read(hit.passage_id).tokens for node in run for hit in node.shown}
        evidence = [Evidence(frozenset(hit.passage_id for hit in node.shown), TOKENS_A_QUESTION) for node in run]
        group = clusters if self.rules.cluster else in_order
        places = group(evidence, sizes, budget=budget, most=self.rules.batch, overlap=self.rules.shared)
        return [[run[place] for place in members] for members in places]

    async def answer(self, parent: Node, nodes: Sequence[Node], answered: Answered) -> None:
        """Answer nodes in one call; those that it leaves out, and a node alone, in calls of their own."""
        if len(nodes) > 1:
            with parent.paying():
                answers = await answer_together(nodes, self.kit)
            for node in nodes:
                node.batch = tuple(one.id for one in nodes)
                node.answer = answers.get(node.id)
        async with asyncio.TaskGroup() as group:
            for node in nodes:
                group.create_task(self._settle(node, answered))

    async def _settle(self, node: Node, answered: Answered) -> None:
        """Answer a node that has no answer yet, and let those that refer to it begin."""
        if node.answer is None:
            await self.alone(node)
        answered[node.position].set()

    def _tokens(self) -> int:
        return min(self.rules.batch_tokens, self.kit.context_tokens)


def runs(children: Sequence[Node]) -> list[list[Node]]:
    """Return the stretches of neighbours that were searched for and wait for nobody."""
    stretches = groupby(children, lambda child: child.mode == "external" and not child.refs)
    return [list(run) for searched, run in stretches if searched]


def is_spent(spent: Usage, seconds: float, rules: Rules) -> bool:
    """Tell whether a tree has spent what it may."""
    tokens = spent.prompt_tokens + spent.completion_tokens
    limits = ((rules.most_calls, spent.calls), (rules.most_tokens, tokens), (rules.most_seconds, seconds))
    return any(most and used >= most for most, used in limits)
