import json
from collections.abc import Sequence

import pytest

from astrolabe.core.errors import ModelError
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.parts.halved_questions import Plan, most_plan_calls, plans
from tests.six_passages import TracedKit

NONE = {"kind": "none"}
APART = {"kind": "parallel", "first": "What is A?", "second": "What is B?"}


async def drawn(
    said: object, *, levels: int = 2, count: int = 1, temperature: float = 0.3
) -> tuple[Sequence[Plan | ModelError], list[str]]:
    """Return plans of a question where `said` is the reply of every draw, and what was asked."""

    def script(prompt: AnyPrompt) -> Line:
        return json.dumps(said if prompt.name == "halve.v1" else {"asks": "what"})

    kit = TracedKit(script)
    return await plans("What are A and B?", kit, levels=levels, count=count, temperature=temperature), kit.trace


@pytest.mark.parametrize("levels", [2, 3, 4])
async def test_a_question_that_always_falls_apart_makes_a_full_tree_and_the_most_calls(levels: int) -> None:
    (plan, other), trace = await drawn(APART, levels=levels, count=2)

    assert isinstance(plan, Plan)
    assert plan == other
    assert (plan.height, plan.nodes) == (levels, 2**levels - 1)
    assert len(trace) == most_plan_calls(levels, 2)


async def test_one_level_is_the_question_itself_and_asks_nothing() -> None:
    assert await drawn(APART, levels=1, count=5) == ([Plan(question="What are A and B?")], [])


async def test_a_half_that_waits_for_the_other_is_not_planned_yet() -> None:
    waits = {"kind": "sequential", "first": "What is A?", "second": "Who made <Q1>?"}

    ((plan,), trace) = await drawn(waits, levels=3)

    assert isinstance(plan, Plan)
    assert [len(half.halves) for half in plan.halves] == [2, 0]
    assert len(trace) == 4


@pytest.mark.parametrize(
    "said",
    [
        NONE,
        {"kind": "none", "first": "What is A?", "second": "What is B?"},
        {"kind": "parallel", "first": "What is A?", "second": "  "},
        {"kind": "parallel", "first": "What is A?", "second": "What  is A?"},
        {"kind": "sequential", "first": "Who made <Q2>?", "second": "What is B?"},
    ],
)
async def test_halves_that_are_not_two_leave_the_question_whole(said: object) -> None:
    assert (await drawn(said))[0] == [Plan(question="What are A and B?")]


async def test_a_draw_that_says_nothing_stands_as_its_error() -> None:
    def script(prompt: AnyPrompt) -> Line:
        if prompt.name == "halve.v1" and prompt.repetition == 1:
            return "perhaps"
        return json.dumps(NONE if prompt.name == "halve.v1" else {"asks": "what"})

    outcome = await plans("What is A?", TracedKit(script), levels=2, count=3, temperature=0.3)

    assert [type(one) for one in outcome] == [Plan, ModelError, Plan]


async def test_a_half_of_which_nothing_is_said_stays_whole() -> None:
    def script(prompt: AnyPrompt) -> Line:
        whole = "What are A and B?" in prompt.messages[-1].content
        return json.dumps(APART) if prompt.name == "halve.v1" and whole else ModelError("refused", "no")

    (plan,) = await plans("What are A and B?", TracedKit(script), levels=3, count=1, temperature=0.3)

    assert isinstance(plan, Plan)
    assert (plan.height, plan.nodes) == (2, 3)
