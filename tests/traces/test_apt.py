"""`apt` on six passages: the tree, every call and every search, in the serial order and in any other."""

import json
from collections.abc import Callable

import pytest
from inline_snapshot import snapshot

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.records import Answer, Question, Step
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.methods.apt import APT, Context
from tests.late_kit import Late
from tests.six_passages import QUESTION, TracedKit, material

PLANS = {
    QUESTION.text: [
        "What pulls the water of the oceans?",
        "When do spring tides come?",
        "2) When is the water of <Q1> high?",
        "How are lamps and nets kept?",
        "Which of <Q1, Q2> is told by a table?",
    ],
    "How are lamps and nets kept?": ["What do lamps burn?", "When do nets of hemp rot?"],
}
"""The tree: two searched for together, two that refer to others, one that is taken apart."""


def plan(shown: str) -> Line:
    """Take apart what `PLANS` takes apart."""
    nothing: list[str] = []
    parts = next((parts for question, parts in PLANS.items() if question in shown), nothing)
    return json.dumps({"reason": "so", "questions": parts})


def stands_alone(shown: str) -> Line:
    """Say what the marks stand for."""
    told = "Which of the moon and the sun is told by a table?" if "table" in shown else "When is that water high?"
    return json.dumps({"items": ["the moon"], "question": told})


def queries(shown: str) -> Line:
    """Give a query for each id."""
    ids = [line.partition(":")[0] for line in shown.splitlines() if line.startswith("N") and ":" in line]
    return json.dumps({"queries": [{"id": name, "query": f"tides {name}"} for name in ids]})


def together(shown: str) -> Line:
    """Give an answer for each id."""
    ids = [line.split()[0] for line in shown.splitlines() if line.startswith("N") and "[" in line]
    return json.dumps({"answers": [{"id": name, "answer": f"Answer to {name}."} for name in ids]})


REPLIES: dict[str, Callable[[str], Line]] = {
    "answer_together.v1": together,
    "answerable.v1": lambda shown: json.dumps({"missing": [], "answerable": "told by a table" in shown}),
    "contextualize.v1": stands_alone,
    "decompose.v1": plan,
    "queries.v1": queries,
    "query.v1": lambda shown: "moon water" if shown else "",
}


def script(prompt: AnyPrompt) -> Line:
    """Play the tree of `PLANS`."""
    reply = REPLIES.get(prompt.name)
    return reply(prompt.messages[-1].content) if reply else f"Said by {prompt.name}."


def tree(answer: Answer) -> list[str]:
    """Return the nodes of a trace, a line each."""
    return [line(step) for step in answer.trace]


def line(step: Step) -> str:
    """Return a node in short: its place, how it was resolved and what came of it."""
    output = step.output
    assert isinstance(output, dict)
    together = output["batch"]
    shared = f" with {' '.join(map(str, together))}" if isinstance(together, list) and together else ""
    found = f" {output['query']!r}" if output["query"] else ""
    return f"{step.id} {step.mode} ({step.reason}){found}{shared}: {output['answer']}"


async def test_the_tree_grows_as_it_is_answered() -> None:
    kit = TracedKit(script)

    answer = await APT(k=2).answer(QUESTION, kit)

    assert tree(answer) == snapshot(
        [
            "0 vertical (split): Said by write_from_answers.v1.",
            "1 external (atomic) 'tides N1' with 1 2: Answer to N1.",
            "2 external (atomic) 'tides N2' with 1 2: Answer to N2.",
            "3 external (atomic) 'moon water': Said by answer_node.v1.",
            "4 vertical (split): Said by merge_answers.v1.",
            "4.1 external (atomic) 'tides N4.1' with 4.1 4.2: Answer to N4.1.",
            "4.2 external (atomic) 'tides N4.2' with 4.1 4.2: Answer to N4.2.",
            "5 lateral (answerable): Said by answer_from_siblings.v1.",
        ]
    )
    assert answer.status == "ok"


