"""From the options of a command to what the study needs."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import click

from astrolabe.cli.options import Common
from astrolabe.store.halt import Halt, hearing
from astrolabe.study.models import Asking, asking_with
from astrolabe.study.study import Study, open_study

T = TypeVar("T")


LAST_REPLIES_SECONDS: Final = 1.2
"""How long replies that are on their way may take after Ctrl-C: what was paid for is recorded, if it comes soon."""
_SETTLE_SECONDS: Final = 0.15
"""How long the work may take to keep the last of them, once no more will come."""
_LOOK_SECONDS: Final = 0.01


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's coroutine on the one loop of this process.

    At the first Ctrl-C nothing new is asked, the replies that come within `LAST_REPLIES_SECONDS` are still recorded,
    then the work is cancelled; at the second it is cancelled at once.

    Raises:
        KeyboardInterrupt: It was interrupted.
    """
    with hearing() as halt:
        done = asyncio.run(_until_told(work, halt))
    if not done:
        raise KeyboardInterrupt
    return done[0]


async def _until_told(work: Coroutine[Any, Any, T], halt: Halt) -> tuple[T] | None:
    """Return what the work returns, or null where Ctrl-C ended it."""
    loop = asyncio.get_running_loop()
    task = loop.create_task(work)
    ending: list[asyncio.Task[None]] = []

    def pressed() -> None:
        """Hear the first Ctrl-C; the second one ends everything, as Python does."""
        if halt.told:
            raise KeyboardInterrupt
        halt.told = True
        loop.call_soon_threadsafe(lambda: ending.append(loop.create_task(_end_soon(task, halt))))

    with _on_ctrl_c(pressed):
        try:
            done = await task
        except asyncio.CancelledError:
            if halt.told:
                return None
            raise
    return None if halt.told else (done,)


async def _end_soon(task: "asyncio.Task[Any]", halt: Halt) -> None:
    """Cancel a task once no more replies are on their way, and its time is over at the latest."""
    loop = asyncio.get_running_loop()
    last = loop.time() + LAST_REPLIES_SECONDS
    settled = loop.time() + _SETTLE_SECONDS
    while not task.done() and loop.time() < min(last, settled):
        if halt.expected > 0:
            settled = loop.time() + _SETTLE_SECONDS
        await asyncio.sleep(_LOOK_SECONDS)
    task.cancel()


@contextmanager
def _on_ctrl_c(pressed: Callable[[], None]) -> Generator[None]:
    """Call a function at every Ctrl-C in place of what is called now; nothing changes outside the main thread."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, lambda _number, _frame: pressed())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def asking_of(common: Common, **spelled: str | None) -> Asking:
    """Return how models are asked: the options, and the spelled models that replace those of the settings."""
    return asking_with(calls=common.calls, budget=common.budget, **spelled)


def study_of(common: Common) -> Study:
    """Return the study that the options name, with the seed that they may replace."""
    return open_study(common.study, seed=common.seed)


def split_names(names: Sequence[str]) -> list[str]:
    """Return names given by repeated options or with commas between them (outside brackets)."""
    found: list[str] = []
    for text in names:
        depth, start = 0, 0
        for place, character in enumerate(f"{text},"):
            depth += (character == "(") - (character == ")")
            if character == "," and depth == 0:
                found.append(text[start:place].strip())
                start = place + 1
    return [name for name in found if name]


answer_option = click.option("--answer", metavar="MODEL", help="The model that answers, spelled provider:name.")
judge_option = click.option("--judge", metavar="MODEL", help="The model that judges, spelled provider:name.")
embed_option = click.option("--embed", metavar="MODEL", help="The embedding model, spelled provider:name.")
