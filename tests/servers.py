"""A real OpenAI-compatible server on loopback that does what a test tells it to.

    with serving([Says("Yes."), Status(429, headers={"Retry-After": "1"})]) as server:
        ...  # server.url ends in /v1
        assert len(server.seen) == 2

The script is a list, whose last behaviour repeats, or a function of what was seen. The server runs in a
thread of its own, so a test may be a coroutine, a plain function, or a command in another process.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

from aiohttp import web
from pydantic import JsonValue

Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request as it arrived: its place in the order of arrival, from 0."""

    number: int
    path: str
    headers: Headers
    body: dict[str, JsonValue]

    @property
    def messages(self) -> list[dict[str, str]]:
        """The conversation."""
        return cast("list[dict[str, str]]", self.body["messages"])


@dataclass(frozen=True, slots=True)
class Says:
    """A completion, or Ollama's chat reply on its path."""

    text: str | None
    finish: str | None = "stop"
    refusal: str | None = None
    reasoning: str | None = None
    prompt_tokens: int | None = 100
    completion_tokens: int = 10
    cached_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Status:
    """An HTTP status with a JSON body in OpenAI's form, or the body that is given."""

    code: int
    message: str = "the server says no"
    headers: Headers = field(default_factory=dict[str, str])
    error: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Body:
    """A reply with any body."""

    text: str
    media_type: str = "application/json"
    code: int = 200
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Resets:
    """The connection ends before a reply."""

    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Embeds:
    """Vectors for as many inputs as came, each `[1, 0, ..., 0]`."""

    dimensions: int = 4
    seconds: float = 0.0


Behaviour = Says | Status | Body | Resets | Embeds
Script = Sequence[Behaviour] | Callable[[Seen], Behaviour]


@dataclass(slots=True)
class Server:
    """A running server: its address without and with `/v1`, and what it saw."""

    address: str
    seen: list[Seen] = field(default_factory=list[Seen])
    most_at_once: int = 0
    under_way: int = 0

    @property
    def url(self) -> str:
        """What an OpenAI-compatible client is given."""
        return f"{self.address}/v1"


@contextmanager
def serving(script: Script) -> Generator[Server]:
    """Run a server for the time of the block."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = Server("")
    runner, server.address = asyncio.run_coroutine_threadsafe(_start(server, script), loop).result(10)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _start(server: Server, script: Script) -> tuple[web.AppRunner, str]:
    async def handle(request: web.Request) -> web.StreamResponse:
        seen = Seen(
            number=len(server.seen), path=request.path, headers=dict(request.headers), body=await request.json()
        )
        server.seen.append(seen)
        server.under_way += 1
        server.most_at_once = max(server.most_at_once, server.under_way)
        try:
            behaviour = script(seen) if callable(script) else script[min(seen.number, len(script) - 1)]
            if behaviour.seconds:
                await asyncio.sleep(behaviour.seconds)
            return _answer(behaviour, request, seen)
        finally:
            server.under_way -= 1

    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_post("/{path:.*}", handle)
    # A client that has given up ends its request here, too, so that none outlives the server.
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    return runner, f"http://{host}:{port}"


def _answer(behaviour: Behaviour, request: web.Request, seen: Seen) -> web.StreamResponse:
    if isinstance(behaviour, Resets):
        if request.transport is not None:
            request.transport.abort()
        return web.Response()
    if isinstance(behaviour, Status):
        body = {"error": {"message": behaviour.message, **behaviour.error}}
        return web.json_response(body, status=behaviour.code, headers=behaviour.headers)
    if isinstance(behaviour, Body):
        return web.Response(text=behaviour.text, content_type=behaviour.media_type, status=behaviour.code)
    if isinstance(behaviour, Embeds):
        inputs = cast("list[str]", seen.body["input"])
        vector = [1.0] + [0.0] * (behaviour.dimensions - 1)
        rows = [{"index": index, "embedding": vector} for index in range(len(inputs))]
        return web.json_response({"data": rows, "embeddings": [vector] * len(inputs)})
    return web.json_response(_ollama(behaviour) if request.path == "/api/chat" else _completion(behaviour))


def _completion(says: Says) -> dict[str, JsonValue]:
    message: dict[str, JsonValue] = {"role": "assistant", "content": says.text}
    if says.refusal is not None:
        message["refusal"] = says.refusal
    if says.reasoning is not None:
        message["reasoning_content"] = says.reasoning
    reply: dict[str, JsonValue] = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": says.finish}],
    }
    if says.prompt_tokens is not None:
        reply["usage"] = {
            "prompt_tokens": says.prompt_tokens,
            "completion_tokens": says.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": says.cached_tokens},
        }
    return reply


def _ollama(says: Says) -> dict[str, JsonValue]:
    return {
        "message": {"role": "assistant", "content": says.text, "thinking": says.reasoning},
        "done_reason": says.finish,
        "prompt_eval_count": says.prompt_tokens,
        "eval_count": says.completion_tokens,
    }


def as_json(value: JsonValue) -> Says:
    """Return a completion whose text is this value as JSON."""
    return Says(json.dumps(value, ensure_ascii=False))
