"""A server that allows so many requests a second, as a provider in the loop's own time."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from astrolabe.core.records import Usage
from astrolabe.llm.provider import RawReply, Request
from astrolabe.store.http import WireError

Allows = Callable[[float], bool]
"""Told the time of a request, whether it is served."""


def bucket(a_second: float, capacity: float) -> Allows:
    """A bucket of tokens: one a request, filled again at so many a second, full at first."""
    level, at = capacity, 0.0

    def allows(now: float) -> bool:
        """Take a token where there is one."""
        nonlocal level, at
        level, at = min(capacity, level + (now - at) * a_second), now
        if level < 1:
            return False
        level -= 1
        return True

    return allows


def window(most: int, seconds: float = 1.0) -> Allows:
    """So many in each window of the clock."""
    current, used = -1.0, 0

    def allows(now: float) -> bool:
        """Count within the window."""
        nonlocal current, used
        current, used = (now // seconds, used) if now // seconds == current else (now // seconds, 0)
        used += used < most or most  # beyond the limit it stays beyond
        return used <= most

    return allows


@dataclass(slots=True, kw_only=True)
class RateServer:
    """A provider behind a rate; its clock is the loop's."""

    allows: Allows
    latency_seconds: float = 0.3
    jitter_seconds: float = 0.006
    wait_seconds: float | None = None
    id: str = "rate"
    seen: list[tuple[float, bool]] = field(default_factory=list[tuple[float, bool]])
    chance: random.Random = field(default_factory=lambda: random.Random(7))  # noqa: S311 - delays, not secrets

    async def complete(self, request: Request) -> RawReply:  # noqa: ARG002 - every request is alike
        """Answer within half to one and a half of the latency, or refuse at once."""
        await asyncio.sleep(0.002 + self.jitter_seconds * self.chance.random())
        served = self.allows(now := asyncio.get_running_loop().time())
        self.seen.append((now, served))
        if not served:
            raise WireError("status", "too many", address="here", status=429, wait_seconds=self.wait_seconds)
        seconds = self.latency_seconds * (0.5 + self.chance.random())
        await asyncio.sleep(seconds)
        return RawReply(text="Yes.", usage=Usage(calls=1, completion_tokens=10, seconds=seconds))

    async def aclose(self) -> None:
        """Nothing to close."""

    def refused_share(self, begin: float, end: float) -> float:
        """Return the share of the requests of that time that were refused."""
        lately = [served for now, served in self.seen if begin <= now < end]
        return 1 - sum(lately) / len(lately)

    def served_a_second(self, begin: float, end: float) -> float:
        """Return how many were served a second in that time."""
        return sum(served for now, served in self.seen if begin <= now < end) / (end - begin)
