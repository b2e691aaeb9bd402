"""The gate of one endpoint: how many requests may be under way, and how fast they may start."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from astrolabe.llm.pace import LearnedPace, MinutePace
from astrolabe.store.http import WireError

LONGEST_WAIT_SECONDS: Final = 120.0
"""The longest wait that a server may ask for; above it the run stops instead."""
_SLOWER: Final = 2.0
"""Latency has stopped holding when it is this many times the best seen."""
_SMOOTHING: Final = 0.1
_HEAD_TOKENS: Final = 50
"""What a reply takes before its first token, as so many tokens' time: makes long and short replies comparable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an endpoint may be asked for.

    Attributes:
        concurrency: The most requests under way at once.
        start: How many it begins with.
        requests_per_minute: Null is without limit.
        tokens_per_minute: Prompt and reply together; null is without limit.
    """

    concurrency: int = 64
    start: int = 48
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None


@dataclass(frozen=True, slots=True)
class _Waiter:
    place: "asyncio.Future[float]"
    tokens: int


class Gate:
    """Lets requests through to one endpoint.

    The number that may be under way grows by one with each reply until the first sign of overload, then by one
    a round; it halves when the server says that it is overloaded, and stays where it is while replies take
    more than twice their best time. A server that refuses requests for their rate teaches the gate a pace.
    Waiters pass in order.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with the limits' start."""
        self.limits: Final = limits
        self.allowed: float = min(limits.start, limits.concurrency)
        self.under_way = 0
        self._clock = clock
        self._careful_from: float = limits.concurrency
        self._waiters: deque[_Waiter] = deque()
        self._pause_until = float("-inf")
        self._halved_at = float("-inf")
        self._seconds_a_token: float | None = None
        self._best_seconds_a_token: float | None = None
        self._learned = LearnedPace()
        self._requests = MinutePace(limits.requests_per_minute) if limits.requests_per_minute else None
        self._tokens = MinutePace(limits.tokens_per_minute) if limits.tokens_per_minute else None
        self._alarm: tuple[asyncio.AbstractEventLoop, asyncio.TimerHandle] | None = None

    @asynccontextmanager
    async def passage(self, tokens: int) -> AsyncGenerator[float]:
        """Wait for a place and for the pace, hold the place inside, and yield when it began.

        Args:
            tokens: What the request and its reply may take; counts only under a token rate.

        Raises:
            WireError: Whoever waited was sent away.
        """
        began = await self._enter(tokens)
        try:
            yield began
        finally:
            self.under_way -= 1
            self._wake()

    @property
    def counts_tokens(self) -> bool:
        """Whether `passage` needs to know a request's tokens."""
        return self._tokens is not None

    def replied(self, seconds: float, tokens: int) -> None:
        """Take note of a reply: how long it took and how many tokens it has; may let more through."""
        taken = seconds / (tokens + _HEAD_TOKENS)
        known = self._seconds_a_token
        known = self._seconds_a_token = taken if known is None else known + _SMOOTHING * (taken - known)
        self._best_seconds_a_token = min(self._best_seconds_a_token or known, known)
        if known <= _SLOWER * self._best_seconds_a_token:
            # Where a pace is known, it is what spares the server, and the number may grow fast again.
            fast = self.allowed < self._careful_from or not self._learned.is_free
            self.allowed = min(self.allowed + (1.0 if fast else 1.0 / self.allowed), self.limits.concurrency)
            self._wake()

    def overloaded(self, began: float, pause_seconds: float | None) -> None:
        """Take note that the server has too much to do: halve, and let nobody start before the pause ends.

        Requests that were under way at a halving say nothing new, so they halve nothing again.

        Args:
            began: What `passage` yielded to the request.
            pause_seconds: How long the server asks to wait; null where it does not say.
        """
        now = self._clock()
        self._pause_until = max(self._pause_until, now + (pause_seconds or 0.0))
        if began >= self._halved_at:
            self._halved_at = now
            self.allowed = max(1.0, self.allowed / 2)
            self._careful_from = self.allowed

    def refused(self, began: float, pause_seconds: float | None) -> None:
        """Take note that requests come too fast: halve and learn the pace, and let nobody start before the pause ends.

        Args:
            began: What `passage` yielded to the request.
            pause_seconds: How long the server asks to wait; null where it does not say.
        """
        now = self._clock()
        self._pause_until = max(self._pause_until, now + (pause_seconds or 0.0))
        was_free = self._learned.is_free
        self._learned.refused(began, now, pause_seconds or 0.0)
        if was_free and not self._learned.is_free:
            self.allowed = max(1.0, self.allowed / 2)

    def unsent(self, began: float) -> None:
        """Take back a start: the request was stopped before it was sent, and costs the next ones no time."""
        self._learned.unsent(began)

    def send_away(self, error: WireError) -> None:
        """Send all who wait away with an error: the server asks for a longer wait than anybody should sit out here."""
        while self._waiters:
            place = self._waiters.popleft().place
            if not place.done():
                place.set_exception(error)

    async def _enter(self, tokens: int) -> float:
        if not self._waiters and self.under_way < int(self.allowed):
            now = self._clock()
            if self._wait(now) <= 0:
                return self._start(now, tokens)
        waiter = _Waiter(asyncio.get_running_loop().create_future(), tokens)
        self._waiters.append(waiter)
        self._wake()
        try:
            return await waiter.place
        except asyncio.CancelledError:
            if waiter in self._waiters:
                self._waiters.remove(waiter)
            elif not waiter.place.cancelled():
                self.under_way -= 1
            self._wake()
            raise

    def _start(self, now: float, tokens: int) -> float:
        self.under_way += 1
        self._learned.started(now)
        if self._requests is not None:
            self._requests.started(now, 1)
        if self._tokens is not None:
            self._tokens.started(now, tokens)
        return now

    def _wait(self, now: float) -> float:
        """Return the seconds until the next may start; nothing or less where it may start now."""
        wait = max(self._pause_until - now, self._learned.wait(now))
        if self._requests is not None:
            wait = max(wait, self._requests.wait(now))
        if self._tokens is not None:
            wait = max(wait, self._tokens.wait(now))
        return wait

    def _wake(self) -> None:
        """Let as many waiters through as there are places, and come back when the next one's time has come."""
        while self._waiters and self.under_way < int(self.allowed):
            waiter = self._waiters[0]
            now = self._clock()
            if not waiter.place.done() and (wait := self._wait(now)) > 0:
                self._wake_in(wait, waiter.place.get_loop())
                return
            self._waiters.popleft()
            if not waiter.place.done():
                waiter.place.set_result(self._start(now, waiter.tokens))

    def _wake_in(self, seconds: float, loop: asyncio.AbstractEventLoop) -> None:
        """Set the alarm of the waiters' loop, the only one that runs: what an ended one had set never rings."""
        if self._alarm is not None and self._alarm[0] is loop:
            self._alarm[1].cancel()
        self._alarm = (loop, loop.call_later(seconds, self._wake))
