"""A provider that plays a script in memory, and prompts to ask it with."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from astrolabe.core.prompt import Message, Prompt
from astrolabe.core.records import Usage
from astrolabe.llm.provider import RawReply, Request


class Topics(BaseModel):
    """The reply type of the tests: one list, and a reason that may be missing."""

    topics: list[str]
    reason: str = ""


def asks(text: str = "Which topics?", *, name: str = "topics.v1", max_tokens: int = 100) -> Prompt[Topics]:
    """Return a prompt for topics."""
    turns = (Message(role="system", content="You list topics."), Message(role="user", content=text))
    return Prompt(name=name, stage="answer.topics", messages=turns, reply=Topics, max_tokens=max_tokens)


def asks_text(text: str = "Why?") -> Prompt[str]:
    """Return a prompt for plain text."""
    turns = (Message(role="user", content=text),)
    return Prompt(name="why.v1", stage="answer.write", messages=turns, reply=str, max_tokens=50)


def says(text: str, finish: str = "stop") -> RawReply:
    """Return a reply of 100 prompt and 10 completion tokens that took a second."""
    usage = Usage(calls=1, prompt_tokens=100, completion_tokens=10, usd=None, seconds=1.0)
    return RawReply(text=text, finish=finish, usage=usage)


@dataclass(slots=True)
class Plays:
    """A provider that returns or raises what it is given, in order; the last repeats."""

    script: Sequence[RawReply | Exception]
    seconds: float = 0.0
    id: str = "played chat"
    requests: list[Request] = field(default_factory=list[Request])
    under_way: int = 0
    most_at_once: int = 0
    closed: int = 0

    async def complete(self, request: Request) -> RawReply:
        line = self.script[min(len(self.requests), len(self.script) - 1)]
        self.requests.append(request)
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.under_way -= 1
        if isinstance(line, Exception):
            raise line
        return line

    async def aclose(self) -> None:
        self.closed += 1
