"""Asking about many things at once, where one that fails stops no other."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar, cast

from astrolabe.core.errors import ModelError

A = TypeVar("A")
B = TypeVar("B")
AT_ONCE: Final = 128
"""How many are under way at the same time: above what an endpoint takes, so that it is never waited for."""


async def ask_all(
    things: Sequence[A], ask: Callable[[A], Awaitable[B]], *, at_once: int = AT_ONCE
) -> list[B | ModelError]:
    """Return what `ask` says of each thing, in their order; a `ModelError` stands for itself.

    Any other error ends the rest, as in a task group.
    """
    outcomes: list[B | ModelError | None] = [None] * len(things)
    open_places = iter(range(len(things)))

    async def work() -> None:
        """Ask about the next thing until there is none."""
        for place in open_places:
            try:
                outcomes[place] = await ask(things[place])
            except ModelError as error:
                outcomes[place] = error

    async with asyncio.TaskGroup() as group:
        for _ in range(min(at_once, len(things))):
            group.create_task(work())
    return cast("list[B | ModelError]", outcomes)
