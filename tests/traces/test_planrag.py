"""`planrag` on six passages: the plan, its order of need, and how deep it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from astrolabe.core.records import Answer
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.methods.planrag import PlanRAG
from astrolabe.parts.plan_graph import in_order_of_need
from astrolabe.parts.trace_shape import shape
from tests.six_passages import QUESTION, TracedKit, material

PLAN: list[dict[str, str | list[str]]] = [
    {"id": "Q3", "question": "When is what <Q2> pulls high?", "needs": ["Q2"]},
    {"id": "Q1", "question": "Which bodies pull at the sea?", "needs": []},
    {"id": "Q2", "question": "Which of <Q1> pulls most?", "needs": ["Q1", "Q9"]},
    {"id": "Q4", "question": "What do lamps burn?", "needs": []},
]


def script(prompt: AnyPrompt, plan: object = PLAN) -> Line:
    """Play the plan."""
    if prompt.name == "plan_graph.v1":
        return json.dumps({"questions": plan})
    if prompt.name == "contextualize.v1":
        return json.dumps({"items": ["the moon"], "question": "When does the moon pull most?"})
    return f"Said by {prompt.name}."


def tree(answer: Answer) -> list[tuple[str, str | None, str]]:
    """Return the nodes of a trace: id, parent and question."""
    return [(step.id, step.parent, str(step.input)) for step in answer.trace]


# D5
async def test_each_question_stands_after_those_it_needs_and_below_the_deepest_of_them() -> None:
    answer = await PlanRAG(k=2).answer(QUESTION, TracedKit(script))

    assert shape(answer.trace)[:3] == (5, 4, pytest.approx(4 / 3))
    assert tree(answer) == snapshot(
        [
            ("0", None, "What moves the tides of the oceans?"),
            ("1", "0", "Which bodies pull at the sea?"),
            ("2", "1", "When does the moon pull most?"),
            ("3", "2", "When does the moon pull most?"),
            ("4", "0", "What do lamps burn?"),
        ]
    )


async def test_every_call_is_made_once() -> None:
    kit = TracedKit(script)

    await PlanRAG(k=2).answer(QUESTION, kit)

    assert sorted(kit.trace) == snapshot(
        [
            "ask answer_node.v1 (answer.node) with p1, p2",
            "ask answer_node.v1 (answer.node) with p1, p2",
            "ask answer_node.v1 (answer.node) with p1, p2",
            "ask answer_node.v1 (answer.node) with p4, p1",
            "ask contextualize.v1 (answer.context) with no passage",
            "ask contextualize.v1 (answer.context) with no passage",
            "ask plan_graph.v1 (answer.plan) with no passage",
            "ask write_from_answers.v1 (answer.write) with no passage",
            "open dense",
            "search 'What do lamps burn?' k=2: p4, p1",
            "search 'When does the moon pull most?' k=2: p1, p2",
            "search 'When does the moon pull most?' k=2: p1, p2",
            "search 'Which bodies pull at the sea?' k=2: p1, p2",
        ]
    )


async def test_each_answer_is_written_from_the_answers_that_it_needs() -> None:
    kit = TracedKit(script)

    await PlanRAG(k=2).answer(QUESTION, kit)

    assert material(kit.scripted.asked[-1]).count("Said by answer_node.v1.") == 4
    shown = [material(prompt) for prompt in kit.scripted.asked if prompt.name == "answer_node.v1"]
    assert sorted(text.partition("\n\n")[0] for text in shown if text.startswith("Q1:")) == snapshot(
        [
            """\
Q1: When does the moon pull most?
A1: Said by answer_node.v1.\
""",
            """\
Q1: Which bodies pull at the sea?
A1: Said by answer_node.v1.\
""",
        ]
    )
    assert len(shown) == 4


# D4
@pytest.mark.parametrize("count", [0, 1])
async def test_a_plan_of_one_question_or_none_is_one_search_whose_passages_are_used(count: int) -> None:
    kit = TracedKit(lambda prompt: script(prompt, PLAN[:count]))

    answer = await PlanRAG(k=2).answer(QUESTION, kit)

    assert kit.trace[-1].startswith("ask write.v1 (answer.write) with p1")
    assert [step.reason for step in answer.trace] == ["atomic"]


async def test_a_plan_that_cannot_be_read_is_one_search_and_says_so() -> None:
    answer = await PlanRAG(k=2).answer(QUESTION, TracedKit(lambda prompt: script(prompt, "none")))

    assert (answer.status, [step.reason for step in answer.trace]) == ("ok", ["parse_fallback"])


async def test_a_plan_of_too_many_questions_is_one_search() -> None:
    answer = await PlanRAG(k=2, most_nodes=3).answer(QUESTION, TracedKit(script))

    assert [step.reason for step in answer.trace] == ["breadth_cap"]


async def test_a_cycle_loses_the_need_that_closes_it() -> None:
    circle = [{"id": "Q1", "question": "A <Q2>?", "needs": ["Q2"]}, {"id": "Q2", "question": "B?", "needs": ["Q1"]}]
    answer = await PlanRAG(k=2).answer(QUESTION, TracedKit(lambda prompt: script(prompt, circle)))

    assert (answer.status, len(answer.trace)) == ("ok", 3)


@given(st.lists(st.sets(st.integers(0, 6)), max_size=7))
def test_any_plan_has_an_order(needs: list[set[int]]) -> None:
    kept = [{place for place in row if place < len(needs) and place != own} for own, row in enumerate(needs)]
    order = in_order_of_need(kept)

    assert sorted(order) == list(range(len(needs)))
    assert all(order.index(other) < order.index(place) for place in order for other in kept[place])
