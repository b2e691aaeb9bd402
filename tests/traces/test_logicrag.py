"""`logicrag` on six passages: notes that grow rank by rank, until they are enough."""

import json

from inline_snapshot import snapshot

from astrolabe.core.errors import ModelError
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.methods.logicrag import LogicRAG
from tests.six_passages import QUESTION, TEXTS, TracedKit, material

QUESTIONS: list[dict[str, str | list[str]]] = [
    {"id": "Q1", "question": "What does the moon do?", "needs": []},
    {"id": "Q2", "question": "What does the sun do?", "needs": []},
    {"id": "Q3", "question": "When do they pull together?", "needs": ["Q1", "Q2"]},
]


def script(prompt: AnyPrompt, *, enough_after: int = 9) -> Line:
    """Play a plan of two ranks; the notes are enough once they were taken so often."""
    shown = prompt.messages[-1].content
    taken = shown.count("noted;")
    if prompt.name == "logic_plan.v1":
        return json.dumps({"enough": taken >= enough_after, "questions": QUESTIONS})
    if prompt.name == "answerable.v1":
        return json.dumps({"missing": [], "answerable": taken >= enough_after})
    if prompt.name == "note_down.v1":
        return "noted; " * (taken + 1)
    return f"Said by {prompt.name}."


async def test_each_rank_is_searched_for_together_and_noted_down_once() -> None:
    kit = TracedKit(script)

    answer = await LogicRAG(k=2).answer(QUESTION, kit)

    assert sorted(kit.trace) == snapshot(
        [
            "ask answerable.v1 (answer.check) with no passage",
            "ask answerable.v1 (answer.check) with no passage",
            "ask logic_plan.v1 (answer.plan) with no passage",
            "ask note_down.v1 (answer.notes) with p1, p2",
            "ask note_down.v1 (answer.notes) with p1, p2, p3",
            "ask note_down.v1 (answer.notes) with p2, p1",
            "ask write.v1 (answer.write) with no passage",
            "open dense",
            "search 'What does the moon do?' k=2: p1, p2",
            "search 'What does the sun do?' k=2: p2, p3",
            "search 'What moves the tides of the oceans?' k=2: p1, p2",
            "search 'When do they pull together?' k=2: p2, p1",
        ]
    )
    assert material(kit.scripted.asked[-1]) == "noted; noted; noted;"
    assert [(step.id, step.parent, step.mode) for step in answer.trace] == snapshot(
        [("0", None, "vertical"), ("1", "0", "external"), ("2", "0", "external"), ("3", "1", "external")]
    )


async def test_notes_that_are_enough_end_the_search() -> None:
    kit = TracedKit(lambda prompt: script(prompt, enough_after=2))

    await LogicRAG(k=2).answer(QUESTION, kit)

    assert sum(step.startswith("search") for step in kit.trace) == 3


async def test_notes_that_are_enough_at_once_need_no_plan() -> None:
    kit = TracedKit(lambda prompt: script(prompt, enough_after=1))

    answer = await LogicRAG(k=2).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open dense",
            "search 'What moves the tides of the oceans?' k=2: p1, p2",
            "ask note_down.v1 (answer.notes) with p1, p2",
            "ask logic_plan.v1 (answer.plan) with no passage",
            "ask write.v1 (answer.write) with no passage",
        ]
    )
    assert [step.reason for step in answer.trace] == ["atomic"]


async def test_a_check_that_cannot_be_read_means_not_enough() -> None:
    def says(prompt: AnyPrompt) -> Line:
        return "perhaps" if prompt.name == "answerable.v1" else script(prompt)

    kit = TracedKit(says)

    await LogicRAG(k=2).answer(QUESTION, kit)

    assert sum(step.startswith("search") for step in kit.trace) == 4


async def test_a_plan_that_cannot_be_read_is_said_and_the_notes_are_used() -> None:
    def says(prompt: AnyPrompt) -> Line:
        return "no plan" if prompt.name == "logic_plan.v1" else script(prompt)

    answer = await LogicRAG(k=2).answer(QUESTION, TracedKit(says))

    assert (answer.status, [step.reason for step in answer.trace]) == ("ok", ["parse_fallback"])


# D7
async def test_a_rank_that_cannot_be_noted_down_costs_no_note_that_was_taken_and_is_named() -> None:
    def says(prompt: AnyPrompt) -> Line:
        fails = prompt.name == "note_down.v1" and TEXTS["p3"] in prompt.messages[-1].content
        return ModelError("refused", "not these") if fails else script(prompt)

    kit = TracedKit(says)

    answer = await LogicRAG(k=2).answer(QUESTION, kit)

    outputs = {step.id: step.output for step in answer.trace if isinstance(step.output, dict)}
    assert answer.status == "ok"
    assert [(outputs[name]["status"], outputs[name]["why"]) for name in ("1", "2")] == [("refused", "not these")] * 2
    assert outputs["3"]["answer"] == "noted; noted;"
    assert "noted; noted;" in kit.scripted.asked[-1].messages[-1].content


# D6
async def test_every_search_stands_in_the_trace_the_first_one_too() -> None:
    kit = TracedKit(script)

    answer = await LogicRAG(k=2).answer(QUESTION, kit)

    assert [hit.passage_id for hit in answer.trace[0].hits] == ["p1", "p2"]
    assert {hit.passage_id for hit in answer.retrieved} == {"p1", "p2", "p3"}


async def test_questions_of_a_rank_are_shown_in_turns_and_contexts_are_what_was_shown() -> None:
    kit = TracedKit(script, context_tokens=30)

    answer = await LogicRAG(k=3).answer(QUESTION, kit)

    noted = [step.partition(" with ")[2] for step in kit.trace if step.startswith("ask note_down")]
    shown = {name for names in noted for name in names.split(", ")}
    assert noted[1] == "p1, p2"
    assert {hit.passage_id for hit in answer.contexts} == shown
    assert len(answer.retrieved) > len(shown)


async def test_no_more_ranks_are_looked_up_than_allowed() -> None:
    kit = TracedKit(script)

    await LogicRAG(k=2, rounds=1).answer(QUESTION, kit)

    assert sum(step.startswith("ask note_down") for step in kit.trace) == 2
