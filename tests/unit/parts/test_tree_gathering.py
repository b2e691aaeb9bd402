"""What the nodes of a reasoning tree are answered from, and when those that wait for them may begin."""

import asyncio
import json
from collections.abc import Sequence

import pytest

from astrolabe.core.errors import ModelError
from astrolabe.core.records import Hit
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.methods.apt import APT
from astrolabe.parts.tree_gathering import Batching
from astrolabe.parts.tree_node import Node, Pair
from tests.six_passages import TracedKit, material, passage

LONG = "the moon pulls the water and the sun helps it, " * 20


class Finds:
    """An index that finds passages whatever is searched for."""

    def __init__(self, *names: str) -> None:
        self.names = names

    async def search(self, query: str, *, k: int) -> Sequence[Hit]:  # noqa: ARG002 - all of them
        return [
            Hit(passage_id=name, rank=rank, score=1 / rank, source="dense") for rank, name in enumerate(self.names, 1)
        ]


def gathering(kit: TracedKit, *names: str, **rules: int) -> Batching:
    return Batching(kit=kit, index=Finds(*names), k=20, rules=APT(**rules))  # pyright: ignore[reportArgumentType] - each is a number


def siblings(number: int) -> tuple[Node, list[Node]]:
    """Return a parent and children that wait for nobody."""
    root = Node(id="0", question="What moves the sea?", most=100)
    root.grow([f"What of {place}?" for place in range(1, number + 1)], preceding=False)
    return root, root.children


# M13
async def test_what_a_shared_call_shows_stays_within_what_a_model_may_be_shown() -> None:
    sizes = {"p1": 10, "p2": 10, "p3": 70}  # the third was found, and fits no more
    held = [passage(name, f"{name} " + "tide " * size) for name, size in sizes.items()]
    kit = TracedKit(lambda _: json.dumps({"answers": []}), held=held, context_tokens=60)
    gather = gathering(kit, *sizes)
    _, children = siblings(2)
    for child in children:
        await gather.search(child)
    kit.context_tokens = 1_000  # or two questions could not share a call

    assert gather.grouped(children) == [children]
    await gather.answer(children[0], children, {child.position: asyncio.Event() for child in children})

    together = [prompt for prompt in kit.scripted.asked if prompt.name == "answer_together.v1"]
    assert [[name for name in sizes if f"{name} " in material(prompt)] for prompt in together] == [["p1", "p2"]]


# M13
@pytest.mark.parametrize(
    ("context_tokens", "batch_tokens", "groups"), [(1_000, 1_000, 1), (250, 1_000, 2), (1_000, 250, 2)]
)
async def test_questions_share_a_call_as_far_as_both_budgets_go(
    context_tokens: int, batch_tokens: int, groups: int
) -> None:
    held = [passage("p1", "tide " * 20)]
    gather = gathering(TracedKit(held=held, context_tokens=context_tokens), "p1", batch_tokens=batch_tokens)
    _, children = siblings(2)
    for child in children:
        child.query = "tides"
        await gather.search(child)

    assert len(gather.grouped(children)) == groups


# M10, M13
async def test_a_node_is_shown_its_siblings_answers_and_passages_within_one_budget() -> None:
    held = [passage(f"p{number}", f"p{number} " + "tide " * 30) for number in range(1, 9)]
    kit = TracedKit(lambda _: "Said.", held=held, context_tokens=200)
    gather = gathering(kit, *(one.id for one in held))
    node = Node(
        id="3", question="When?", position=3, context=[Pair("Which?", LONG), Pair("Who?", "the harbour master")]
    )

    await gather.search(node)
    await gather.alone(node)

    shown = material(kit.scripted.asked[-1])
    assert count_tokens(shown) <= 200
    assert "A2: the harbour master" in shown
    assert "(cut)" in shown
    assert 0 < len(node.shown) < len(node.hits)
    assert all(f"{hit.passage_id} tide" in shown for hit in node.shown)


# M13
async def test_no_answer_of_many_parts_is_lost_where_they_are_more_than_a_model_may_be_shown() -> None:
    kit = TracedKit(lambda _: "Said.", context_tokens=1_000)
    root, children = siblings(40)
    for child in children:
        child.answer = f"No. {child.position}: {LONG}"

    await gathering(kit).merge(root)

    shown = material(kit.scripted.asked[-1])
    assert count_tokens(shown) <= 1_000
    assert all(f"No. {child.position}" in shown for child in children)


async def test_where_no_part_is_answered_the_node_is_not_either_and_nothing_is_asked() -> None:
    kit = TracedKit(lambda _: "Said.")
    root, children = siblings(2)
    for child in children:
        child.fail(ModelError("refused", "no"))

    await gathering(kit).merge(root)

    assert (root.answer, root.status, kit.scripted.asked) == (None, "refused", [])
    assert root.why == "none of its 2 parts could be answered: 'What of 1?': no"


# M5
async def test_who_waits_for_an_answered_node_does_not_wait_for_those_that_are_asked_alone() -> None:
    root, children = siblings(3)
    answered = {child.position: asyncio.Event() for child in children}
    seen: list[tuple[str, list[bool]]] = []

    def says(prompt: AnyPrompt) -> Line:
        seen.append((prompt.name, [event.is_set() for event in answered.values()]))
        return json.dumps({"answers": [{"id": "N2", "answer": "B."}]}) if "together" in prompt.name else "Alone."

    gather = gathering(TracedKit(says), "p1")
    for child in children:
        child.query = "tides"
        await gather.search(child)

    await gather.answer(root, children, answered)

    assert [name for name, _ in seen] == ["answer_together.v1", "answer_node.v1", "answer_node.v1"]
    assert [name for name, events in seen if events[1]] == ["answer_node.v1"] * 2
    assert seen[1][1] == [False, True, False]
    assert [child.answer for child in children] == ["Alone.", "B.", "Alone."]
    assert all(event.is_set() for event in answered.values())
