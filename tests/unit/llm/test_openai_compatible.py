import asyncio
from typing import cast

import pytest
from pydantic import JsonValue, SecretStr

from astrolabe.core.errors import ConfigError
from astrolabe.llm.dialect import Dialect
from astrolabe.llm.openai_compatible import OpenAICompatible
from astrolabe.llm.provider import Request
from astrolabe.store.http import Wire, WireError
from astrolabe.store.model_names import OPENAI_URL
from tests.providers import asks, asks_text
from tests.servers import Behaviour, Body, Says, Seen, Server, Status, serving

REQUEST = Request.of(asks())


def _model(server: Server, dialect: Dialect | None = None) -> OpenAICompatible:
    return OpenAICompatible("m", Wire(server.url), spelled=f"openai:m@{server.url}", dialect=dialect)


def _form(seen: Seen) -> str:
    form = cast("dict[str, JsonValue] | None", seen.body.get("response_format"))
    return str(form["type"]) if form else "plain"


async def test_a_request_says_model_messages_limit_temperature_and_schema() -> None:
    with serving([Says("{}")]) as server:
        await _model(server).complete(REQUEST)

    seen = server.seen[0]
    form = cast("dict[str, dict[str, JsonValue]]", seen.body["response_format"])["json_schema"]
    assert seen.path == "/v1/chat/completions"
    assert (seen.body["model"], seen.body["max_tokens"], seen.body["temperature"]) == ("m", 100, 0.0)
    assert seen.messages[1] == {"role": "user", "content": "Which topics?"}
    assert (form["name"], form["strict"]) == ("topics_v1", True)
    assert cast("dict[str, JsonValue]", form["schema"])["additionalProperties"] is False
    assert "chat_template_kwargs" not in seen.body


async def test_a_reply_brings_text_finish_and_usage() -> None:
    with serving([Says("Yes.", finish="length", cached_tokens=40)]) as server:
        raw = await _model(server).complete(REQUEST)

    assert (raw.text, raw.finish, raw.refusal) == ("Yes.", "length", None)
    assert (raw.usage.calls, raw.usage.prompt_tokens, raw.usage.cached_tokens) == (1, 100, 40)
    assert raw.usage.completion_tokens == 10
    assert raw.usage.usd is None
    assert raw.usage.seconds > 0


@pytest.mark.parametrize(
    ("says", "text", "finish", "refusal"),
    [
        (Says(None), "", "stop", None),
        (Says(None, finish=None), "", "stop", None),
        (Says("", finish="content_filter"), "", "content_filter", None),
        (Says(None, refusal="I cannot."), "", "stop", "I cannot."),
        (Says("Yes.", reasoning="let me see"), "Yes.", "stop", None),
        (Says(None, finish="length", reasoning="let me see"), "", "length", None),
        (Body('{"choices": []}'), "", "no choices", None),
        (Body('{"choices": [{"message": {"content": [{"text": "Y"}, {"text": "es"}]}}]}'), "Yes", "stop", None),
        (Body('{"choices": [{"message": {"content": "a\\ud83d"}}]}'), "a\N{REPLACEMENT CHARACTER}", "stop", None),
        (Body('{"choices": [null]}'), "", "stop", None),
    ],
)
async def test_odd_replies_are_read_as_they_came(says: Behaviour, text: str, finish: str, refusal: str | None) -> None:
    with serving([says]) as server:
        raw = await _model(server).complete(REQUEST)

    assert (raw.text, raw.finish, raw.refusal) == (text, finish, refusal)


async def test_tokens_are_counted_here_where_the_server_does_not() -> None:
    with serving([Says("One two three.", prompt_tokens=None)]) as server:
        raw = await _model(server).complete(REQUEST)

    assert raw.usage.completion_tokens == 4
    assert raw.usage.prompt_tokens == 7


