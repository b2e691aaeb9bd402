"""The answer of a tree's root: from its children's answers, or from what was found for it."""

from collections.abc import Iterable

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Hit, Question
from astrolabe.parts.pack import material
from astrolabe.parts.shown_pairs import within
from astrolabe.parts.tree_node import Node
from astrolabe.parts.tree_prompts import written
from astrolabe.parts.write import Shown, write_from


async def answer_of_tree(question: Question, root: Node, kit: Kit) -> Answer:
    """Return the root's answer, from its children's answers or from what it was shown, with the tree as its trace.

    Where no part of the question could be answered nothing is asked: the answer has failed, and its tree says why.
    """
    if root.children and all(child.answer is None for child in root.children):
        first, parts = root.children[0], len(root.children)
        msg = f"none of the {parts} parts of the question could be answered: {first.question!r}: {first.why}"
        root.fail(ModelError("failed", msg))
        failed = Answer(question_id=question.id, status="failed", reason=msg, contexts=tuple(_shown(root)))
        return with_tree(failed, root)
    if root.children:
        return await answer_of_nodes(question, root, root.children, kit)
    return await answer_of_passages(question, root, kit)


async def answer_of_nodes(question: Question, root: Node, nodes: Iterable[Node], kit: Kit) -> Answer:
    """Return the root's answer from the answers of some of its tree's nodes, with the tree as its trace."""
    text = written(within([node.pair for node in nodes], kit.context_tokens))
    return await _written_up(question, root, text, kit, prompt="write_from_answers.v1")


async def answer_of_passages(question: Question, root: Node, kit: Kit) -> Answer:
    """Return the root's answer from what it was shown itself, with the tree as its trace."""
    answer = await _written_up(question, root, material(root.shown, kit), kit, prompt="write.v1")
    return answer.model_copy(update={"contexts": tuple(root.shown)})


def with_tree(answer: Answer, root: Node) -> Answer:
    """Return an answer with its tree as it is now, and with all that was found in it."""
    nodes = list(root.walk())
    found = each_once(hit for node in nodes for hit in node.hits)
    return answer.model_copy(update={"retrieved": tuple(found), "trace": tuple(node.step() for node in nodes)})


async def answer_of_notes(question: Question, root: Node, notes: str, kit: Kit) -> Answer:
    """Return the root's answer from notes that were taken on the way, with the tree as its trace."""
    return await _written_up(question, root, notes, kit, prompt="write.v1")


async def _written_up(question: Question, root: Node, text: str, kit: Kit, *, prompt: str) -> Answer:
    """Write the root's answer.

    Contexts are the passages that any node was shown, each once, in the order of the nodes; `retrieved` likewise what
    was found.
    """
    nodes = list(root.walk())
    shown = Shown(
        text=text,
        contexts=_shown(root),
        retrieved=each_once(hit for node in nodes for hit in node.hits),
    )
    with root.paying():
        answer = await write_from(question, shown, kit, prompt=prompt)
    root.answer = answer.text or None
    root.status, root.why = answer.status, answer.reason or root.why
    return answer.model_copy(update={"trace": tuple(node.step() for node in nodes)})


def _shown(root: Node) -> list[Hit]:
    return each_once(hit for node in root.walk() for hit in node.shown)


def each_once(hits: Iterable[Hit]) -> list[Hit]:
    """Return each passage once, where it comes first, ranked anew in this order."""
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(hit.passage_id, hit)
    return [hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(first.values(), 1)]
