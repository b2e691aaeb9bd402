import asyncio
import time

import pytest

from astrolabe.core.errors import ModelError
from astrolabe.llm.gate import Gate, Limits
from astrolabe.llm.limited import Limited
from astrolabe.llm.provider import Request
from astrolabe.parts.ask_all import ask_all
from astrolabe.store.http import WireError
from tests.providers import Plays, asks, says

REQUEST = Request.of(asks())


async def _all(limited: Limited, number: int) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(number):
            group.create_task(limited.complete(REQUEST))


async def test_never_more_under_way_than_allowed() -> None:
    provider = Plays([says("x")], seconds=0.005)

    await _all(Limited(provider, Gate(Limits(concurrency=4, start=4))), 40)

    assert provider.most_at_once == 4
    assert len(provider.requests) == 40


async def test_it_begins_small_and_grows_while_latency_holds() -> None:
    provider = Plays([says("x")], seconds=0.005)
    gate = Gate(Limits(concurrency=16, start=2))

    await _all(Limited(provider, gate), 100)

    assert gate.allowed == 16
    assert provider.most_at_once == 16


def test_it_does_not_grow_when_replies_take_more_than_twice_as_long() -> None:
    gate = Gate(Limits(concurrency=64, start=4))
    gate.replied(1.0, 50)
    before = gate.allowed

    for _ in range(50):
        gate.replied(3.0, 50)
    slow = gate.allowed
    for _ in range(50):
        gate.replied(1.0, 50)

    assert before == 5
    assert slow < before + 10
    assert gate.allowed > slow


def test_overload_halves_once_for_all_that_were_under_way() -> None:
    now = 100.0
    gate = Gate(Limits(concurrency=64, start=64), clock=lambda: now)

    now = 101.0
    for _ in range(64):
        gate.overloaded(100.0, None)
    once = gate.allowed
    gate.overloaded(101.5, None)

    assert once == 32
    assert gate.allowed == 16


def test_after_an_overload_it_grows_by_one_a_round() -> None:
    gate = Gate(Limits(concurrency=64, start=32))
    gate.overloaded(time.monotonic(), None)

    for _ in range(16):
        gate.replied(1.0, 50)

    assert gate.allowed == pytest.approx(17, abs=0.1)


async def test_while_one_waits_as_told_all_others_wait_too() -> None:
    gate = Gate(Limits(concurrency=8, start=8))
    busy = Limited(Plays([_wire(429, wait_seconds=0.15)]), gate)
    free = Plays([says("x")])
    with pytest.raises(WireError):
        await busy.complete(REQUEST)
    started = time.monotonic()

    await Limited(free, gate).complete(REQUEST)

    assert time.monotonic() - started >= 0.14


async def test_a_request_larger_than_a_minutes_tokens_still_passes() -> None:
    async with Gate(Limits(tokens_per_minute=1000)).passage(5000):
        pass


async def test_a_place_is_given_back_by_failures_and_by_cancelled_waiters() -> None:
    gate = Gate(Limits(concurrency=1, start=1))
    failing = Limited(Plays([ModelError("failed", "no")], seconds=0.01), gate)
    slow = Limited(Plays([says("x")], seconds=0.05), gate)

    with pytest.raises(ModelError):
        await failing.complete(REQUEST)
    holder = asyncio.create_task(slow.complete(REQUEST))
    waiter = asyncio.create_task(slow.complete(REQUEST))
    await asyncio.sleep(0.01)
    waiter.cancel()
    await holder
    async with asyncio.timeout(1):
        await slow.complete(REQUEST)

    assert gate.under_way == 0


# H3
async def test_a_hundred_failures_hold_no_place() -> None:
    gate = Gate(Limits(concurrency=8, start=8))
    failing = Limited(Plays([ModelError("failed", "no")]), gate)

    outcomes = await ask_all(range(100), lambda _: failing.complete(REQUEST))

    assert all(isinstance(outcome, ModelError) for outcome in outcomes)
    assert gate.under_way == 0
    async with asyncio.timeout(1):
        await Limited(Plays([says("x")]), gate).complete(REQUEST)


async def test_a_waiter_cancelled_just_as_it_gets_its_place_gives_it_back() -> None:
    gate = Gate(Limits(concurrency=1, start=1))
    async with gate.passage(0):
        waiter = asyncio.create_task(Limited(Plays([says("x")]), gate).complete(REQUEST))
        await asyncio.sleep(0)
    waiter.cancel()
    await asyncio.wait([waiter])

    assert waiter.cancelled()
    assert gate.under_way == 0


def test_one_gate_serves_two_loops_one_after_the_other() -> None:
    gate = Gate(Limits(concurrency=2, start=1, requests_per_minute=6000))
    limited = Limited(Plays([says("x")], seconds=0.001), gate)

    asyncio.run(_all(limited, 5))
    asyncio.run(_all(limited, 5))

    assert gate.under_way == 0


def _wire(status: int, wait_seconds: float | None = None) -> WireError:
    return WireError("status", "slow down", address="http://here", status=status, wait_seconds=wait_seconds)
