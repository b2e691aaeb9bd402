import asyncio
import random
from collections.abc import Callable

import pytest

from astrolabe.core.errors import Stopped
from astrolabe.llm.gate import Gate, Limits
from astrolabe.llm.limited import Limited
from astrolabe.llm.pace import LearnedPace
from astrolabe.llm.provider import Provider, Request
from astrolabe.llm.retried import Retried
from astrolabe.store.http import WireError
from tests.providers import Plays, asks, says
from tests.rate_server import Allows, RateServer, bucket, window
from tests.virtual_time import run_virtually

REQUEST = Request.of(asks())


def everything(now: float) -> bool:
    del now
    return True


def then(first: Allows, second: Allows, *, at: float) -> Allows:
    return lambda now: first(now) if now < at else second(now)


def played(server: RateServer, *, seconds: float, limits: Limits | None = None, workers: int = 80) -> Gate:
    """Ask a server for some time through the gate and the retries, all in virtual time."""

    async def job() -> Gate:
        loop = asyncio.get_running_loop()
        gate = Gate(limits or Limits(), loop.time)
        asked = Retried(Limited(server, gate))

        async def worker() -> None:
            while loop.time() < seconds:
                await asked.complete(REQUEST)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        return gate

    random.seed(1)  # of the waits before a retry
    return run_virtually(job())


@pytest.mark.parametrize("latency_seconds", [0.05, 0.3, 4.0])
@pytest.mark.parametrize("wait_seconds", [None, 1.0])
@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(lambda: bucket(10, 10), id="a bucket of 10"),
        pytest.param(lambda: bucket(10, 50), id="a bucket of 50"),
        pytest.param(lambda: window(10), id="10 in each second"),
    ],
)
def test_a_servers_rate_is_learned_within_ten_seconds_and_then_used(
    limit: Callable[[], Allows], wait_seconds: float | None, latency_seconds: float
) -> None:
    server = RateServer(allows=limit(), latency_seconds=latency_seconds, wait_seconds=wait_seconds)

    played(server, seconds=70)  # raises if any request is given up

    assert server.refused_share(10, 70) <= 0.05
    assert server.served_a_second(10, 70) >= 9


def test_a_faster_rate_is_learned_alike() -> None:
    server = RateServer(allows=bucket(100, 100), latency_seconds=0.3)

    played(server, seconds=40)

    assert server.refused_share(10, 40) <= 0.01
    assert server.served_a_second(10, 40) >= 95


@pytest.mark.parametrize(("first", "second"), [(20, 10), (10, 20)])
def test_a_rate_that_changes_is_found_again(first: int, second: int) -> None:
    server = RateServer(allows=then(window(first), window(second), at=60))

    played(server, seconds=210)

    assert server.served_a_second(30, 60) >= 0.9 * first
    assert server.served_a_second(180, 210) >= 0.9 * second
    assert server.refused_share(180, 210) <= 0.05


def test_a_minute_that_is_used_up_is_waited_for_without_giving_anything_up() -> None:
    server = RateServer(allows=window(600, 60), latency_seconds=1.0)

    played(server, seconds=300)

    assert server.served_a_second(0, 300) >= 9


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
def test_refusals_that_have_nothing_to_do_with_the_pace_do_not_slow_everything_down(share: float) -> None:
    chance = random.Random(4)  # noqa: S311 - faults, not secrets
    server = RateServer(allows=lambda _: chance.random() > share)

    played(server, seconds=40)

    most = (1 - share) * 64 / 0.3
    assert server.served_a_second(15, 40) >= 0.6 * most


def test_a_server_without_a_limit_is_never_paced() -> None:
    server = RateServer(allows=everything, latency_seconds=0.2)

    gate = played(server, seconds=30)

    assert gate.allowed == 64
    assert server.served_a_second(5, 30) >= 0.95 * 64 / 0.2


