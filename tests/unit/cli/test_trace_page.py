"""The trace of an answer, as the terminal shows it."""

import pytest
from inline_snapshot import snapshot

from astrolabe.cli.trace_page import print_trace
from astrolabe.core.records import Answer, Step, Usage
from astrolabe.methods.apt import APT
from astrolabe.parts.look import Edge, Node, look
from tests.sensible import sensible
from tests.six_passages import QUESTION, TEXTS, TracedKit, passage

PASSAGES = {name: passage(name, text) for name, text in TEXTS.items()}


def shown(capsys: pytest.CaptureFixture[str], *steps: Step) -> str:
    """Return what is printed of an answer with these steps."""
    print_trace(Answer(question_id="q", text="The moon.", trace=steps), PASSAGES)
    return capsys.readouterr().out


def test_steps_stand_under_the_step_they_belong_to(capsys: pytest.CaptureFixture[str]) -> None:
    root = Step(id="s1", stage="plan", mode="vertical", reason="split", output="two questions")
    first = Step(id="s2", parent="s1", stage="answer", usage=Usage(calls=1))
    second = Step(id="s3", parent="s1", stage="answer", usage=Usage(calls=2), input="Who?")
    below = Step(id="s4", parent="s2", stage="search")

    assert shown(capsys, root, first, second, below) == snapshot("""\

Trace
└─ plan (vertical) - split
   said: two questions
   ├─ answer [1 call]
   │  └─ search
   └─ answer [2 calls]
      asked: Who?
""")


def test_nodes_are_shown_with_scores_and_passages_with_their_words(capsys: pytest.CaptureFixture[str]) -> None:
    step = look(
        "search.entities",
        [Node(id="p1", kind="passage", score=0.25), Node(id="Moon", kind="entity"), *many(9)],
        [Edge(source="Moon", target="tides", label="moves them")],
        mode="dense",
        asked="the moon",
    )

    assert shown(capsys, step) == snapshot("""\

Trace
└─ search.entities (dense)
   asked: the moon
   0.250 passage: The moon pulls the water of the oceans, and tides follow it.
   entity: Moon
   entity: entity 0
   entity: entity 1
   entity: entity 2
   entity: entity 3
   entity: entity 4
   entity: entity 5
   ... and 3 more
   1 edge, such as Moon - tides: moves them
""")


async def test_a_reasoning_tree_is_shown_with_its_questions_and_answers(capsys: pytest.CaptureFixture[str]) -> None:
    answer = await APT(k=2).answer(QUESTION, TracedKit(sensible))

    assert shown(capsys, *answer.trace) == snapshot("""\

Trace
└─ node (vertical) - split [2 calls]
   asked: What moves the tides of the oceans?
   answer: The moon pulls the water.
   ├─ node (external) - atomic [3 calls]
   │  asked: What is known of the moon?
   │  found by 'The moon pulls the water.': 2 passages
   │  answer: The moon pulls the water.
   └─ node (external) - atomic [5 calls]
      asked: What is known of what the moon moves?
      found by 'The moon pulls the water.': 2 passages
      answer: The moon pulls the water.
""")


def test_a_step_that_names_a_parent_that_is_not_there_is_still_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert "orphan" in shown(capsys, Step(id="s2", parent="gone", stage="orphan"))


def test_a_method_without_steps_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "the method left no steps" in shown(capsys)


def many(count: int) -> list[Node]:
    """Return so many entities."""
    return [Node(id=f"entity {number}", kind="entity") for number in range(count)]


def test_a_long_text_without_spaces_is_cut_and_not_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    step = look("search.entities", [Node(id="海", kind="entity", label="月亮牵引海水。" * 20)], [], asked="海")

    said = shown(capsys, step).split()
    assert said[-3:] == ["entity:", ("月亮牵引海水。" * 20)[:92], "..."]
