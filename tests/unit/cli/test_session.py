"""One loop a command, and what Ctrl-C does to it."""

import asyncio
import signal
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from astrolabe.cli.session import run_loop
from astrolabe.store.halt import asking, hold_if_halted


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def interrupted(work: Coroutine[Any, Any, object]) -> float:
    """Run what presses Ctrl-C; return how many seconds it took to end."""
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_loop(work)
    return time.monotonic() - started


def test_undisturbed_work_returns_what_it_returns() -> None:
    async def work() -> int:
        await hold_if_halted()
        with asking():
            return 7

    before = signal.getsignal(signal.SIGINT)

    assert run_loop(work()) == 7
    assert signal.getsignal(signal.SIGINT) is before


def test_a_reply_that_is_on_its_way_is_recorded_and_nothing_new_is_asked() -> None:
    happened: list[str] = []

    async def ask(name: str, seconds: float) -> None:
        with asking():
            await hold_if_halted()
            happened.append(f"sent {name}")
            await asyncio.sleep(seconds)
            happened.append(f"recorded {name}")

    async def work() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(ask("first", 0.4))
            group.create_task(ask("second", 60))
            await asyncio.sleep(0.05)
            press()
            group.create_task(ask("third", 0.0))

    interrupted(work())

    assert happened == ["sent first", "sent second", "recorded first"]


def test_the_end_does_not_wait_for_calls_that_are_held() -> None:
    async def work() -> None:
        press()
        with asking():
            await hold_if_halted()

    assert interrupted(work()) < 1.0


def test_work_that_ends_by_itself_meanwhile_is_interrupted_all_the_same() -> None:
    kept: list[str] = []

    async def work() -> None:
        press()
        await asyncio.sleep(0.02)
        kept.append("done")

    interrupted(work())

    assert kept == ["done"]


def test_a_second_ctrl_c_ends_at_once_and_cleanly() -> None:
    happened: list[str] = []

    async def work() -> None:
        try:
            with asking():
                asyncio.get_running_loop().call_later(0.05, press)
                asyncio.get_running_loop().call_later(0.10, press)
                await asyncio.sleep(60)
                happened.append("recorded")
        finally:
            happened.append("closed")

    assert interrupted(work()) < 1.0
    assert happened == ["closed"]


def test_a_fault_of_the_work_is_raised_as_it_is() -> None:
    async def work() -> None:
        raise ValueError("a fault")

    with pytest.raises(ValueError, match="a fault"):
        run_loop(work())
