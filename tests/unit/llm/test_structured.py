import pytest
from pydantic import BaseModel, Field

from astrolabe.core.errors import ModelError
from astrolabe.core.prompt import Message, Prompt
from astrolabe.llm.provider import RawReply, schema_of, without_bounds
from astrolabe.llm.structured import MOST_TOKENS, Structured
from tests.providers import Plays, Topics, asks, asks_text, says

GOOD = '{"topics": ["Alpha", "Beta"]}'


async def test_a_good_reply_takes_one_call() -> None:
    provider = Plays([says(GOOD)])

    reply = await Structured(provider).ask(asks())

    assert reply.value.topics == ["Alpha", "Beta"]
    assert (reply.text, reply.usage.calls, reply.repaired, reply.recorded) == (GOOD, 1, False, False)
    assert len(provider.requests) == 1


async def test_an_unparsed_reply_is_asked_again_once_with_the_fault_shown() -> None:
    provider = Plays([says('{"topics": 7}'), says(GOOD)])

    reply = await Structured(provider).ask(asks())

    again = provider.requests[1].messages
    assert [turn.role for turn in again] == ["system", "user", "assistant", "user"]
    assert again[2].content == '{"topics": 7}'
    assert "topics: Input should be a valid list" in again[3].content
    assert reply.usage.calls == 2
    assert reply.usage.prompt_tokens == 200


async def test_two_unparsed_replies_are_a_model_error_with_the_last_text() -> None:
    provider = Plays([says("first"), says("second"), says(GOOD)])

    with pytest.raises(ModelError, match="unparsed") as caught:
        await Structured(provider).ask(asks())

    assert caught.value.text == "second"
    assert len(provider.requests) == 2


# D14
async def test_a_cut_reply_is_asked_again_once_with_twice_the_tokens() -> None:
    provider = Plays([says('{"topics": ["Al', "length"), says(GOOD)])

    reply = await Structured(provider).ask(asks(max_tokens=100))

    assert [request.max_tokens for request in provider.requests] == [100, 200]
    assert reply.value.topics == ["Alpha", "Beta"]


# D14
async def test_a_reply_cut_twice_is_truncated_even_where_it_parses() -> None:
    provider = Plays([says(GOOD, "length")])

    with pytest.raises(ModelError, match="truncated") as caught:
        await Structured(provider).ask(asks())

    assert caught.value.partial == Topics(topics=["Alpha", "Beta"])
    assert len(provider.requests) == 2


async def test_the_tokens_of_a_cut_reply_are_bounded() -> None:
    provider = Plays([says("{", "length")])

    with pytest.raises(ModelError, match="truncated"):
        await Structured(provider).ask(asks(max_tokens=MOST_TOKENS))

    assert len(provider.requests) == 1


async def test_cut_then_unparsed_then_anything_ends_after_three_calls() -> None:
    provider = Plays([says("{", "length"), says("prose"), says("{", "length"), says(GOOD)])

    with pytest.raises(ModelError, match="truncated"):
        await Structured(provider).ask(asks())

    assert len(provider.requests) == 3


# D15
@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (says(""), "empty"),
        (RawReply(text="", refusal="I cannot help with that."), "refused"),
        (says("", "content_filter"), "refused"),
        (says("", "no choices"), "empty"),
    ],
)
async def test_nothing_and_a_refusal_are_not_asked_again(raw: RawReply, status: str) -> None:
    provider = Plays([raw, says(GOOD)])

    with pytest.raises(ModelError) as caught:
        await Structured(provider).ask(asks())

    assert caught.value.status == status
    assert len(provider.requests) == 1


async def test_plain_text_needs_no_schema() -> None:
    provider = Plays([says(" Because. ")])

    reply = await Structured(provider).ask(asks_text())

    assert reply.value == "Because."
    assert provider.requests[0].schema is None


def test_a_schema_requires_every_field_and_allows_no_other() -> None:
    class Part(BaseModel):
        title: str = "none"
        size: int = Field(default=1, ge=0)

    class Whole(BaseModel):
        parts: list[Part] = Field(max_length=9)
        note: str | None = Field(default=None, max_length=20)

    schema = schema_of(Whole)

    assert schema is not None
    part = {
        "type": "object",
        "properties": {"title": {"type": "string"}, "size": {"type": "integer", "minimum": 0}},
        "required": ["title", "size"],
        "additionalProperties": False,
    }
    assert schema["$defs"] == {"Part": part}
    assert schema["required"] == ["parts", "note"]
    assert schema["additionalProperties"] is False
    assert "maxItems" in str(schema)
    assert "maxItems" not in str(without_bounds(schema))
    assert "maxLength" not in str(without_bounds(schema))


async def test_a_conversation_that_begins_with_the_user_is_sent_as_it_is() -> None:
    provider = Plays([says("Yes.")])
    turns = (Message(role="user", content="Is it so?"),)

    await Structured(provider).ask(Prompt(name="a.v1", stage="s", messages=turns, reply=str, max_tokens=5))

    assert provider.requests[0].messages == turns


async def test_no_reply_takes_more_tokens_than_the_model_may_write() -> None:
    provider = Plays([says(GOOD, "length")])

    with pytest.raises(ModelError, match="truncated"):
        await Structured(provider, most_tokens=50).ask(asks(max_tokens=100))

    assert [request.max_tokens for request in provider.requests] == [50]
