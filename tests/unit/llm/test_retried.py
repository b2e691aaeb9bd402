import asyncio
import logging
import time
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import stamina

from astrolabe.core.errors import ModelError, Stopped
from astrolabe.llm.openai_compatible import OpenAICompatible
from astrolabe.llm.provider import Request
from astrolabe.llm.retried import Retried
from astrolabe.store.http import Wire, WireError
from tests.providers import Plays, asks, asks_text, says
from tests.servers import Behaviour, Body, Resets, Says, Status, serving

REQUEST = Request.of(asks())


@pytest.fixture
def _no_waiting() -> Generator[None]:  # pyright: ignore[reportUnusedFunction]  # pytest calls it
    with stamina.set_testing(True, attempts=6, cap=True):
        yield


def _failing(*errors: WireError) -> Plays:
    return Plays([*errors, says("x")])


def _status(status: int, *, wait_seconds: float | None = None, code: str = "") -> WireError:
    return WireError("status", "no", address="http://here", status=status, wait_seconds=wait_seconds, code=code)


@pytest.mark.usefixtures("_no_waiting")
@pytest.mark.parametrize(
    "error",
    [
        *(_status(status) for status in (408, 425, 429, 500, 502, 503, 504, 529)),
        WireError("broken", "reset", address="http://here"),
        WireError("timeout", "slow", address="http://here"),
        WireError("not json", "<html>", address="http://here"),
    ],
    ids=str,
)
async def test_what_may_pass_is_asked_again(error: WireError) -> None:
    provider = _failing(error, error)

    raw = await Retried(provider).complete(REQUEST)

    assert raw.text == "x"
    assert len(provider.requests) == 3


@pytest.mark.usefixtures("_no_waiting")
async def test_attempts_are_bounded_and_the_error_counts_them() -> None:
    provider = Plays([_status(500)])

    with pytest.raises(ModelError, match=r"failed: http://here: HTTP 500: no \(4 times\)"):
        await Retried(provider, attempts=4).complete(REQUEST)

    assert len(provider.requests) == 4


# D26
@pytest.mark.parametrize("status", [400, 413, 422, 501])
async def test_a_refused_request_fails_alone_and_at_once(status: int) -> None:
    provider = Plays([_status(status)])

    with pytest.raises(ModelError, match=f"failed: http://here: HTTP {status}"):
        await Retried(provider).complete(REQUEST)

    assert len(provider.requests) == 1


# D26
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (_status(401), "check the key"),
        (_status(403), "check the key"),
        (_status(404), "check the model's name"),
        (_status(429, code="insufficient_quota"), "quota is spent"),
        (_status(429, wait_seconds=198_300), "198300 seconds"),
        (WireError("connect", "nothing answers", address="http://here"), "start the server"),
    ],
)
async def test_what_every_request_would_meet_stops_the_run_at_once(error: WireError, said: str) -> None:
    provider = Plays([error])

    with pytest.raises(Stopped, match=said):
        await Retried(provider).complete(REQUEST)

    assert len(provider.requests) == 1


@pytest.mark.usefixtures("_no_waiting")
async def test_a_server_that_answered_before_is_waited_for_when_it_is_gone() -> None:
    gone = WireError("connect", "nothing answers", address="http://here")
    provider = Plays([says("x"), gone, gone, says("y")])
    retried = Retried(provider)
    await retried.complete(REQUEST)

    assert (await retried.complete(REQUEST)).text == "y"


async def test_a_refusal_of_the_model_is_never_asked_again() -> None:
    provider = Plays([ModelError("refused", "no"), says("x")])

    with pytest.raises(ModelError, match="refused"):
        await Retried(provider).complete(REQUEST)

    assert len(provider.requests) == 1


# D26
@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"Retry-After": "1"}, 1.0, 2.0),
        ({"retry-after-ms": "300"}, 0.3, 0.9),
        ({}, 0.05, 2.0),
        ({"Retry-After": "soon"}, 0.05, 2.0),
    ],
)
async def test_a_429_waits_as_the_server_wishes(headers: dict[str, str], least: float, most: float) -> None:
    with serving([Status(429, headers=headers), Says("x")]) as server:
        provider = OpenAICompatible("m", Wire(server.url), spelled="openai:m")
        started = time.monotonic()
        raw = await Retried(provider, first_wait_seconds=0.05).complete(Request.of(asks_text()))
        took = time.monotonic() - started

    assert raw.text == "x"
    assert least <= took < most


# D26
async def test_an_http_date_is_waited_for() -> None:
    with serving(lambda seen: Status(429, headers={"Retry-After": when}) if not seen.number else Says("x")) as server:
        provider = OpenAICompatible("m", Wire(server.url), spelled="openai:m")
        when = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        started = time.monotonic()
        await Retried(provider).complete(Request.of(asks_text()))

    assert time.monotonic() - started >= 0.9  # the date has whole seconds


@pytest.mark.usefixtures("_no_waiting")
@pytest.mark.parametrize(
    "first",
    [Status(500), Status(503), Resets(), Body("<html>Bad gateway</html>", "text/html"), Body("[1]"), Body("{}")],
    ids=repr,
)
async def test_a_real_servers_stumble_costs_one_more_request(first: Behaviour) -> None:
    with serving([first, Says("x")]) as server:
        provider = OpenAICompatible("m", Wire(server.url), spelled="openai:m")
        raw = await Retried(provider).complete(Request.of(asks_text()))

    assert raw.text == "x"
    assert len(server.seen) == 2


@pytest.mark.usefixtures("_no_waiting")
async def test_a_server_that_stalls_is_given_up_and_asked_again() -> None:
    with serving([Says("late", seconds=2), Says("x")]) as server:
        provider = OpenAICompatible("m", Wire(server.url, timeout_seconds=0.2), spelled="openai:m")
        raw = await Retried(provider).complete(Request.of(asks_text()))

    assert raw.text == "x"


async def test_stopping_while_waiting_stops_at_once() -> None:
    task = asyncio.create_task(Retried(Plays([_status(429, wait_seconds=60)])).complete(REQUEST))
    await asyncio.sleep(0.05)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.usefixtures("_no_waiting")
async def test_each_retry_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "stamina"):
        await Retried(_failing(_status(503))).complete(REQUEST)

    assert "retry_scheduled" in caplog.text
