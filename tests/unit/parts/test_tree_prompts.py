"""What a reasoning tree reads in replies: plans, checks, questions that stand alone, queries and shared answers."""

import json

import pytest
from pydantic import JsonValue

from astrolabe.core.errors import ModelError
from astrolabe.core.records import Hit, Usage
from astrolabe.llm.provider import RawReply
from astrolabe.llm.scripted import Line
from astrolabe.parts.tree_node import Node, Pair, references
from astrolabe.parts.tree_prompts import answer_together, contextualize, decompose, is_answerable, queries_for
from tests.six_passages import TEXTS, TracedKit

PAIRS = {1: Pair("Which body pulls most?", "the moon"), 2: Pair("Which one helps?", None, "nothing was found")}


def kit_saying(*lines: Line) -> TracedKit:
    """Return a kit whose model says one thing after the other, and the last one for ever."""
    left = list(lines)
    return TracedKit(lambda _: left.pop(0) if len(left) > 1 else left[0])


def planned(*questions: JsonValue) -> str:
    return json.dumps({"questions": questions})


def nodes(**shown: str) -> list[Node]:
    """Return nodes by id (`n1` for `1`); each found all passages and was shown those that are listed."""
    hits = {name: Hit(passage_id=name, rank=1, score=1.0, source="dense") for name in TEXTS}
    return [
        Node(
            id=name.removeprefix("n"),
            question=f"What of {name}?",
            hits=list(hits.values()),
            shown=[hits[place] for place in places.split()],
        )
        for name, places in shown.items()
    ]


# M7
async def test_labels_go_and_whatever_else_stands_before_a_point_stays() -> None:
    plan = planned(
        "1. Who founded Apple Inc. in California?", "2) Who runs it?", "Q3: When?", "<Q4>. Where?", "Mr. Cook is who?"
    )

    parts = await decompose("?", kit_saying(plan))

    assert parts == ("Who founded Apple Inc. in California?", "Who runs it?", "When?", "Where?", "Mr. Cook is who?")


# M9
async def test_marks_name_the_parts_by_their_places_also_where_one_stood_twice_or_was_empty() -> None:
    plan = planned("Who rules?", " ", "Who  rules?", "2. Who is heir?", "When was <Q4> born, when <Q3>, when <Q2>?")

    *_, last = await decompose("?", kit_saying(plan))

    assert last == "When was <Q2> born, when <Q1>, when <Q0>?"
    assert references(last, 3) == (1, 2)


# M9
@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Of <Q1>, <Q3> and <Q9>?", (1,)),
        ("Of <Q1, Q2>?", (1, 2)),
        ("Of <Q1 and Q2>?", (1, 2)),
        ("In Q1 of 2020?", ()),
        ("Of <Q0>?", ()),
    ],
)
def test_only_earlier_parts_are_referred_to(question: str, named: tuple[int, ...]) -> None:
    assert references(question, 3) == named


# M1
async def test_a_plan_that_is_cut_is_asked_for_again_with_more_room_and_then_followed() -> None:
    whole = planned(*(f"What is item {number}?" for number in range(60)))
    kit = kit_saying(RawReply(text=whole[:900], usage=Usage(), finish="length"), whole)

    parts = await decompose("?", kit)

    assert len(parts) == 60
    first, second = kit.scripted.requests
    assert second.max_tokens > first.max_tokens


# M1
async def test_a_plan_that_stays_cut_is_no_plan_of_its_first_parts_but_an_error() -> None:
    cut = RawReply(text=planned("Who?", "When?")[:-8], usage=Usage(), finish="length")

    with pytest.raises(ModelError) as raised:
        await decompose("?", kit_saying(cut))
    assert raised.value.status == "truncated"


# M8
@pytest.mark.parametrize("questions", ["Who and when?", [1, 2], [{"question": "Who?"}], None])
async def test_a_plan_of_anything_but_texts_is_an_error_and_never_read_letter_by_letter(questions: JsonValue) -> None:
    kit = kit_saying(json.dumps({"questions": questions}))

    with pytest.raises(ModelError) as raised:
        await decompose("?", kit)
    assert raised.value.status == "unparsed"
    assert len(kit.scripted.requests) == 2