async def test_every_call_and_search_is_made_once() -> None:
    kit = TracedKit(script)

    await APT(k=2).answer(QUESTION, kit)

    assert sorted(kit.trace) == snapshot(
        [
            "ask answer_from_siblings.v1 (answer.lateral) with no passage",
            "ask answer_node.v1 (answer.node) with p1, p2",
            "ask answer_together.v1 (answer.node) with p1, p2",
            "ask answer_together.v1 (answer.node) with p1, p2, p6",
            "ask answerable.v1 (answer.check) with no passage",
            "ask answerable.v1 (answer.check) with no passage",
            "ask contextualize.v1 (answer.context) with no passage",
            "ask contextualize.v1 (answer.context) with no passage",
            "ask decompose.v1 (answer.plan) with no passage",
            "ask decompose.v1 (answer.plan) with no passage",
            "ask decompose.v1 (answer.plan) with no passage",
            "ask decompose.v1 (answer.plan) with no passage",
            "ask decompose.v1 (answer.plan) with no passage",
            "ask decompose.v1 (answer.plan) with no passage",
            "ask decompose.v1 (answer.plan) with no passage",
            "ask merge_answers.v1 (answer.merge) with no passage",
            "ask queries.v1 (answer.query) with no passage",
            "ask queries.v1 (answer.query) with no passage",
            "ask query.v1 (answer.query) with no passage",
            "ask write_from_answers.v1 (answer.write) with no passage",
            "open dense",
            "search 'moon water' k=2: p1, p2",
            "search 'tides N1' k=2: p1, p2",
            "search 'tides N2' k=2: p1, p2",
            "search 'tides N4.1' k=2: p1, p2",
            "search 'tides N4.2' k=2: p6, p1",
        ]
    )


async def test_what_each_answer_is_written_from() -> None:
    kit = TracedKit(script)

    await APT(k=2).answer(QUESTION, kit)

    assert {prompt.name: material(prompt) for prompt in kit.scripted.asked if material(prompt)} == snapshot(
        {
            "answer_together.v1": """\
D1:
The moon pulls the water of the oceans, and tides follow it.

D2:
Spring tides come when sun and moon pull together.

D3:
A tide table tells the harbour master when the water is high.\
""",
            "answer_from_siblings.v1": """\
Q1: What pulls the water of the oceans?
A1: Answer to N1.

Q2: When do spring tides come?
A2: Answer to N2.\
""",
            "answer_node.v1": """\
Q1: What pulls the water of the oceans?
A1: Answer to N1.

The moon pulls the water of the oceans, and tides follow it.

Spring tides come when sun and moon pull together.\
""",
            "merge_answers.v1": """\
Q1: What do lamps burn?
A1: Answer to N4.1.

Q2: When do nets of hemp rot?
A2: Answer to N4.2.\
""",
            "write_from_answers.v1": """\
Q1: What pulls the water of the oceans?
A1: Answer to N1.

Q2: When do spring tides come?
A2: Answer to N2.

Q3: When is that water high?
A3: Said by answer_node.v1.

Q4: How are lamps and nets kept?
A4: Said by merge_answers.v1.

Q5: Which of the moon and the sun is told by a table?
A5: Said by answer_from_siblings.v1.\
""",
        }
    )


async def test_only_questions_whose_passages_overlap_share_a_call() -> None:
    def apart(prompt: AnyPrompt) -> Line:
        shown = prompt.messages[-1].content
        if prompt.name == "decompose.v1":
            parts = ["What pulls water?", "What do lamps burn?", "When do spring tides come?"]
            return json.dumps({"questions": parts if QUESTION.text in shown else []})
        if prompt.name == "queries.v1":
            return json.dumps(
                {"queries": [{"id": "N1", "query": "moon"}, {"id": "N2", "query": "lamps burned whale oil"}]}
            )
        return script(prompt)

    def batches(answer: Answer) -> list[object]:
        return [step.output["batch"] for step in answer.trace[1:] if isinstance(step.output, dict)]

    clustered = await APT(k=1).answer(QUESTION, TracedKit(apart))
    neighbours = await APT(k=1, cluster=False).answer(QUESTION, TracedKit(apart))
    alone = await APT(k=1, batch=1).answer(QUESTION, TracedKit(apart))
    pairs = await APT(k=1, cluster=False, batch=2).answer(QUESTION, TracedKit(apart))

    assert batches(clustered) == [["1", "3"], [], ["1", "3"]]
    assert batches(neighbours) == [["1", "2", "3"]] * 3
    assert batches(alone) == [[], [], []]
    assert batches(pairs) == [["1", "2"], ["1", "2"], []]


