"""Plan*RAG: the whole plan first, as a graph of questions without cycles, then each as soon as it can be answered."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from astrolabe.core.protocols import Calls, Cut, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.parts.pack import no_context
from astrolabe.parts.plan_graph import plan_graph
from astrolabe.parts.rank import check_k
from astrolabe.parts.retrieve import Retriever, retriever_spec
from astrolabe.parts.tree_answer import answer_of_tree
from astrolabe.parts.tree_gathering import Answered, Gathering
from astrolabe.parts.tree_node import Node, references
from astrolabe.parts.tree_prompts import contextualize


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRAG:
    """A plan outside the context: its questions form a graph, and those that need no other run at the same time.

    One call plans. A question that needs others is made to stand alone with their answers, searched for as it is
    written and answered from what is found and from those answers. The last call writes the answer from all of them;
    a question that stays whole is searched for and answered at once.

    Attributes:
        retriever: `dense`, `bm25` or `fused`.
        k: Passages a search (as in the APT-RAG experiments, 20).
        size: Tokens a passage (512 there).
        overlap: Tokens that neighbouring passages share.
        most_nodes: A plan of more questions than this is not followed: the question is searched for whole.
    """

    name: ClassVar[str] = "planrag"
    paper: ClassVar[str] = "Plan*RAG, as compared by APT-RAG"
    index_calls: ClassVar[str] = "0"
    question_calls: ClassVar[str] = "2, and 1 or 2 a question of the plan"

    retriever: Retriever = "dense"
    k: int = 20
    size: int = 512
    overlap: int = 0
    most_nodes: int = 100

    def __post_init__(self) -> None:
        """Refuse what no search can do, before anything runs."""
        check_k(self.k)
        Cut(size=self.size, overlap=self.overlap)

    @property
    def calls(self) -> Calls:
        """A plan and an answer, and at most two calls a question of the plan."""
        return Calls(question_low=2, question_high=2 + 2 * self.most_nodes)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Plan, follow the plan, write."""
        if not kit.passages(Cut(size=self.size, overlap=self.overlap)):
            return no_context(question, ())
        index = await kit.open(retriever_spec(self.retriever, size=self.size, overlap=self.overlap))
        root = Node(id="0", question=question.text, most=self.most_nodes)
        gather = Gathering(kit=kit, index=index, k=self.k)
        with root.paying():
            await plan_graph(root, kit)
        if not root.children:
            root.query = question.text
            await gather.search(root)
            return await answer_of_tree(question, root, kit)
        answered = {child.position: asyncio.Event() for child in root.children}
        async with asyncio.TaskGroup() as group:
            for child in root.children:
                group.create_task(_follow(child, root, answered, gather))
        return await answer_of_tree(question, root, kit)


async def _follow(child: Node, root: Node, answered: Answered, gather: Gathering) -> None:
    """Answer a question of the plan, once those that it needs are answered."""
    for place in child.refs:
        await answered[place].wait()
    pairs = {place: root.children[place - 1].pair for place in child.refs}
    with child.paying():
        if references(child.question, child.position):
            child.question = await contextualize(child.question, pairs, gather.kit)
    child.context, child.mode, child.reason = list(pairs.values()), "external", "atomic"
    child.query = child.question
    await gather.search(child)
    await gather.alone(child)
    answered[child.position].set()
