import pytest

from astrolabe.core.errors import ModelError
from astrolabe.core.usage import metering
from astrolabe.llm.scripted import Scripted
from tests.providers import Topics, asks, asks_text, says


async def test_lines_are_played_by_prompt_name_then_name_without_version_then_stage() -> None:
    llm = Scripted({"topics.v1": [Topics(topics=["a"])], "topics": ['{"topics": ["b"]}'], "answer.topics": ['["c"]']})

    replies = [(await llm.ask(asks())).value.topics for _ in range(3)]

    assert replies == [["a"], ["b"], ["c"]]
    assert [prompt.name for prompt in llm.asked] == ["topics.v1"] * 3


async def test_a_script_that_has_ended_says_so() -> None:
    llm = Scripted({"why": ["Because."]})
    await llm.ask(asks_text())

    with pytest.raises(LookupError, match=r"no line left for any of \('why.v1', 'why', 'answer.write'\)"):
        await llm.ask(asks_text())


async def test_a_function_may_answer_from_the_prompt() -> None:
    llm = Scripted(lambda prompt: prompt.messages[-1].content.upper())

    assert (await llm.ask(asks_text("why?"))).value == "WHY?"


async def test_a_line_goes_through_the_real_parser() -> None:
    llm = Scripted({"topics": ["prose", "more prose"]})

    with pytest.raises(ModelError, match="unparsed"):
        await llm.ask(asks())

    assert len(llm.asked) == 1
    assert len(llm.requests) == 2


async def test_a_line_may_be_a_whole_reply_or_an_error() -> None:
    llm = Scripted({"why": [says("cut", "length"), says("cut", "length"), ModelError("failed", "HTTP 500")]})

    with pytest.raises(ModelError, match="truncated"):
        await llm.ask(asks_text())
    with pytest.raises(ModelError, match="HTTP 500"):
        await llm.ask(asks_text())


async def test_its_calls_are_metered() -> None:
    llm = Scripted({"why": ["One two."]})

    with metering() as meter:
        await llm.ask(asks_text("Tell me why"))

    usage = meter.stages["answer.write"]
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens, usage.usd) == (1, 3, 2, 0.0)
