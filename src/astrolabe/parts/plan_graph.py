"""A plan of questions that need each other's answers: a graph without cycles."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import BaseModel, Field

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Kit
from astrolabe.parts.tree_node import MARK, NUMBER, Node, renumbered
from astrolabe.prompts import render

STAGE: Final = "answer.plan"
_TOKENS: Final = 4_000
_Id = Annotated[str, Field(max_length=40)]


class Planned(BaseModel, frozen=True):
    """A question of a plan, and the ids of those that it needs."""

    id: _Id
    question: Annotated[str, Field(max_length=2_000)]
    needs: Annotated[tuple[_Id, ...], Field(max_length=100)] = ()


class Plan(BaseModel, frozen=True):
    """What has to be looked up; nothing where the question stays whole."""

    questions: Annotated[tuple[Planned, ...], Field(max_length=200)]


async def plan_graph(root: Node, kit: Kit) -> None:
    """Take the questions of a plan as the root's children, in an order in which each stands after those it needs.

    A child's parent is the one of those with the longest way from the root, the root where it needs none, so that
    parent links tell the plan's depth. Without a plan, or with one of too many questions, the root has no children
    and says why.
    """
    prompt = render("plan_graph.v1", stage=STAGE, reply=Plan, max_tokens=_TOKENS, holes={"question": root.question})
    root.mode, root.reason = "external", "atomic"
    try:
        planned = (await kit.llm.ask(prompt)).value.questions
    except ModelError as error:
        root.reason, root.why = "parse_fallback", error.reason
        return
    if len(planned) > root.most:
        root.reason = "breadth_cap"
    elif len(planned) > 1:
        root.mode, root.reason = "vertical", "split"
        root.children = nodes_of(root, planned)


def nodes_of(root: Node, planned: Sequence[Planned]) -> list[Node]:
    """Return planned questions as nodes, each after those it needs and below the deepest of them."""
    needs = _needs(planned)
    order = in_order_of_need(needs)
    places = {old: new for new, old in enumerate(order, 1)}
    now = {one.id.strip("<> "): places[old] for old, one in enumerate(planned)}
    nodes: list[Node] = []
    for old in order:
        refs = tuple(sorted(places[other] for other in needs[old]))
        above = max((nodes[ref - 1] for ref in refs), key=lambda node: node.depth, default=root)
        question = renumbered(planned[old].question, now)
        nodes.append(Node(id=str(places[old]), question=question, parent=above, position=places[old], refs=refs))
    return nodes


def _needs(planned: Sequence[Planned]) -> list[set[int]]:
    """Return by place which others a question needs, by what it says and by its marks; unknown ids are none."""
    places = {one.id.strip("<> "): place for place, one in enumerate(planned)}
    found: list[set[int]] = []
    for place, one in enumerate(planned):
        marks = [f"Q{number}" for mark in MARK.findall(one.question) for number in NUMBER.findall(mark)]
        named = [places.get(name.strip("<> ")) for name in (*one.needs, *marks)]
        found.append({other for other in named if other is not None and other != place})
    return found


def in_order_of_need(needs: Sequence[set[int]]) -> list[int]:
    """Return places so that each stands after those it needs, ties by place; a need that closes a cycle is dropped.

    Examples:
        >>> in_order_of_need([{1}, set(), {0, 1}])
        [1, 0, 2]
    """
    order: list[int] = []
    waiting = list(range(len(needs)))
    while waiting:
        ready = next((place for place in waiting if needs[place] <= set(order)), None)
        if ready is None:  # a cycle: its first question goes without what it cannot have
            ready = waiting[0]
            needs[ready].intersection_update(order)
        order.append(ready)
        waiting.remove(ready)
    return order