@pytest.mark.parametrize(
    ("refused", "forms"),
    [
        (("json_schema",), ["json_schema", "json_schema", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_schema", "json_object", "plain"]),
    ],
)
async def test_a_refused_format_is_replaced_by_the_next_one_and_remembered(
    refused: tuple[str, ...], forms: list[str]
) -> None:
    def behave(seen: Seen) -> Behaviour:
        form = _form(seen)
        return Status(400, f"'response_format' of type {form} is not supported") if form in refused else Says("{}")

    with serving(behave) as server:
        model = _model(server)
        await model.complete(REQUEST)
        await model.complete(REQUEST)

    assert [_form(seen) for seen in server.seen] == [*forms, forms[-1]]
    assert "JSON Schema" in server.seen[-1].messages[0]["content"]
    assert '"topics"' in server.seen[-1].messages[0]["content"]


async def test_a_server_that_refuses_bounds_gets_the_schema_without_them() -> None:
    def behave(seen: Seen) -> Behaviour:
        if "maxLength" in str(seen.body):
            return Status(400, "Invalid schema: 'maxLength' is not permitted", error={"param": "response_format"})
        return Says("{}")

    bounded = Request.of(asks())
    schema: dict[str, JsonValue] = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}}
    with serving(behave) as server:
        await _model(server).complete(
            Request(
                name="a.v1",
                stage="s",
                messages=bounded.messages,
                schema=schema,
                max_tokens=9,
                temperature=0,
                options={},
            )
        )

    assert [_form(seen) for seen in server.seen] == ["json_schema", "json_schema"]


async def test_many_at_once_learn_a_refusal_together() -> None:
    def behave(seen: Seen) -> Behaviour:
        refused = _form(seen) != "plain"
        return Status(400, "response_format is not supported", seconds=0.02) if refused else Says("{}")

    with serving(behave) as server:
        model = _model(server)
        async with asyncio.TaskGroup() as group:
            replies = [group.create_task(model.complete(REQUEST)) for _ in range(20)]

    assert all(reply.result().text == "{}" for reply in replies)
    assert len(server.seen) <= 20 * 4


@pytest.mark.parametrize("message", ["This model's maximum context length is 8192 tokens", "Invalid request"])
async def test_a_400_about_something_else_is_not_taken_for_a_dialect(message: str) -> None:
    with serving([Status(400, message)]) as server:
        model = _model(server)
        with pytest.raises(WireError, match=message):
            await model.complete(REQUEST)

    assert len(server.seen) == 1


async def test_thinking_is_switched_off_where_the_server_takes_that() -> None:
    with serving(
        lambda seen: Status(400, "unknown chat_template_kwargs") if seen.number == 1 else Says("{}")
    ) as server:
        model = _model(server, Dialect(thinking=True))
        await model.complete(REQUEST)
        await model.complete(REQUEST)

    assert server.seen[0].body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "chat_template_kwargs" not in server.seen[2].body


async def test_plain_text_asks_for_no_format_and_options_are_sent() -> None:
    prompt = asks_text()
    with serving([Says("x")]) as server:
        request = Request(
            name="a",
            stage="s",
            messages=prompt.messages,
            schema=None,
            max_tokens=5,
            temperature=0.5,
            options={"seed": 7},
        )
        await _model(server).complete(request)

    body = server.seen[0].body
    assert "response_format" not in body
    assert (body["seed"], body["temperature"]) == (7, 0.5)


async def test_the_key_is_sent_as_a_bearer() -> None:
    with serving([Says("x")]) as server:
        await OpenAICompatible("m", Wire(server.url, key=SecretStr("k1")), spelled="openai:m").complete(REQUEST)

    assert server.seen[0].headers["Authorization"] == "Bearer k1"


async def test_a_missing_key_is_named_before_anything_is_sent() -> None:
    with pytest.raises(ConfigError, match=r"openai:gpt-5\.1 needs a key: set OPENAI_API_KEY"):
        await OpenAICompatible("gpt-5.1", Wire(OPENAI_URL), spelled="openai:gpt-5.1").complete(REQUEST)
