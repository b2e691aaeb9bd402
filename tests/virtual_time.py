"""An event loop in which waiting takes no time: minutes of rates and retries pass in milliseconds, always alike.

elapsed = run_virtually(job())   # loop.time() moved on by all that was waited for
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


class _Leaping(selectors.DefaultSelector):
    """Instead of waiting for a timer it leaps to it."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready now; if nothing is, it is as late as the next timer wants it."""
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:
            raise RuntimeError("everybody waits, and no timer is set")
        self.now += max(0.0, timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop with a clock of its own."""

    def __init__(self) -> None:
        """Begin at 0 seconds."""
        self._leaping = _Leaping()
        super().__init__(self._leaping)

    def time(self) -> float:
        """Return the virtual seconds."""
        return self._leaping.now


def run_virtually(job: Coroutine[object, object, T]) -> T:
    """Run a job in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(job)