@pytest.mark.parametrize(
    ("context", "refs"), [("referenced", [[], [], [1], []]), ("preceding", [[], [1], [1, 2], [1, 2, 3]])]
)
async def test_a_question_is_shown_the_answers_it_names_or_all_before_it(
    context: Context, refs: list[list[int]]
) -> None:
    answer = await APT(k=2, context=context).answer(QUESTION, TracedKit(script))

    outputs = [step.output for step in answer.trace if step.parent == "0" and isinstance(step.output, dict)]
    assert [output["refs"] for output in outputs][:4] == refs


@pytest.mark.parametrize(("breadth", "told"), [(0, "as many parts as the question needs"), (6, "exactly 6 parts")])
async def test_the_breadth_is_told_where_a_question_is_taken_apart(breadth: int, told: str) -> None:
    kit = TracedKit(script)

    await APT(k=2, breadth=breadth).answer(QUESTION, kit)

    plans = [prompt.messages for prompt in kit.scripted.asked if prompt.name == "decompose.v1"]
    assert plans
    assert all(told in " ".join(message.content for message in messages) for messages in plans)


async def test_a_question_that_refers_to_another_may_be_taken_apart_itself() -> None:
    def deep(prompt: AnyPrompt) -> Line:
        shown = prompt.messages[-1].content
        if prompt.name == "decompose.v1" and "When is that water high?" in shown:
            return json.dumps({"questions": ["What tells it?", "Who reads <Q1>?"]})
        return script(prompt)

    kit = TracedKit(deep)

    answer = await APT(k=2).answer(QUESTION, kit)

    assert [line(step) for step in answer.trace if step.id.startswith("3")] == snapshot(
        [
            "3 vertical (split): Said by merge_answers.v1.",
            "3.1 external (atomic) 'moon water': Said by answer_node.v1.",
            "3.2 vertical (split): Said by merge_answers.v1.",
            "3.2.1 external (depth_cap) 'moon water': Said by answer_node.v1.",
            "3.2.2 external (depth_cap) 'moon water': Said by answer_node.v1.",
        ]
    )


async def test_questions_that_wait_for_nobody_are_planned_and_searched_for_at_the_same_time() -> None:
    parts = [*(f"What is item {number}?" for number in range(20)), "What is <Q1> worth?", "What is <Q21> made of?"]

    def wide(prompt: AnyPrompt) -> Line:
        shown = prompt.messages[-1].content
        if prompt.name == "decompose.v1":
            return json.dumps({"questions": parts if QUESTION.text in shown else []})
        return script(prompt)

    late = Late(wide, 1)

    await APT(k=2).answer(QUESTION, late)

    assert late.most_at_once >= 20


async def test_a_question_that_stays_whole_is_one_search() -> None:
    kit = TracedKit(script)

    answer = await APT(k=2).answer(Question(id="q", text="What do lamps burn?"), kit)

    assert kit.trace == snapshot(
        [
            "open dense",
            "ask decompose.v1 (answer.plan) with no passage",
            "ask query.v1 (answer.query) with no passage",
            "search 'moon water' k=2: p1, p2",
            "ask write.v1 (answer.write) with p1, p2",
        ]
    )
    assert tree(answer) == snapshot(["0 external (atomic) 'moon water': Said by write.v1."])


