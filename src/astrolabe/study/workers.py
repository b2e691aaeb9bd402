"""Doing many tasks a few at a time: what is done is kept at once, and a stop loses nothing that was paid for."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

from astrolabe.core.errors import CannotWrite, Stopped, UserError
from astrolabe.store.halt import hold_if_halted
from astrolabe.study.faults import first_of
from astrolabe.study.progress import Progress

T = TypeVar("T")
R = TypeVar("R")
AHEAD: Final = 4
"""For so many requests one task more is under way: while some wait, others are prepared, read and kept."""


async def work_through(
    tasks: Sequence[T],
    do: Callable[[T], Awaitable[R]],
    keep: Callable[[Sequence[R]], None],
    *,
    requests: int,
    progress: Progress,
) -> str | None:
    """Do every task and keep each outcome as soon as the disk is free.

    Args:
        tasks: In the order in which they are begun.
        do: Does one.
        keep: Takes outcomes, one or more; called in a thread, never twice at a time.
        requests: How many requests may be under way at once; the limiter of the model holds them to it.
        progress: Hears of each task that is done.

    Returns:
        Why it ended early, and how many are done and left; else null. What was under way is finished and kept.

    Raises:
        UserError: A task or `keep` raised it; the others are given up.
    """
    queue = iter(tasks)
    reasons: list[str] = []
    keeper = _Keeper(keep)

    async def worker() -> None:
        """Take tasks until there are none, or something has stopped the work."""
        for task in queue:
            await hold_if_halted(asked=False)
            try:
                outcome = await do(task)
            except (Stopped, CannotWrite) as stopped:
                reasons.append(str(stopped))
            else:
                keeper.take(outcome)
                progress.step()
            if reasons or keeper.fault:
                return

    async def work() -> None:
        """Run the workers, then let the keeper end."""
        async with asyncio.TaskGroup() as group:
            for _ in range(min(requests + requests // AHEAD, len(tasks))):
                group.create_task(worker())
        keeper.end()

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(work())
            group.create_task(keeper.run())
    except* UserError as faults:
        raise first_of(faults) from None
    finally:
        progress.end()
    if keeper.fault:
        reasons.append(str(keeper.fault))
    left = len(tasks) - keeper.kept
    return f"{keeper.kept} of {len(tasks)} done, {left} left: {reasons[0]}" if reasons else None


class _Keeper(Generic[R]):
    """Keeps outcomes: while some go to the disk, the next ones gather, so that a slow disk holds up no request.

    `kept` of them are on the disk; `fault` is why others are not, or null.
    """

    def __init__(self, keep: Callable[[Sequence[R]], None]) -> None:
        """Take what keeps outcomes."""
        self.kept = 0
        self.fault: CannotWrite | None = None
        self._keep = keep
        self._gathered: list[R] = []
        self._called = asyncio.Event()
        self._over = False

    def take(self, outcome: R) -> None:
        """Gather an outcome."""
        self._gathered.append(outcome)
        self._called.set()

    def end(self) -> None:
        """Let `run` end once everything is kept."""
        self._over = True
        self._called.set()

    async def run(self) -> None:
        """Keep what gathers, until the end; where it is given up, what has gathered is kept first."""
        try:
            while self._gathered or not self._over:
                await self._called.wait()
                self._called.clear()
                await self._keep_gathered()
        finally:
            if self._gathered:
                self._write(self._gathered)

    async def _keep_gathered(self) -> None:
        batch, self._gathered = self._gathered, []
        if not batch:
            return
        kept = asyncio.ensure_future(asyncio.to_thread(self._write, batch))
        try:
            await asyncio.shield(kept)
        except asyncio.CancelledError:
            await asyncio.wait([kept])  # what is being written is written, and nothing else meanwhile
            raise

    def _write(self, batch: Sequence[R]) -> None:
        try:
            self._keep(batch)
        except CannotWrite as fault:
            self.fault = self.fault or fault
        else:
            self.kept += len(batch)
