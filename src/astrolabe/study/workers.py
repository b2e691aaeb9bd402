"""Doing many tasks a few at a time: what is done is kept at once, and a stop loses nothing that was paid for."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from astrolabe.core.errors import Stopped, UserError
from astrolabe.study.faults import first_of
from astrolabe.study.progress import Progress

T = TypeVar("T")
R = TypeVar("R")
AHEAD: Final = 4
"""For so many requests one task more is under way: while some wait, others are prepared, read and kept."""


async def work_through(
    tasks: Sequence[T],
    do: Callable[[T], Awaitable[R]],
    keep: Callable[[R], None],
    *,
    requests: int,
    progress: Progress,
) -> str | None:
    """Do every task and keep each outcome as soon as it is there.

    Args:
        tasks: In the order in which they are begun.
        do: Does one.
        keep: Takes an outcome.
        requests: How many requests may be under way at once; the limiter of the model holds them to it.
        progress: Hears of each task that is done.

    Returns:
        Why it ended early (a budget, the provider), or null. What was under way is finished and kept.

    Raises:
        UserError: A task raised it; the others are given up.
    """
    queue = iter(tasks)
    reasons: list[str] = []

    async def worker() -> None:
        """Take tasks until there are none, or something has stopped the work."""
        for task in queue:
            try:
                outcome = await do(task)
            except Stopped as stopped:
                reasons.append(str(stopped))
            else:
                keep(outcome)
                progress.step()
            if reasons:
                return

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(requests + requests // AHEAD, len(tasks))):
                group.create_task(worker())
    except* UserError as faults:
        raise first_of(faults) from None
    finally:
        progress.end()
    return reasons[0] if reasons else None
