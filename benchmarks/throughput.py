"""Measures what asking costs beside waiting: throughput as a share of the ideal, and calls from the record.

    python benchmarks/throughput.py [--calls 2000] [--seconds 0.2] [--at-once 1 16 64]

A server in a process of its own answers each chat request after a fixed time. The ideal is what that time
alone allows: calls x seconds / at-once. Every call has its own prompt, a structured reply and is recorded
on disk; one call before loads the libraries. With one at a time, a tenth of the calls is made.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

from pydantic import BaseModel, Field
from scripted_server import completion, serve, served

from astrolabe.core.prompt import Message, Prompt
from astrolabe.llm.gate import Limits
from astrolabe.llm.stack import open_llm
from astrolabe.store.calls import CallRecord

REPLY = json.dumps(
    {
        "verdicts": [
            {"id": "A1", "covered": True, "where": "in the second sentence"},
            {"id": "A2", "covered": False, "where": ""},
        ]
    }
)
AHEAD = 16
"""How many prompts are under way beyond the requests."""


class Verdict(BaseModel):
    """What the judge says of one topic."""

    id: str
    covered: bool
    where: str = Field(default="", max_length=200)


class Verdicts(BaseModel):
    """A reply of the size that a judge gives."""

    verdicts: list[Verdict]


def prompt(number: int) -> Prompt[Verdicts]:
    """Return a prompt of about 3,000 characters that no other equals."""
    turns = (
        Message(role="system", content="You judge which topics a response covers."),
        Message(role="user", content=f"Response {number}: " + "the vessel changes what is made in it. " * 75),
    )
    return Prompt(name="judge.v1", stage="judge.topics", messages=turns, reply=Verdicts, max_tokens=200)


async def ask_all(url: str, record: CallRecord, numbers: range, at_once: int) -> float:
    """Ask one prompt a number, so many requests at once; return the seconds that took.

    A few more prompts are under way than requests, as in a run: what was answered is read and recorded while
    the next request waits for its reply.
    """
    async with open_llm(f"openai:judge@{url}", record=record, limits=Limits(concurrency=at_once)) as llm:
        places = asyncio.Semaphore(at_once + AHEAD)

        async def ask(number: int) -> None:
            async with places:
                await llm.ask(prompt(number))

        await llm.ask(prompt(-1))
        started = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for number in numbers:
                group.create_task(ask(number))
        return time.perf_counter() - started


def main() -> None:
    """Run the server and measure."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--calls", type=int, default=2000)
    options.add_argument("--seconds", type=float, default=0.2)
    options.add_argument("--at-once", type=int, nargs="+", default=[1, 16, 64])
    options.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve:
        body = completion(REPLY, prompt_tokens=700, completion_tokens=40)
        serve(lambda _: body, given.seconds)  # read by nobody, so that it takes no time from who asks
        return
    with served(__file__, "--serve", "--seconds", str(given.seconds)) as url:
        for at_once in given.at_once:
            measure(url, given.calls if at_once > 1 else given.calls // 10, given.seconds, at_once)


def measure(url: str, calls: int, seconds: float, at_once: int) -> None:
    """Ask over the network, then from the record, and print both."""
    with tempfile.TemporaryDirectory() as folder, CallRecord(Path(folder) / "calls.sqlite") as record:
        used = time.process_time()
        took = asyncio.run(ask_all(url, record, range(calls), at_once))
        used = time.process_time() - used
        again = asyncio.run(ask_all(url, record, range(calls), at_once))
    ideal = -(-calls // at_once) * seconds
    sys.stdout.write(
        f"{at_once:4} at once: {calls} calls in {took:.2f} s, ideal {ideal:.2f} s: {ideal / took:.1%}; "
        f"{1000 * used / calls:.2f} ms of processor a call; from the record {1000 * again / calls:.2f} ms a call\n"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