async def test_a_check_that_cannot_be_read_means_search() -> None:
    def says(prompt: AnyPrompt) -> Line:
        return "maybe" if prompt.name == "answerable.v1" else script(prompt)

    answer = await APT(k=2).answer(QUESTION, TracedKit(says))

    assert {step.mode for step in answer.trace if step.id in {"3", "5"}} == {"external"}


async def test_a_plan_that_cannot_be_read_is_a_search_and_says_so() -> None:
    def says(prompt: AnyPrompt) -> Line:
        return "no plan" if prompt.name == "decompose.v1" else script(prompt)

    answer = await APT(k=2).answer(QUESTION, TracedKit(says))

    assert [(step.mode, step.reason) for step in answer.trace] == [("external", "parse_fallback")]


async def test_what_a_batch_leaves_out_is_asked_alone() -> None:
    def says(prompt: AnyPrompt) -> Line:
        if prompt.name == "answer_together.v1":
            return json.dumps({"answers": [{"id": "N1", "answer": ""}, {"id": "N9", "answer": "Whose?"}]})
        return script(prompt)

    answer = await APT(k=2).answer(QUESTION, TracedKit(says))

    answers = {step.id: step.output["answer"] for step in answer.trace if isinstance(step.output, dict)}
    assert answers["1"] == answers["2"] == "Said by answer_node.v1."


async def test_keys_that_are_counted_anew_swap_no_siblings() -> None:
    def says(prompt: AnyPrompt) -> Line:
        if prompt.name == "queries.v1":
            return json.dumps({"queries": [{"id": "1", "query": "wrong"}, {"id": "2", "query": "wrong"}]})
        return script(prompt)

    answer = await APT(k=2).answer(QUESTION, TracedKit(says))

    queries = {str(step.output["query"]) for step in answer.trace if isinstance(step.output, dict)}
    assert queries == {"", "moon water"}


async def test_a_plan_of_sixty_parts_survives() -> None:
    many = [f"What is item {number}?" for number in range(60)]

    def says(prompt: AnyPrompt) -> Line:
        if prompt.name == "decompose.v1":
            return json.dumps({"questions": many if QUESTION.text in prompt.messages[-1].content else []})
        return script(prompt)

    answer = await APT(k=2).answer(QUESTION, TracedKit(says))

    assert len(answer.trace) == 61
    assert answer.trace[0].reason == "split"


@pytest.mark.parametrize("caps", [APT(k=2, most_breadth=4), APT(k=2, most_nodes=4)])
async def test_a_question_with_too_many_parts_is_searched_for_whole(caps: APT) -> None:
    answer = await caps.answer(QUESTION, TracedKit(script))

    assert [(step.mode, step.reason) for step in answer.trace] == [("external", "breadth_cap")]


async def test_the_last_level_is_not_taken_apart_but_still_answers_from_siblings() -> None:
    answer = await APT(k=2, depth=2).answer(QUESTION, TracedKit(script))

    reasons = {step.id: (step.mode, step.reason) for step in answer.trace}
    assert reasons["4"] == ("external", "depth_cap")
    assert reasons["5"] == ("lateral", "answerable")


@pytest.mark.parametrize("caps", [APT(k=2, most_calls=1), APT(k=2, most_tokens=1), APT(k=2, most_seconds=1e-9)])
async def test_a_tree_that_has_spent_what_it_may_ends_with_an_answer(caps: APT) -> None:
    answer = await caps.answer(QUESTION, TracedKit(script))

    assert answer.status == "ok"
    assert "budget" in {step.reason for step in answer.trace}


@pytest.mark.parametrize("method", [APT(k=2, depth=2, most_nodes=3), APT(k=2, most_nodes=3), APT(k=2, depth=1)])
@pytest.mark.parametrize("marks", ["<Q1> <Q2>", "<Q1>", ""])
@pytest.mark.parametrize("number", [2, 3])
async def test_no_more_calls_are_made_than_it_says(method: APT, marks: str, number: int) -> None:
    greedy = ["Which one?", "What is it?", f"What is {marks} worth?"][-number:]
    nothing: dict[str, list[str]] = {"queries": [], "answers": []}

    def splits(prompt: AnyPrompt) -> Line:
        if prompt.name in {"queries.v1", "answer_together.v1"}:
            return json.dumps(nothing)
        return json.dumps({"questions": greedy}) if prompt.name == "decompose.v1" else script(prompt)

    kit = TracedKit(splits)
    await method.answer(QUESTION, kit)

    calls = sum(step.startswith("ask") for step in kit.trace)
    assert method.calls.question_low <= calls <= method.calls.question_high


