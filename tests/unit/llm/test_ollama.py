from typing import cast

import pytest
from pydantic import JsonValue

from astrolabe.llm.ollama import SMALLEST_CONTEXT, Ollama
from astrolabe.llm.provider import Request
from astrolabe.store.http import Wire, WireError
from tests.providers import asks, asks_text
from tests.servers import Body, Says, Seen, serving


def _options(seen: Seen) -> dict[str, JsonValue]:
    return cast("dict[str, JsonValue]", seen.body["options"])


async def test_it_is_asked_on_its_own_api_with_a_window_and_a_schema() -> None:
    with serving([Says('{"topics": []}', reasoning="hm")]) as server:
        raw = await Ollama("m", Wire(server.address), spelled="ollama:m").complete(Request.of(asks()))

    seen = server.seen[0]
    assert seen.path == "/api/chat"
    assert (seen.body["stream"], seen.body["think"]) == (False, False)
    assert _options(seen) == {"temperature": 0.0, "num_predict": 100, "num_ctx": SMALLEST_CONTEXT}
    assert cast("dict[str, JsonValue]", seen.body["format"])["required"] == ["topics", "reason"]
    assert (raw.text, raw.finish) == ('{"topics": []}', "stop")
    assert (raw.usage.prompt_tokens, raw.usage.completion_tokens) == (100, 10)


async def test_the_window_grows_with_a_long_prompt_and_never_shrinks() -> None:
    with serving([Says("x")]) as server:
        model = Ollama("m", Wire(server.address), spelled="ollama:m")
        await model.complete(Request.of(asks_text("word " * 9000)))
        await model.complete(Request.of(asks_text("short")))

    windows = [_options(seen)["num_ctx"] for seen in server.seen]
    assert windows == [2 * SMALLEST_CONTEXT, 2 * SMALLEST_CONTEXT]


async def test_a_cut_reply_says_so() -> None:
    with serving([Says("x", finish="length", prompt_tokens=None)]) as server:
        raw = await Ollama("m", Wire(server.address), spelled="ollama:m").complete(Request.of(asks_text()))

    assert raw.finish == "length"
    assert raw.usage.prompt_tokens == 2


async def test_something_else_than_a_reply_is_an_error() -> None:
    with serving([Body('{"error": "loading"}')]) as server:
        model = Ollama("m", Wire(server.address), spelled="ollama:m")
        with pytest.raises(WireError, match="without a message"):
            await model.complete(Request.of(asks_text()))
