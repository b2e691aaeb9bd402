"""A server that plays a chat model in a process of its own, for benchmarks that measure what asks it."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

CHARACTERS_A_TOKEN: Final = 4


def completion(content: str, *, prompt_tokens: int, completion_tokens: int) -> bytes:
    """Return the body of a reply."""
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    return json.dumps(
        {"choices": [{"message": {"content": content}, "finish_reason": "stop"}], "usage": usage}
    ).encode()


def playing(reply_to: Callable[[str, str], str]) -> Callable[[bytes], bytes]:
    """Return what replies to a request's body; tokens are a quarter of the characters.

    Args:
        reply_to: Gets the prompt's name (empty where no object is asked for) and its last turn.
    """

    def respond(sent: bytes) -> bytes:
        """Read the prompt, and say what it is replied to with."""
        body = json.loads(sent)
        name = str(body.get("response_format", {}).get("json_schema", {}).get("name", "")).replace("_v", ".v")
        content = reply_to(name, body["messages"][-1]["content"])
        asked = sum(len(turn["content"]) for turn in body["messages"])
        return completion(
            content,
            prompt_tokens=asked // CHARACTERS_A_TOKEN,
            completion_tokens=len(content) // CHARACTERS_A_TOKEN + 1,
        )

    return respond


def serve(respond: Callable[[bytes], bytes], seconds: float) -> None:
    """Print the address, then reply to each request after so many seconds, until the process is ended."""
    from aiohttp import web

    async def answer(request: web.Request) -> web.Response:
        body = respond(await request.read())
        await asyncio.sleep(seconds)
        return web.Response(body=body, content_type="application/json")

    async def run() -> None:
        app = web.Application(client_max_size=2**24)
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        sys.stdout.write(f"http://{host}:{port}/v1\n")
        sys.stdout.flush()
        await asyncio.Event().wait()

    asyncio.run(run())


@contextmanager
def served(script: str | Path, *words: str) -> Generator[str]:
    """Run a script that serves, and give its address."""
    command = [sys.executable, str(script), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - ours
        try:
            if not (address := server.stdout.readline().strip() if server.stdout else ""):
                raise SystemExit("the scripted server did not start; what it said is above")
            yield address
        finally:
            server.terminate()
