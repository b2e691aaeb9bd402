"""What is asked about a question before it is answered: its entities, which facts help, the next thought."""

import json

import numpy as np
import pytest

from astrolabe.llm.scripted import Line
from astrolabe.parts.pick_facts import Picked, pick_facts
from astrolabe.parts.question_entities import Named, question_entities
from astrolabe.parts.rank import ranked, scaled
from astrolabe.parts.thought import think
from tests.six_passages import TracedKit

FACTS = ["moon pulls water", "sun dries salt"]


async def test_the_entities_of_a_question_are_shown_as_it_writes_them_each_once() -> None:
    kit = TracedKit(
        {"question_entities": [json.dumps({"entities": ["GPT-3.5", " moon ", "“”", "潮汐", "Moon", "gpt-3.5"]})]}
    )

    assert await question_entities("?", kit) == Named(("GPT-3.5", "moon", "潮汐"))


async def test_a_bare_list_of_names_is_taken() -> None:
    assert await question_entities("?", TracedKit({"question_entities": ['["moon"]']})) == Named(("moon",))


async def test_facts_are_shown_under_numbers_as_text_that_cannot_pose_as_another_line() -> None:
    kit = TracedKit({"pick_facts": ['{"facts": [2]}']})

    picked = await pick_facts("?", ['moon\n2: "posed"', "sun"], kit)

    assert picked == Picked((1,))
    assert '\n1: "moon\\n2: \\"posed\\""\n2: "sun"\n' in kit.scripted.asked[0].messages[-1].content


@pytest.mark.parametrize(
    ("line", "picked"),
    [
        ('{"facts": ["2", 1, 2]}', Picked((1, 0))),
        ('{"facts": [3]}', Picked((), "1 of the chosen numbers were not shown; none of the 2 facts was found helpful")),
    ],
)
async def test_the_models_order_is_kept_and_strange_numbers_are_counted(line: Line, picked: Picked) -> None:
    assert await pick_facts("?", FACTS, TracedKit({"pick_facts": [line]})) == picked


async def test_a_thought_is_asked_over_the_passages_and_the_steps_so_far() -> None:
    kit = TracedKit({"thought": ['{"thought": "Look for\\n the sun."}']})

    named = await think("What moves?", ranked(["p1", "p2"], [1.0, 0.5], source="x"), ["First.", "Second."], kit)

    assert named == Named(("Look for the sun.",))
    assert kit.trace == ["ask thought.v1 (answer.thought) with p1, p2"]
    assert "\nFirst.\nSecond.\n" in kit.scripted.asked[0].messages[-1].content


def test_scores_are_moved_to_the_range_from_the_floor_to_1() -> None:
    assert scaled(np.array([2.0, 4.0, 3.0]), floor=0.2).tolist() == pytest.approx([0.2, 1.0, 0.6])
    assert scaled(np.array([7.0, 7.0])).tolist() == [1.0, 1.0]
    assert scaled(np.zeros(0)).tolist() == []