async def test_a_part_that_fails_stops_no_other_and_is_named() -> None:
    def says(prompt: AnyPrompt) -> Line:
        alone = prompt.name == "answer_from_siblings.v1"
        return ModelError("refused", "not that one") if alone else script(prompt)

    answer = await APT(k=2).answer(QUESTION, TracedKit(says))

    (failed,) = [step for step in answer.trace if step.id == "5"]
    assert isinstance(failed.output, dict)
    assert (failed.output["status"], failed.output["why"], failed.output["answer"]) == ("refused", "not that one", None)
    assert answer.status == "ok"


async def test_where_no_part_is_answered_neither_is_the_question() -> None:
    def says(prompt: AnyPrompt) -> Line:
        return ModelError("failed", "HTTP 500") if prompt.name.startswith(("answer_", "merge")) else script(prompt)

    answer = await APT(k=2).answer(QUESTION, TracedKit(says))

    assert answer.status == "failed"
    assert str(answer.reason).startswith("none of the 5 parts of the question could be answered: 'What pulls the")
    assert [hit.passage_id for hit in answer.contexts] == ["p1", "p2", "p6"]
    assert [step.id for step in answer.trace] == ["0", "1", "2", "3", "4", "4.1", "4.2", "5"]


async def test_a_branch_without_an_answered_part_has_no_answer_and_is_asked_for_none() -> None:
    def says(prompt: AnyPrompt) -> Line:
        lost = any(part in prompt.messages[-1].content for part in PLANS["How are lamps and nets kept?"])
        return ModelError("refused", "no") if lost and prompt.stage == "answer.node" else script(prompt)

    kit = TracedKit(says)
    answer = await APT(k=2).answer(QUESTION, kit)

    (branch,) = [step.output for step in answer.trace if step.id == "4"]
    assert isinstance(branch, dict)
    assert (branch["answer"], branch["status"]) == (None, "refused")
    assert not any("merge_answers" in step for step in kit.trace)
    assert answer.status == "ok"


async def test_a_set_is_answered_with_its_items() -> None:
    def says(prompt: AnyPrompt) -> Line:
        return (
            json.dumps({"items": ["the moon", "the  moon", "the sun"]})
            if "list_items" in prompt.name
            else script(prompt)
        )

    answer = await APT(k=2).answer(QUESTION.model_copy(update={"kind": "set"}), TracedKit(says))

    assert (answer.items, answer.text) == (("the moon", "the sun"), "the moon\nthe sun")


@pytest.mark.parametrize(
    "method",
    [
        APT(k=2),
        APT(k=2, breadth=2),
        APT(k=2, breadth=6),
        APT(k=2, vertical=False),
        APT(k=2, lateral=False),
        APT(k=2, cluster=False),
        APT(k=2, batch=1),
        APT(k=2, depth=2),
        APT(k=2, context="preceding"),
    ],
    ids=repr,
)
async def test_the_order_in_which_replies_arrive_changes_nothing(method: APT) -> None:
    serial = Late(script, None)
    answer = await method.answer(QUESTION, serial)
    for seed in range(5):
        late = Late(script, seed)

        assert await method.answer(QUESTION, late) == answer
        assert late.asked == serial.asked
    assert serial.asked.total() > 3


@pytest.mark.parametrize("written", [{"depth": 0}, {"batch": 0}, {"breadth": 1}, {"most_nodes": 0}, {"k": 0}])
def test_parameters_that_make_no_tree_are_refused(written: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        APT(**written)  # pyright: ignore[reportArgumentType] - each is a number
