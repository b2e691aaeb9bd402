"""Measures how long `apt` takes beside its critical path of calls, and what the serial order would take.

    python benchmarks/reasoning_trees.py [--seconds 0.2] [--shapes wide deep mixed]

A server in a process of its own answers every call after a fixed time and plays the tree that the question names:
`wide` has 40 leaves, `deep` halves down to the fourth level, `mixed` has leaves, a branch, and parts that refer to
others. The critical path is the same tree on a clock that only calls move, all at once: no tree that makes these
calls in an order that their contents allow is faster. The serial time is calls x seconds.
"""

import argparse
import asyncio
import json
import re
import selectors
import sys
import time
from collections.abc import Sequence
from typing import Final, TypeVar, cast

from pydantic import BaseModel
from scripted_server import playing, serve, served

from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.protocols import LLM, Cut, Index, Kit
from astrolabe.core.records import Hit, Passage, Question
from astrolabe.core.usage import metering
from astrolabe.llm.scripted import AnyPrompt, Line, Scripted
from astrolabe.llm.stack import open_llm
from astrolabe.methods.apt import APT
from astrolabe.store.calls import CallRecord

R = TypeVar("R", bound=BaseModel | str)
SHAPES: Final = {
    "wide": "[wide]",
    "deep": "[deep]",
    "mixed": "[mixed]",
}


def parts_of(question: str) -> list[str]:
    """Return the parts that the tree's shape has for a question."""
    if "[wide]" in question:
        return [f"What is leaf {number}?" for number in range(40)]
    if "[deep]" in question:
        name = question.partition("[deep]")[2].strip(" ?")
        return [f"What is half {name}{half} [deep] {name}{half}?" for half in "ab"]
    if "[mixed]" in question:
        leaves = [f"What is leaf {number}?" for number in range(4)]
        return [*leaves, "What is branch [pair]?", "Who made <Q1>?", "When was <Q5> made?", "What is <Q6> worth?"]
    return [f"What is twig {number}?" for number in range(2)] if "[pair]" in question else []


def reply_to(name: str, shown: str) -> str:
    """Return what the model says to a prompt."""
    if name.startswith("decompose"):
        return json.dumps({"reason": "", "questions": parts_of(shown)})
    if name.startswith("contextualize"):
        marks = "".join(re.findall(r"<Q(\d+)>", shown))
        return json.dumps({"items": [], "question": f"What came of leaf {marks}?"})
    if name.startswith("answerable"):
        return json.dumps({"missing": ["it"], "answerable": False})
    if name.startswith("queries"):
        ids = re.findall(r"^(N[\d.]+): ", shown, re.MULTILINE)
        return json.dumps({"queries": [{"id": one, "query": f"leaf {one}"} for one in ids]})
    if name.startswith("answer_together"):
        ids = re.findall(r"^(N[\d.]+) \[", shown, re.MULTILINE)
        return json.dumps({"answers": [{"id": one, "answer": "A leaf."} for one in ids]})
    return "A leaf."


class OnePassage:
    """A kit and an index that find the same passage whatever is asked."""

    scope: str | None = None
    documents: Sequence[str] = ("d",)
    answer_tokens: int = 200
    context_tokens: int = 8_000
    passage = Passage(id="p", document_id="d", text="A leaf.", start=0, end=7, tokens=3)

    def __init__(self, llm: LLM) -> None:
        """Take the model."""
        self.llm = llm

    async def open(self, spec: object) -> Index:  # noqa: ARG002  whatever it is
        """Return itself."""
        return cast("Index", self)

    async def search(self, query: str, *, k: int) -> Sequence[Hit]:  # noqa: ARG002  as the protocol has it
        """Find the passage."""
        return [Hit(passage_id="p", rank=1, score=1.0, source="dense")]

    def passages(self, cut: Cut) -> Sequence[Passage]:  # noqa: ARG002  there is one
        """Return the passage."""
        return [self.passage]

    def read(self, passage: str) -> Passage:  # noqa: ARG002  there is one
        """Return the passage."""
        return self.passage


class Late:
    """A scripted model whose replies take a fixed time."""

    id = "late"

    def __init__(self, seconds: float) -> None:
        """Take the time."""
        self._seconds = seconds

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        """Wait, then reply."""
        await asyncio.sleep(self._seconds)
        return await Scripted(played).ask(prompt)


def played(prompt: AnyPrompt) -> Line:
    """Play the tree."""
    return reply_to(prompt.name, prompt.messages[-1].content)


class Jumping(selectors.DefaultSelector):
    """A selector that never waits: the clock jumps to where the next thing happens."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Let the time pass at once."""
        self.now += timeout or 0.0
        return super().select(0)


async def tree(shape: str, llm: LLM) -> int:
    """Answer a question of a shape; return the calls."""
    kit = cast("Kit", OnePassage(llm))
    with metering() as meter:
        answer = await APT(k=1).answer(Question(id="q", text=f"What is all this {SHAPES[shape]}?"), kit)
    if answer.status != "ok":
        raise RuntimeError(f"{shape}: {answer.reason}")
    return meter.total.calls


def critical_path(shape: str, seconds: float) -> float:
    """Return how long the tree takes where nothing but calls takes time."""
    selector = Jumping()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.now  # type: ignore[method-assign]
    try:
        loop.run_until_complete(tree(shape, Late(seconds)))
        return selector.now
    finally:
        loop.close()


async def wall_clock(shape: str, url: str) -> tuple[float, int]:
    """Return how long the tree takes beside the server, and the calls."""
    with CallRecord(None) as record:
        async with open_llm(f"openai:tree@{url}", record=record) as llm:
            await tree("mixed" if shape == "deep" else "deep", llm)  # connections are opened, libraries loaded
            began = time.perf_counter()
            calls = await tree(shape, llm)
            return time.perf_counter() - began, calls


def main() -> None:
    """Run the server and measure each shape."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=0.2)
    options.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    options.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve:
        serve(playing(reply_to), given.seconds)
        return
    with served(__file__, "--serve", "--seconds", str(given.seconds)) as url:
        for shape in given.shapes:
            path = critical_path(shape, given.seconds)
            took, calls = asyncio.run(wall_clock(shape, url))
            sys.stdout.write(
                f"{shape:6} {calls:4} calls: {took:.2f} s, critical path {path:.2f} s ({took / path:.2f} times), "
                f"serial {calls * given.seconds:.2f} s\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