async def test_a_plan_of_one_part_leaves_the_question_whole() -> None:
    assert await decompose("?", kit_saying(planned("Who?", "1. Who?"))) == ()


# M3
@pytest.mark.parametrize("said", ["false", "true", 1, None, "maybe"])
async def test_a_check_that_is_neither_true_nor_false_says_nothing(said: JsonValue) -> None:
    with pytest.raises(ModelError):
        await is_answerable("?", list(PAIRS.values()), kit_saying(json.dumps({"answerable": said})))


# M2, M8
@pytest.mark.parametrize(
    "reply",
    [
        json.dumps({"items": ["the moon"], "question": "When does <Q1> rise, when <Q2>?"}),
        json.dumps({"question": None}),
        json.dumps({"question": ["When?"]}),
        json.dumps({"question": ""}),
        "no object",
        ModelError("failed", "HTTP 500"),
        RawReply(text='{"items": ["the mo', usage=Usage(), finish="length"),
    ],
)
async def test_a_mark_that_is_left_in_has_the_answer_put_in_its_place(reply: Line) -> None:
    said = await contextualize("When does <Q1> rise, when <Q2>?", PAIRS, kit_saying(reply))

    assert said == "When does the moon rise, when (unknown)?"


# M4
@pytest.mark.parametrize(
    "queries",
    [
        [{"id": "1", "query": "wrong"}, {"id": "N2", "query": "right"}],
        [{"id": "N2", "query": "right"}, {"id": "N3", "query": " "}, {"id": "N9", "query": "wrong"}],
    ],
)
async def test_queries_under_ids_that_were_not_shown_and_empty_ones_are_left_out(queries: JsonValue) -> None:
    found = await queries_for(nodes(n2="p1", n3="p2"), kit_saying(json.dumps({"queries": queries})))

    assert found == {"2": "right"}


# M4
@pytest.mark.parametrize("query", [7, None, ["a"]])
async def test_queries_that_are_no_texts_are_none(query: JsonValue) -> None:
    assert await queries_for(nodes(n1="p1"), kit_saying(json.dumps({"queries": [{"id": "N1", "query": query}]}))) == {}


# M5
@pytest.mark.parametrize(
    ("reply", "answers"),
    [
        (json.dumps({"answers": [{"id": "N1", "answer": "A."}]}), {"1": "A."}),
        (json.dumps({"answers": [{"id": "N2", "answer": " "}, {"id": "N7", "answer": "X."}]}), {}),
        (json.dumps({"answers": [{"id": "N1", "answer": 5}, {"id": "N2", "answer": "B."}]}), {}),
        (json.dumps({"answers": "A. B."}), {}),
        (RawReply(text='{"answers": [{"id": "N1", "answer": "A', usage=Usage(), finish="length"), {}),
        ("Answers: A. B.", {}),
    ],
)
async def test_answers_that_are_missing_strange_or_cut_are_left_out(reply: Line, answers: dict[str, str]) -> None:
    assert await answer_together(nodes(n1="p1", n2="p2"), kit_saying(reply)) == answers


async def test_a_shared_call_shows_what_each_question_was_shown_and_not_all_that_it_found() -> None:
    kit = kit_saying(json.dumps({"answers": []}))

    await answer_together(nodes(n1="p1 p2", n2="p2 p3"), kit)

    shown = kit.scripted.asked[0].messages[-1].content
    assert kit.trace == ["ask answer_together.v1 (answer.node) with p1, p2, p3"]
    assert "N1 [D1, D2] What of n1?" in shown
    assert "N2 [D2, D3] What of n2?" in shown


# M6
async def test_a_shared_call_asks_for_one_form_of_answer() -> None:
    kit = kit_saying(json.dumps({"answers": []}))

    await answer_together(nodes(n1="p1", n2="p2"), kit)

    system, user = kit.scripted.asked[0].messages
    assert "Answers:" not in system.content + user.content
    assert user.content.count('{"answers": [{"id": ..., "answer": ...}, ...]}') == 1
