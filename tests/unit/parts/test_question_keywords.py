import json

import pytest
from pydantic import JsonValue

from astrolabe.core.errors import ModelError
from astrolabe.llm.provider import RawReply
from astrolabe.llm.scripted import Line
from astrolabe.parts.question_keywords import Keywords, question_keywords
from tests.six_passages import TracedKit

QUESTION = "Why do tides differ between the Baltic and the Bay of Fundy?"


async def found(*lines: Line) -> Keywords:
    return await question_keywords(QUESTION, TracedKit({"keywords": lines}))


def reply(high: JsonValue, low: JsonValue) -> str:
    return json.dumps({"high_level": high, "low_level": low})


async def test_keywords_of_each_level_are_joined_to_a_query() -> None:
    keywords = await found(reply(["tidal range", "sea basins"], ["Baltic", "Bay of Fundy"]))

    assert keywords.high == ("tidal range, sea basins", "")
    assert keywords.low == ("Baltic, Bay of Fundy", "")


async def test_a_keyword_comes_once_as_it_was_first_written() -> None:
    keywords = await found(reply([" Tides ", "tides", "“TIDES”"], ["Baltic", "", "Fundy", "baltic"]))

    assert (keywords.high.query, keywords.low.query) == ("Tides", "Baltic, Fundy")


@pytest.mark.parametrize("empty", [[], None, ["", " “” "]])
async def test_a_level_without_keywords_is_searched_by_the_whole_question_and_says_so(empty: JsonValue) -> None:
    keywords = await found(*[reply(["tides"], empty)] * 2)

    assert keywords.low == (QUESTION, "no low-level keyword: the whole question is searched for")
    assert keywords.high == ("tides", "")


# U12
@pytest.mark.parametrize(
    "bad",
    [reply(list("tides"), list("Baltic")), reply("tides", "Baltic"), reply(["t", "i"], ["Baltic"]), "tides; Baltic"],
)
async def test_a_phrase_spelled_out_in_characters_is_refused_asked_again_and_no_keyword(bad: str) -> None:
    kit = TracedKit({"keywords": [bad, bad]})

    keywords = await question_keywords(QUESTION, kit)

    assert len(kit.scripted.requests) == 2
    assert keywords.low == keywords.high
    assert keywords.low.query == QUESTION
    assert keywords.low.reason.startswith("no keywords (unparsed: ")


async def test_single_letters_and_single_characters_of_other_scripts_are_keywords() -> None:
    keywords = await found(reply(["月", "潮"], ["C"]))

    assert (keywords.high.query, keywords.low.query) == ("月, 潮", "C")


@pytest.mark.parametrize("status", ["refused", "failed", "empty"])
async def test_a_reply_that_cannot_be_used_is_a_reason_and_no_error(status: str) -> None:
    keywords = await found(ModelError(status, "no"))  # pyright: ignore[reportArgumentType] - each is a status

    assert keywords.high.reason == f"no keywords ({status}: no): the whole question is searched for"


async def test_a_cut_reply_keeps_its_whole_keywords() -> None:
    cut = reply(["tides", "sea"], ["Baltic", "Fundy"])[:-8]

    keywords = await found(*[RawReply(text=cut, finish="length")] * 2)

    assert (keywords.high.query, keywords.low.query) == ("tides, sea", "Baltic")


async def test_the_question_stands_in_a_block_and_is_asked_about_once() -> None:
    kit = TracedKit({"keywords": [reply(["a b"], ["c d"])]})

    await question_keywords(QUESTION, kit)

    (prompt,) = kit.scripted.asked
    assert (prompt.name, prompt.stage) == ("keywords.v1", "answer.keywords")
    assert f'name="question">\n{QUESTION}\n' in prompt.messages[-1].content
