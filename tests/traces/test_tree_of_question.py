"""`tree_of_question` on six passages: every question is tried, checked, and taken apart only where it has to be."""

import json
from collections.abc import Callable

import pytest
from inline_snapshot import snapshot

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.records import Answer
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.methods.tree_of_question import TreeOfQuestion
from astrolabe.parts.checked_answers import Checked
from tests.late_kit import Late
from tests.six_passages import QUESTION, TracedKit

PLANS = {
    QUESTION.text: ["What pulls the water?", "When is what <Q1> pulls high?", "What keeps lamps and nets?"],
    "What keeps lamps and nets?": ["What do lamps burn?", "When do nets rot?"],
}
"""The tree: one that another refers to, that one, and one that is taken apart once more."""
GOOD = ("When is what the moon", "What do lamps burn")
"""What the questions begin with whose answers do."""


def says(prompt: AnyPrompt) -> str:
    """Answer with the question, so that a check tells which answer it is about."""
    shown = prompt.messages[-1].content
    return "Answer to: " + shown.partition('name="question">\n')[2].partition("\n")[0]


def check(shown: str) -> Line:
    """Find the answers to the questions of `GOOD` valid."""
    good = any(f"Answer to: {question}" in shown for question in GOOD)
    return json.dumps({"coherence": 8, "answerability": 80, "overall": 8, "valid": good})


def plan(shown: str) -> Line:
    """Take apart what `PLANS` takes apart."""
    nothing: list[str] = []
    parts = next((parts for question, parts in PLANS.items() if question in shown), nothing)
    return json.dumps({"reason": "so", "questions": parts})


REPLIES: dict[str, Callable[[str], Line]] = {
    "check_answer.v1": check,
    "query.v1": lambda shown: shown.partition('name="question">\n')[2].partition("?")[0],
    "spans.v1": lambda shown: json.dumps({"spans": ["the  moon", "Jupiter", "The Moon"] if shown else []}),
    "subquestions.v1": plan,
}


def script(prompt: AnyPrompt) -> Line:
    """Play the tree of `PLANS`."""
    reply = REPLIES.get(prompt.name)
    return reply(prompt.messages[-1].content) if reply else says(prompt)


def but(name: str, line: Line) -> Callable[[AnyPrompt], Line]:
    """Return the script with another reply to one prompt."""
    return lambda prompt: line if prompt.name == name else script(prompt)


def nodes(answer: Answer) -> list[str]:
    """Return the nodes of a trace: id, parent, question, and how they were resolved."""
    return [f"{step.id} < {step.parent}: {step.input} {step.mode} ({step.reason})" for step in answer.trace]


async def test_what_does_not_do_is_taken_apart_and_what_does_is_put_together() -> None:
    kit = TracedKit(script)

    answer = await TreeOfQuestion(k=2).answer(QUESTION, kit)

    assert nodes(answer) == snapshot(
        [
            "0 < None: What moves the tides of the oceans? vertical (split)",
            "1 < 0: What pulls the water? external (atomic)",
            "2 < 0: When is what the moon pulls high? external (answerable)",
            "3 < 0: What keeps lamps and nets? vertical (split)",
            "3.1 < 3: What do lamps burn? external (answerable)",
            "3.2 < 3: When do nets rot? external (atomic)",
        ]
    )
    assert kit.scripted.asked[-1].messages[-1].content.count("Answer to:") == 2
    assert answer.status == "ok"


async def test_every_call_and_search_is_made_once() -> None:
    kit = TracedKit(script)

    await TreeOfQuestion(k=2).answer(QUESTION, kit)

    assert sorted(kit.trace) == snapshot(
        [
            "ask answer_node.v1 (answer.node) with p1, p2",
            "ask answer_node.v1 (answer.node) with p1, p2",
            "ask answer_node.v1 (answer.node) with p4, p1",
            "ask answer_node.v1 (answer.node) with p5, p1",
            "ask answer_node.v1 (answer.node) with p5, p1",
            "ask check_answer.v1 (answer.check) with no passage",
            "ask check_answer.v1 (answer.check) with no passage",
            "ask check_answer.v1 (answer.check) with no passage",
            "ask check_answer.v1 (answer.check) with no passage",
            "ask check_answer.v1 (answer.check) with no passage",
            "ask check_answer.v1 (answer.check) with no passage",
            "ask query.v1 (answer.query) with no passage",
            "ask query.v1 (answer.query) with no passage",
            "ask query.v1 (answer.query) with no passage",
            "ask query.v1 (answer.query) with no passage",
            "ask query.v1 (answer.query) with no passage",
            "ask query.v1 (answer.query) with no passage",
            "ask spans.v1 (answer.span) with p1, p2",
            "ask subquestions.v1 (answer.plan) with no passage",
            "ask subquestions.v1 (answer.plan) with no passage",
            "ask subquestions.v1 (answer.plan) with no passage",
            "ask subquestions.v1 (answer.plan) with no passage",
            "ask write.v1 (answer.write) with p1, p2",
            "ask write_from_answers.v1 (answer.write) with no passage",
            "open dense",
            "search 'What do lamps burn' k=2: p4, p1",
            "search 'What keeps lamps and nets' k=2: p5, p1",
            "search 'What moves the tides of the oceans' k=2: p1, p2",
            "search 'What pulls the water' k=2: p1, p2",
            "search 'When do nets rot' k=2: p5, p1",
            "search 'When is what the moon pulls high' k=2: p1, p2",
        ]
    )


