import asyncio
import warnings
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from astrolabe.store.http import Wire, WireError, address_of, asked_wait
from tests.servers import Behaviour, Body, Embeds, Resets, Says, Status, serving

CANARY = "sk-field-CANARY-0001"
NOW = datetime(2026, 11, 30, 10, 0, 0, tzinfo=UTC)


async def test_json_goes_out_and_comes_back() -> None:
    with serving([Embeds()]) as server:
        content = await Wire(server.url).post("/embeddings", {"input": ["naïve 数据"]})

    assert content["data"] == [{"index": 0, "embedding": [1.0, 0.0, 0.0, 0.0]}]
    assert server.seen[0].body == {"input": ["naïve 数据"]}
    assert server.seen[0].path == "/v1/embeddings"
    assert "Authorization" not in server.seen[0].headers


@pytest.mark.parametrize(
    ("behaviour", "fault", "status", "said"),
    [
        (Status(400, "bad temperature", error={"param": "temperature", "code": "x"}), "status", 400, "bad temperature"),
        (Status(500), "status", 500, "says no"),
        (Body("<html>Bad gateway</html>", "text/html"), "not json", None, "<html>"),
        (Body("[1, 2]"), "not json", None, "[1, 2]"),
        (Body(""), "not json", None, "not a JSON object"),
        (Resets(), "broken", None, "ended early"),
        (Says("late", seconds=3), "timeout", None, "0.3 seconds"),
    ],
)
async def test_whatever_is_no_reply_is_one_kind_of_error(
    behaviour: Behaviour, fault: str, status: int | None, said: str
) -> None:
    with serving([behaviour]) as server:
        wire = Wire(server.url, timeout_seconds=0.3)
        with pytest.raises(WireError, match=r"http://127\.0\.0\.1") as caught:
            await wire.post("/chat/completions", {})

    assert (caught.value.fault, caught.value.status) == (fault, status)
    assert said in caught.value.reason


async def test_the_servers_parameter_code_and_wait_are_kept() -> None:
    refusal = Status(429, headers={"Retry-After": "7"}, error={"param": "p", "code": "insufficient_quota"})
    with serving([refusal]) as server, pytest.raises(WireError) as caught:
        await Wire(server.url).post("/x", {})

    error = caught.value
    assert (error.parameter, error.code, error.wait_seconds, error.can_be_retried) == (
        "p",
        "insufficient_quota",
        7,
        False,
    )


async def test_a_port_where_nobody_listens_is_named() -> None:
    with serving([Says("x")]) as server:
        pass

    with pytest.raises(WireError, match="nothing answers") as caught:
        await Wire(server.url).post("/x", {})

    assert caught.value.fault == "connect"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "2"}, 2.0),
        ({"Retry-After": "198300"}, 198_300.0),
        ({"retry-after-ms": "1500", "Retry-After": "2"}, 1.5),
        ({"Retry-After": "Mon, 30 Nov 2026 10:00:03 GMT"}, 3.0),
        ({"Retry-After": "Mon, 30 Nov 2026 09:00:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": ""}, None),
        ({}, None),
    ],
)
def test_the_asked_wait_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("url", "bare", "key"),
    [
        ("http://host:8000/v1", "http://host:8000/v1", None),
        ("http://user:pass@host/v1", "http://host/v1", "pass"),
        ("http://only@host/a@b", "http://host/a@b", "only"),
        ("http://user:p%40ss@host", "http://host", "p@ss"),
        ("http://@host", "http://host", None),
    ],
)
def test_a_key_is_cut_out_of_an_address(url: str, bare: str, key: str | None) -> None:
    address = address_of(url)

    assert address.url == bare
    assert (address.key.get_secret_value() if address.key else None) == key


@pytest.mark.parametrize("code", [401, 500, 200])
async def test_a_key_that_the_server_repeats_is_shown_nowhere(code: int) -> None:
    body = f"Incorrect API key provided: {CANARY}"
    behaviour = Status(code, body, error={"code": CANARY}) if code != 200 else Body(body, "text/plain")
    with serving([behaviour]) as server:
        wire = Wire(server.url.replace("http://", f"http://user:{CANARY}@"))
        with pytest.raises(WireError) as caught:
            await wire.post("/x", {})

    error = caught.value
    assert server.seen[0].headers["Authorization"] == f"Bearer {CANARY}"
    assert "CANARY" not in f"{error} {error!r} {error.reason} {error.code} {vars(error)} {wire!r} {vars(wire)}"
    assert "[key]" in str(error)


async def test_an_encoded_key_is_scrubbed_too() -> None:
    with serving([Status(401, "no such key: a%2Fb and a/b")]) as server, pytest.raises(WireError) as caught:
        await Wire(server.url, key=SecretStr("a/b")).post("/x", {})

    assert caught.value.reason == "no such key: [key] and [key]"


def test_a_wire_serves_two_loops_and_leaves_nothing_open() -> None:
    async def ask() -> None:
        await wire.post("/x", {})
        await wire.post("/x", {})

    with serving([Says("x")]) as server, warnings.catch_warnings():
        warnings.simplefilter("error")
        wire = Wire(server.url)
        asyncio.run(ask())
        asyncio.run(ask())

    assert len(server.seen) == 4


async def test_a_closed_wire_may_be_used_again() -> None:
    with serving([Says("x")]) as server:
        wire = Wire(server.url)
        await wire.post("/x", {})
        await wire.aclose()
        await wire.aclose()
        await wire.post("/x", {})
        await wire.aclose()

    assert len(server.seen) == 2


async def test_many_first_posts_share_one_session() -> None:
    with serving([Says("x", seconds=0.05)]) as server:
        wire = Wire(server.url)
        async with asyncio.TaskGroup() as group:
            for _ in range(20):
                group.create_task(wire.post("/x", {}))
        await wire.aclose()

    assert server.most_at_once == 20
