"""Being told to stop: what was sent may still come back and be recorded, and nothing new is sent."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_heard: ContextVar["Halt | None"] = ContextVar("halt", default=None)


@dataclass(slots=True)
class Halt:
    """Whether a command was told to stop, how many outcomes are waited for, and how many of them will not come."""

    told: bool = False
    asked: int = 0
    held: int = 0

    @property
    def expected(self) -> int:
        """How many replies are on their way or being recorded."""
        return self.asked - self.held


@contextmanager
def hearing() -> Generator[Halt]:
    """Let everything that is asked inside, in child tasks too, hear of one halt."""
    halt = Halt()
    token = _heard.set(halt)
    try:
        yield halt
    finally:
        _heard.reset(token)


@contextmanager
def asking() -> Generator[None]:
    """Count an outcome that is worth waiting for, from before it is asked for until it is recorded."""
    halt = _heard.get() or Halt()
    halt.asked += 1
    try:
        yield
    finally:
        halt.asked -= 1


async def hold_if_halted(*, asked: bool = True) -> None:
    """Go on, unless the command was told to stop: then wait until the one who waits is cancelled.

    It waits rather than raising: an error here would end siblings whose replies are on their way.

    Args:
        asked: Whether the caller stands inside `asking`, whose outcome then will not come.
    """
    halt = _heard.get()
    if halt is None or not halt.told:
        return
    halt.held += asked
    try:
        await asyncio.get_running_loop().create_future()
    finally:
        halt.held -= asked