async def test_an_answer_that_does_is_the_end() -> None:
    kit = TracedKit(but("check_answer.v1", json.dumps({"coherence": 7, "answerability": 60})))

    answer = await TreeOfQuestion(k=2).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open dense",
            "ask query.v1 (answer.query) with no passage",
            "search 'What moves the tides of the oceans' k=2: p1, p2",
            "ask write.v1 (answer.write) with p1, p2",
            "ask check_answer.v1 (answer.check) with no passage",
        ]
    )
    assert nodes(answer) == snapshot(["0 < None: What moves the tides of the oceans? external (answerable)"])


async def test_a_check_that_cannot_be_read_is_no_yes_and_is_said() -> None:
    kit = TracedKit(but("check_answer.v1", json.dumps({"coherence": 9, "answerability": 90, "valid": "yes"})))

    answer = await TreeOfQuestion(k=2).answer(QUESTION, kit)

    assert {step.reason for step in answer.trace} == {"split", "atomic"}
    assert answer.text == f"Answer to: {QUESTION.text}"
    (whole,) = [step for step in answer.trace if step.id == "1"]
    assert isinstance(whole.output, dict)
    assert whole.output["why"]


async def test_where_no_answer_does_the_roots_own_stands_with_all_that_was_found() -> None:
    kit = TracedKit(but("check_answer.v1", json.dumps({"coherence": 1, "answerability": 0, "valid": False})))

    answer = await TreeOfQuestion(k=2).answer(QUESTION, kit)

    assert (answer.status, answer.text) == ("ok", f"Answer to: {QUESTION.text}")
    assert [hit.passage_id for hit in answer.contexts] == ["p1", "p2"]
    assert {"p4", "p5"} <= {hit.passage_id for hit in answer.retrieved}
    assert len(answer.trace) == 6
    assert sum("(answer.write)" in step for step in kit.trace) == 1


# D20
@pytest.mark.parametrize(("judged", "about"), [("root", QUESTION.text), ("own", "What do lamps burn?")])
async def test_an_answer_is_checked_against_the_question_that_the_parameter_names(judged: str, about: str) -> None:
    kit = TracedKit(script)

    await TreeOfQuestion(k=2, judged=judged).answer(QUESTION, kit)  # pyright: ignore[reportArgumentType] - one of two

    checks = [prompt.messages[-1].content for prompt in kit.scripted.asked if prompt.name == "check_answer.v1"]
    (lamps,) = [shown for shown in checks if "Answer to: What do lamps burn?" in shown]
    assert lamps.partition("Answer:")[0].count(about) == 1


# D20
async def test_questions_of_the_last_level_are_not_taken_apart() -> None:
    kit = TracedKit(script)

    answer = await TreeOfQuestion(k=2, depth=2).answer(QUESTION, kit)

    assert sum(step.startswith("ask subquestions") for step in kit.trace) == 1
    assert [step.reason for step in answer.trace] == ["split", "depth_cap", "answerable", "depth_cap"]


async def test_stretches_are_asked_for_only_where_a_question_waits_for_them() -> None:
    kit = TracedKit(script)

    await TreeOfQuestion(k=2).answer(QUESTION, kit)

    asked = [prompt.messages[-1].content for prompt in kit.scripted.asked if prompt.name == "spans.v1"]
    assert ["What pulls the water?" in shown for shown in asked] == [True]