def test_a_pace_is_forgotten_when_nothing_was_refused_for_long() -> None:
    pace = LearnedPace()
    for _ in range(4):
        pace.started(0.0)
    for _ in range(3):
        pace.refused(0.0, 0.0, 0.0)
    learning = pace.wait(0.5)
    pace.wait(1.0)
    known = pace.rate(1.0)
    pace.wait(62.0)

    assert learning == 0.5
    assert known is not None
    assert pace.rate(62.0) is None
    assert pace.is_free


def test_a_pace_does_not_grow_while_nobody_asks_for_it() -> None:
    pace = LearnedPace()
    for start in range(10):
        pace.started(start / 100)
    for _ in range(3):
        pace.started(0.2)
        pace.refused(0.2, 0.2, 0.0)
    pace.wait(1.2)
    for start in range(2, 50):
        pace.started(float(start))  # one a second, where ten would be accepted

    assert pace.rate(50.0) == pytest.approx(10, rel=0.06)


@pytest.mark.parametrize(("a_minute", "seconds"), [(30, 240), (600, 130), (2999, 65)])
def test_no_minute_has_more_requests_than_are_allowed_and_hardly_fewer(a_minute: int, seconds: int) -> None:
    server = RateServer(allows=everything, latency_seconds=0.1, jitter_seconds=0.0)

    played(server, seconds=seconds, limits=Limits(requests_per_minute=a_minute), workers=24)

    assert _fullest_minute([(now, 1) for now, _ in server.seen]) <= a_minute
    assert server.served_a_second(0, seconds) >= 0.97 * a_minute / 60


def test_no_minute_has_more_tokens_than_are_allowed() -> None:
    starts: list[tuple[float, int]] = []
    sizes = random.Random(3)  # noqa: S311 - sizes, not secrets

    async def job() -> None:
        loop = asyncio.get_running_loop()
        gate = Gate(Limits(tokens_per_minute=60_000), loop.time)

        async def ask(tokens: int) -> None:
            async with gate.passage(tokens) as began:
                starts.append((began, tokens))
                await asyncio.sleep(1)

        async with asyncio.TaskGroup() as group:
            for _ in range(300):
                group.create_task(ask(sizes.randint(50, 3000)))

    run_virtually(job())

    assert _fullest_minute(starts) <= 60_000
    assert sum(tokens for _, tokens in starts) / starts[-1][0] >= 0.94 * 1000


def test_a_wait_of_a_day_is_told_to_all_who_wait_at_once() -> None:
    day = WireError("status", "come back tomorrow", address="here", status=429, wait_seconds=86_400)
    provider = Plays([says("x"), day], seconds=0.1)

    async def job() -> tuple[list[BaseException | None], float]:
        loop = asyncio.get_running_loop()
        asked = Retried(Limited(provider, Gate(Limits(concurrency=2), loop.time)))
        calls = [asyncio.create_task(asked.complete(REQUEST)) for _ in range(50)]
        await asyncio.wait(calls)
        return [call.exception() for call in calls], loop.time()

    outcomes, took = run_virtually(job())
    stopped = [outcome for outcome in outcomes if isinstance(outcome, Stopped)]

    assert len(stopped) >= 47
    assert took < 1
    assert len(provider.requests) <= 5
    assert "86400 seconds" in str(stopped[-1])


def test_what_a_budget_stopped_costs_the_others_no_time() -> None:
    async def job() -> float:
        loop = asyncio.get_running_loop()
        gate = Gate(Limits(), loop.time)
        async with gate.passage(0) as began:
            gate.refused(began, 0.5)
        stopped: Provider = Limited(Plays([Stopped("budget")]), gate)
        calls = [asyncio.create_task(stopped.complete(REQUEST)) for _ in range(80)]
        await asyncio.wait(calls)
        return loop.time()

    assert run_virtually(job()) < 2


def _fullest_minute(starts: list[tuple[float, int]]) -> int:
    return max(sum(units for now, units in starts if begin <= now < begin + 60) for begin, _ in starts[::7])
