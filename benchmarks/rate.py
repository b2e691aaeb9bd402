"""Measures how well a server's request rate is found and used, without anybody setting it.

    python benchmarks/rate.py [--a-second 10] [--seconds 40] [--limit bucket window] [--retry-after 0 1]

A server in a process of its own serves so many requests a second and answers 429 above that. After the first ten
seconds at most 5 % of the requests may be refused, and at least 90 % of what is allowed must be used. `bucket` fills
a bucket of one second's requests, `window` counts by the second of the clock; with `--retry-after 0` the server does
not say how long to wait.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from astrolabe.core.prompt import Message, Prompt
from astrolabe.llm.stack import open_llm
from astrolabe.store.calls import CallRecord

LEARNING_SECONDS = 10.0


def prompt(number: int) -> Prompt[str]:
    """Return a prompt that no other equals."""
    turns = (Message(role="user", content=f"Question {number}: what does the vessel change?"),)
    return Prompt(name="write.v1", stage="answer.write", messages=turns, reply=str, max_tokens=100)


async def ask_for(url: str, record: CallRecord, seconds: float) -> tuple[int, float]:
    """Ask as much as is let through for some time; return how many calls failed, and the processor's seconds."""
    failed = number = 0
    used = time.process_time()
    until = time.monotonic() + seconds
    async with open_llm(f"openai:m@{url}", record=record) as llm:

        async def worker() -> None:
            nonlocal failed, number
            while time.monotonic() < until:
                number += 1
                try:
                    await llm.ask(prompt(number))
                except Exception:  # noqa: BLE001 - counted, whatever it is
                    failed += 1

        async with asyncio.TaskGroup() as group:
            for _ in range(80):
                group.create_task(worker())
    return failed, time.process_time() - used


def main() -> None:
    """Run a server for each kind of limit and measure."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--a-second", type=int, default=10)
    options.add_argument("--seconds", type=float, default=40.0)
    options.add_argument("--latency", type=float, default=0.3)
    options.add_argument("--limit", nargs="+", default=["bucket", "window"])
    options.add_argument("--retry-after", type=int, nargs="+", default=[0, 1])
    options.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve:
        allows = {"bucket": bucket, "window": window}[given.limit[0]](given.a_second)
        asyncio.run(serve(allows, given.latency, given.retry_after[0]))
        return
    for limit in given.limit:
        for wait in given.retry_after:
            words = [f"--a-second={given.a_second}", f"--latency={given.latency}", "--limit", limit]
            command = [sys.executable, __file__, "--serve", *words, "--retry-after", str(wait)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as server:  # noqa: S603
                measure(server, given.a_second, given.seconds, f"{limit}, {'Retry-After' if wait else 'no header'}")


def measure(server: "subprocess.Popen[str]", a_second: int, seconds: float, name: str) -> None:
    """Ask one server, let it tell what it saw, and print the shares."""
    url = server.stdout.readline().strip() if server.stdout else ""
    with tempfile.TemporaryDirectory() as folder, CallRecord(Path(folder) / "calls.sqlite") as record:
        failed, used = asyncio.run(ask_for(url, record, seconds))
    seen, _ = server.communicate("tell\n")
    times: list[tuple[float, bool]] = [(at, served) for at, served in json.loads(seen)]
    begin = times[0][0]
    late = [served for at, served in times if begin + LEARNING_SECONDS <= at < begin + seconds]
    early = [served for at, served in times if at < begin + LEARNING_SECONDS]
    share = sum(late) / (a_second * (seconds - LEARNING_SECONDS))
    sys.stdout.write(
        f"{name}: after {LEARNING_SECONDS:g} s {1 - sum(late) / len(late):.1%} refused, {share:.1%} of the limit used; "
        f"before {1 - sum(early) / len(early):.1%} refused; {failed} of {len(times)} calls failed; "
        f"{1000 * used / len(times):.1f} ms of processor a request\n"
    )
    sys.stdout.flush()


def bucket(a_second: int) -> Callable[[float], bool]:
    """A bucket of one second's requests, filled evenly."""
    level, at = float(a_second), time.monotonic()

    def allows(now: float) -> bool:
        """Take one where there is one."""
        nonlocal level, at
        level, at = min(a_second, level + (now - at) * a_second), now
        served = level >= 1
        level -= served
        return served

    return allows


def window(a_second: int) -> Callable[[float], bool]:
    """So many in each second of the clock."""
    current, used = 0, 0

    def allows(now: float) -> bool:
        """Count within the second."""
        nonlocal current, used
        if int(now) != current:
            current, used = int(now), 0
        used += 1
        return used <= a_second

    return allows


async def serve(allows: Callable[[float], bool], latency: float, retry_after: int) -> None:
    """Serve within a limit until the parent writes a line; then tell when each request came and whether it passed."""
    from aiohttp import web

    seen: list[tuple[float, bool]] = []
    headers = {"Retry-After": str(retry_after)} if retry_after else {}
    message = {"message": {"content": "It changes what is made in it."}, "finish_reason": "stop"}
    body = {"choices": [message], "usage": {"prompt_tokens": 20, "completion_tokens": 10}}

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        now = time.monotonic()
        served = allows(now)
        seen.append((now, served))
        if not served:
            return web.json_response({"error": {"message": "too many"}}, status=429, headers=headers)
        await asyncio.sleep(latency)
        return web.json_response(body)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    sys.stdout.write(f"http://{host}:{port}/v1\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main()