@pytest.mark.parametrize("line", ["none", json.dumps({"spans": ["Jupiter"]}), json.dumps({"spans": []})])
async def test_without_a_stretch_of_the_text_the_answer_is_filled_in(line: str) -> None:
    answer = await TreeOfQuestion(k=2).answer(QUESTION, TracedKit(but("spans.v1", line)))

    assert answer.trace[2].input == "When is what Answer to: What pulls the water? pulls high?"


async def test_a_part_that_fails_stops_no_other_and_is_named() -> None:
    answer = await TreeOfQuestion(k=2).answer(QUESTION, TracedKit(but("answer_node.v1", ModelError("refused", "no"))))

    outputs = [step.output for step in answer.trace[1:] if isinstance(step.output, dict)]
    assert {(output["status"], output["why"], output["answer"]) for output in outputs} == {("refused", "no", None)}
    assert answer.text == f"Answer to: {QUESTION.text}"
    assert answer.trace[2].input == "When is what (unknown) pulls high?"


async def test_a_plan_that_cannot_be_read_leaves_the_root_and_says_so() -> None:
    answer = await TreeOfQuestion(k=2).answer(QUESTION, TracedKit(but("subquestions.v1", "none")))

    assert [step.reason for step in answer.trace] == ["parse_fallback"]


async def test_a_tree_that_would_be_too_large_is_not_grown() -> None:
    answer = await TreeOfQuestion(k=2, most_nodes=2).answer(QUESTION, TracedKit(script))

    assert [step.reason for step in answer.trace] == ["breadth_cap"]


async def test_a_set_is_answered_with_its_items() -> None:
    kit = TracedKit(but("list_items.v1", json.dumps({"items": ["the moon", "the sun"]})))

    answer = await TreeOfQuestion(k=2).answer(QUESTION.model_copy(update={"kind": "set"}), kit)

    assert answer.items == ("the moon", "the sun")


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("most", [1, 2, 3, 5, 100])
async def test_no_more_calls_are_made_than_it_says(most: int, depth: int) -> None:
    method = TreeOfQuestion(k=2, most_nodes=most, depth=depth)
    greedy = ["What is <Q1>?", "Which one is <Q1>?", "What is <Q2>?"][: max(2, most)]

    def splits(prompt: AnyPrompt) -> Line:
        always = prompt.name == "subquestions.v1"
        return json.dumps({"questions": greedy}) if always else but("check_answer.v1", "none")(prompt)

    kit = TracedKit(splits)
    await method.answer(QUESTION, kit)

    calls = sum(step.startswith("ask") for step in kit.trace)
    assert method.calls.question_low <= calls <= method.calls.question_high


@pytest.mark.parametrize("method", [TreeOfQuestion(k=2), TreeOfQuestion(k=2, judged="own"), TreeOfQuestion(depth=2)])
async def test_the_order_in_which_replies_arrive_changes_nothing(method: TreeOfQuestion) -> None:
    serial = Late(script, None)
    answer = await method.answer(QUESTION, serial)
    for seed in range(5):
        late = Late(script, seed)

        assert await method.answer(QUESTION, late) == answer
        assert late.asked == serial.asked
    assert serial.asked.total() > 9


async def test_parts_that_wait_for_nothing_run_at_the_same_time() -> None:
    parts = [f"What is item {number}?" for number in range(30)]

    def splits(prompt: AnyPrompt) -> Line:
        shown = prompt.messages[-1].content
        return json.dumps({"questions": parts if QUESTION.text in shown else []})

    late = Late(lambda prompt: splits(prompt) if prompt.name == "subquestions.v1" else script(prompt), 1)

    await TreeOfQuestion(k=2).answer(QUESTION, late)

    assert late.most_at_once == len(parts)


@pytest.mark.parametrize(
    ("checked", "does"),
    [
        ({"coherence": 6, "answerability": 60}, True),
        ({"coherence": 10, "answerability": 10}, False),
        ({"coherence": 1, "answerability": 0, "overall": 6}, True),
        ({"coherence": 10, "answerability": 100, "valid": False}, False),
    ],
)
def test_the_verdict_counts_else_the_whole_else_the_mean(checked: dict[str, float], does: object) -> None:
    assert Checked.model_validate(checked).does is does


@pytest.mark.parametrize("written", [{"depth": 0}, {"most_nodes": 0}, {"k": 0}])
def test_parameters_that_make_no_tree_are_refused(written: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        TreeOfQuestion(**written)  # pyright: ignore[reportArgumentType] - each is a number
