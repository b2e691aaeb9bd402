"""The gate of one endpoint: how many requests may be under way, and how many may start in a minute."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from aiolimiter import AsyncLimiter

_SLOWER: Final = 2.0
"""Latency has stopped holding when it is this many times the best seen."""
_SMOOTHING: Final = 0.1
_HEAD_TOKENS: Final = 50
"""What a reply takes before its first token, as so many tokens' time: makes long and short replies comparable."""
_MINUTE: Final = 60.0


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


class Gate:
    """Lets requests through to one endpoint.

    The number that may be under way grows by one with each reply until the first sign of overload, then by one
    a round; it halves when the server says that it is overloaded, and stays where it is while replies take
    more than twice their best time. Waiters pass in order.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with the limits' start."""
        self.limits: Final = limits
        self.allowed: float = min(limits.start, limits.concurrency)
        self.under_way = 0
        self._clock = clock
        self._careful_from: float = limits.concurrency
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._pause_until = 0.0
        self._halved_at = float("-inf")
        self._pace: float | None = None
        self._best_pace: float | None = None
        self._rates: tuple[asyncio.AbstractEventLoop, AsyncLimiter | None, AsyncLimiter | None] | None = None

    @asynccontextmanager
    async def passage(self, tokens: int) -> AsyncGenerator[float]:
        """Wait for a place and for the rates, hold the place inside, and yield when it began.

        Args:
            tokens: What the request and its reply may take; counts only under a token rate.
        """
        await self._enter()
        try:
            await self._wait_for_rates(tokens)
            yield self._clock()
        finally:
            self.under_way -= 1
            self._wake()

    @property
    def counts_tokens(self) -> bool:
        """Whether `passage` needs to know a request's tokens."""
        return self.limits.tokens_per_minute is not None

    def replied(self, seconds: float, tokens: int) -> None:
        """Take note of a reply: how long it took and how many tokens it has; may let more through."""
        pace = seconds / (tokens + _HEAD_TOKENS)
        self._pace = pace if self._pace is None else self._pace + _SMOOTHING * (pace - self._pace)
        self._best_pace = min(self._best_pace or self._pace, self._pace)
        if self._pace <= _SLOWER * self._best_pace:
            step = 1.0 if self.allowed < self._careful_from else 1.0 / self.allowed
            self.allowed = min(self.allowed + step, self.limits.concurrency)
            self._wake()

    def overloaded(self, began: float, pause_seconds: float | None) -> None:
        """Take note of a 429 or 503: halve, and let nobody start before the pause ends.

        Requests that were under way at a halving say nothing new, so they halve nothing again.

        Args:
            began: What `passage` yielded to the request.
            pause_seconds: How long the server asks to wait; null where it does not say.
        """
        now = self._clock()
        if pause_seconds:
            self._pause_until = max(self._pause_until, now + pause_seconds)
        if began >= self._halved_at:
            self._halved_at = now
            self.allowed = max(1.0, self.allowed / 2)
            self._careful_from = self.allowed

    async def _enter(self) -> None:
        if self.under_way < int(self.allowed) and not self._waiters:
            self.under_way += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place in self._waiters:
                self._waiters.remove(place)
            else:
                self.under_way -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while self._waiters and self.under_way < int(self.allowed):
            place = self._waiters.popleft()
            self.under_way += 1
            if not place.done():
                place.set_result(None)

    async def _wait_for_rates(self, tokens: int) -> None:
        requests, volume = self._limiters()
        if requests is not None:
            await requests.acquire()
        if volume is not None:
            await volume.acquire(min(tokens, volume.max_rate))
        while (pause := self._pause_until - self._clock()) > 0:  # noqa: ASYNC110  a pause may grow while it is waited for
            await asyncio.sleep(pause)

    def _limiters(self) -> "tuple[AsyncLimiter | None, AsyncLimiter | None]":
        """Return this loop's limiters: aiolimiter's belong to one loop."""
        if self.limits.requests_per_minute is None and self.limits.tokens_per_minute is None:
            return None, None
        loop = asyncio.get_running_loop()
        if self._rates is None or self._rates[0] is not loop:
            self._rates = (loop, _spread(self.limits.requests_per_minute), _minutely(self.limits.tokens_per_minute))
        return self._rates[1], self._rates[2]


def _spread(a_minute: float | None) -> "AsyncLimiter | None":
    """Return a limiter that spreads a minute's requests over its seconds, for servers count in seconds, too."""
    from aiolimiter import AsyncLimiter

    return None if a_minute is None else AsyncLimiter(max(1.0, a_minute / _MINUTE), max(1.0, _MINUTE / a_minute))


def _minutely(a_minute: float | None) -> "AsyncLimiter | None":
    from aiolimiter import AsyncLimiter

    return None if a_minute is None else AsyncLimiter(a_minute, _MINUTE)
