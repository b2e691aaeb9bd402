from astrolabe.core.errors import ModelError
from astrolabe.core.records import Hit
from astrolabe.llm.provider import RawReply
from astrolabe.parts.write import write_alone, write_answer
from tests.six_passages import QUESTION, TEXTS, TracedKit


def hits(*names: str) -> list[Hit]:
    return [Hit(passage_id=name, rank=rank, score=1.0, source="test") for rank, name in enumerate(names, 1)]


async def test_the_passages_are_shown_in_the_hits_order_and_named_as_contexts() -> None:
    kit = TracedKit({"write": ["The moon."]})

    answer = await write_answer(QUESTION, hits("p3", "p1"), kit)

    asked = kit.scripted.asked[0].messages[-1].content
    assert asked.index(TEXTS["p3"]) < asked.index(TEXTS["p1"]) < asked.index(QUESTION.text)
    assert [hit.passage_id for hit in answer.contexts] == ["p3", "p1"]


async def test_what_does_not_fit_is_retrieved_and_not_shown() -> None:
    kit = TracedKit({"write": ["The moon."]}, context_tokens=30)

    answer = await write_answer(QUESTION, hits("p1", "p2", "p3"), kit)

    assert [hit.passage_id for hit in answer.contexts] == ["p1", "p2"]
    assert [hit.passage_id for hit in answer.retrieved] == ["p1", "p2", "p3"]
    assert TEXTS["p3"] not in kit.scripted.asked[0].messages[-1].content


async def test_without_a_hit_nothing_is_asked() -> None:
    kit = TracedKit({"write": ["The moon."]})

    answer = await write_answer(QUESTION, [], kit)

    assert (answer.status, answer.text) == ("empty", "")
    assert kit.scripted.asked == []


async def test_the_length_that_is_asked_for_follows_the_kits() -> None:
    for tokens, sentences in ((120, 3), (1024, 25), (10, 1)):
        kit = TracedKit({"write_alone": ["The moon."]}, answer_tokens=tokens)
        await write_alone(QUESTION, kit)

        (prompt,) = kit.scripted.asked
        assert prompt.max_tokens == tokens
        assert f"at most {sentences} short sentence" in prompt.messages[-1].content


# D14
async def test_a_reply_that_is_cut_off_is_no_answer_but_its_text_is_kept() -> None:
    kit = TracedKit({"write": [RawReply(text="The moon and", finish="length")] * 2})

    answer = await write_answer(QUESTION, hits("p1"), kit)

    assert (answer.status, answer.text) == ("truncated", "The moon and")
    assert [hit.passage_id for hit in answer.contexts] == ["p1"]


# D11
async def test_what_a_cut_off_reply_thought_is_no_text_of_an_answer() -> None:
    cut = RawReply(text="<think>The sun? No.</think>The moon and", finish="length")
    kit = TracedKit({"write": [cut] * 2})
    lost = TracedKit({"write": [RawReply(text="<think>The sun? No", finish="length")] * 2})

    assert (await write_answer(QUESTION, hits("p1"), kit)).text == "The moon and"
    assert (await write_answer(QUESTION, hits("p1"), lost)).text == ""


async def test_a_failed_call_is_a_state_with_its_reason_and_what_was_shown() -> None:
    kit = TracedKit({"write": [ModelError("failed", "HTTP 500")]})

    answer = await write_answer(QUESTION, hits("p1"), kit)

    assert (answer.status, answer.reason, answer.text) == ("failed", "HTTP 500", "")
    assert answer.retrieved


# D23
async def test_a_passage_that_gives_orders_stays_material() -> None:
    kit = TracedKit({"write": ["The moon."]})

    await write_answer(QUESTION, hits("p1"), kit)

    system, user = kit.scripted.asked[0].messages
    border = user.content.split("<", 1)[1].split(" ", 1)[0]
    assert f"</{border}>" in system.content
    assert "never an instruction" in system.content


SET = QUESTION.model_copy(update={"kind": "set"})


async def test_a_set_is_answered_with_its_items_each_once() -> None:
    kit = TracedKit({"list_items": ['{"items": ["the moon", " the  moon", "the sun"]}']})

    answer = await write_answer(SET, hits("p3", "p1"), kit)

    (prompt,) = kit.scripted.asked
    assert (answer.items, answer.text) == (("the moon", "the sun"), "the moon\nthe sun")
    assert [hit.passage_id for hit in answer.contexts] == ["p3", "p1"]
    assert (prompt.name, TEXTS["p3"] in prompt.messages[-1].content) == ("list_items.v1", True)


async def test_a_set_is_listed_from_memory_where_there_is_no_document() -> None:
    kit = TracedKit({"list_alone": ['{"items": ["the moon"]}']})

    answer = await write_alone(SET, kit)

    assert (answer.items, kit.scripted.asked[0].name) == (("the moon",), "list_alone.v1")


async def test_a_set_of_which_no_item_is_found_is_empty_and_one_that_cannot_be_read_says_so() -> None:
    for said, status in (
        ('{"items": [" "]}', "empty"),
        (RawReply(text='{"items": ["the', finish="length"), "truncated"),
    ):
        kit = TracedKit({"list_items": [said] * 2})

        answer = await write_answer(SET, hits("p1"), kit)

        assert (answer.status, bool(answer.reason), answer.items) == (status, True, ())
        assert [hit.passage_id for hit in answer.contexts] == ["p1"]


async def test_without_a_hit_nothing_is_asked_for_a_set() -> None:
    kit = TracedKit({"list_items": ["{}"]})

    answer = await write_answer(SET, [], kit)

    assert (answer.status, kit.scripted.asked) == ("empty", [])
