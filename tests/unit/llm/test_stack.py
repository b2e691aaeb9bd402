import asyncio
import sqlite3
from pathlib import Path

import pytest
import stamina

from astrolabe.core.errors import ConfigError, ModelError, NotRecorded, Stopped
from astrolabe.core.usage import metering
from astrolabe.llm import stack
from astrolabe.llm.budgeted import Budget
from astrolabe.llm.gate import Limits
from astrolabe.llm.metered import Price
from astrolabe.llm.provider import Provider, Request
from astrolabe.llm.stack import gate_of, open_llm
from astrolabe.llm.started import Started
from astrolabe.store.calls import CallRecord
from astrolabe.store.model_names import ModelName
from tests.misbehaving import Misbehaving, Part
from tests.providers import Plays, asks, says
from tests.servers import Behaviour, Says, Seen, Status, as_json, serving

CANARY = "sk-field-CANARY-0001"
GOOD = as_json({"topics": ["a"], "reason": ""})


async def test_a_prompt_goes_through_every_wrapper() -> None:
    price = Price(prompt=1, completion=2)
    with (
        serving([Status(503), Says("prose"), GOOD]) as server,
        CallRecord(None) as record,
        stamina.set_testing(True, attempts=3, cap=True),
        metering() as meter,
    ):
        async with open_llm(f"openai:m@{server.url}", record=record, price=price) as llm:
            reply = await llm.ask(asks())
            again = await llm.ask(asks())

    usage = meter.stages["answer.topics"]
    assert reply.value.topics == again.value.topics == ["a"]
    assert len(server.seen) == 3  # an overload, prose, the reply; the repeat came from the record
    assert (usage.calls, usage.recorded, usage.prompt_tokens) == (3, 1, 200)
    assert usage.usd == pytest.approx(2 * (100 * 1 + 10 * 2) / 1e6)


async def test_a_finished_run_replays_without_a_server(tmp_path: Path) -> None:
    with serving([GOOD]) as server:
        spelled = f"openai:m@{server.url}"
        with CallRecord(tmp_path / "calls.sqlite") as record:
            async with open_llm(spelled, record=record) as llm:
                await llm.ask(asks())

    with CallRecord(tmp_path / "calls.sqlite") as record:
        async with open_llm(spelled, record=record, mode="replay") as llm:
            reply = await llm.ask(asks())
            with pytest.raises(NotRecorded):
                await llm.ask(asks("other?"))

    assert reply.recorded


async def test_waiting_calls_do_not_pass_the_budget_before_it_is_used_up() -> None:
    with serving([GOOD]) as server, CallRecord(None) as record:
        budget = Budget(tokens=500)
        async with open_llm(
            f"openai:m@{server.url}", record=record, budget=budget, limits=Limits(concurrency=2)
        ) as llm:
            tasks = [asyncio.create_task(llm.ask(asks(str(number)))) for number in range(40)]
            await asyncio.wait(tasks)

    stopped = [task for task in tasks if isinstance(task.exception(), Stopped)]
    assert len(server.seen) <= 6  # 110 tokens a call: five reach the cap, one more may be under way
    assert len(stopped) == 40 - len(server.seen)


def test_a_budget_in_money_needs_a_price() -> None:
    with CallRecord(None) as record:
        with pytest.raises(ConfigError, match=r"needs a price for 'openai:m'"):
            open_llm("openai:m", record=record, budget=Budget(usd=1))
        open_llm("embedded:any", record=record, budget=Budget(usd=1))


# D27
async def test_one_chunk_that_always_fails_costs_itself_alone_and_is_all_that_is_asked_again(tmp_path: Path) -> None:
    broken = True

    def behave(seen: Seen) -> Behaviour:
        return Status(500) if broken and seen.messages[1]["content"] == "chunk 57" else GOOD

    async def run(url: str) -> list[str]:
        with CallRecord(tmp_path / "calls.sqlite") as record, stamina.set_testing(True, attempts=6, cap=True):
            async with open_llm(f"openai:m@{url}", record=record) as llm:
                tasks = [asyncio.create_task(llm.ask(asks(f"chunk {number}"))) for number in range(120)]
                await asyncio.wait(tasks)
        return [getattr(task.exception(), "status", "done") for task in tasks]

    with serving(behave) as server:
        first = await run(server.url)
        asked_first = len(server.seen)
        broken = False
        second = await run(server.url)

    assert (first.count("done"), first[57]) == (119, "failed")
    assert asked_first == 119 + 6
    assert second.count("done") == 120
    assert [seen.messages[1]["content"] for seen in server.seen[asked_first:]] == ["chunk 57"]


async def test_a_server_that_refuses_all_it_can_is_asked_in_its_own_words_and_only_that_costs_more() -> None:
    parts: list[Part] = ["json_schema", "json_object", "temperature", "max_tokens", "chat_template_kwargs"]
    script = Misbehaving(
        seed=1, says=lambda _: '{"topics": ["a"], "reason": ""}', rate=0, stubborn=0, refuses=frozenset(parts)
    )
    with serving(script) as server, CallRecord(None) as record:
        async with open_llm(f"openai:m@{server.url}", record=record, limits=Limits(concurrency=4)) as llm:
            first = await llm.ask(asks("first"))
            learned = len(script.log)
            async with asyncio.TaskGroup() as group:
                others = [group.create_task(llm.ask(asks(str(number)))) for number in range(20)]

    refused = [done.fate for done in script.log if done.fate]
    assert [task.result().value.topics for task in others] == [first.value.topics] * 20
    assert {fate.removeprefix("refuses ") for fate in refused} == set(parts)
    assert len(refused) == learned - 1 <= 7
    assert len(script.log) == learned + 20
    assert first.usage.calls == 1  # what was refused was not paid for


# D24
async def test_another_key_and_other_limits_use_the_same_record() -> None:
    with serving([GOOD]) as server, CallRecord(None) as record:
        for user, concurrency in (("", 64), ("user:one@", 8), ("user:two@", 1)):
            url = server.url.replace("http://", f"http://{user}")
            async with open_llm(f"openai:m@{url}", record=record, limits=Limits(concurrency=concurrency)) as llm:
                await llm.ask(asks())

    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("spelled", "path"), [("ollama:m@{address}", "/api/chat"), ("vllm:org/m@{address}/v1", "/v1/chat/completions")]
)
async def test_each_provider_is_reached_on_its_own_api(spelled: str, path: str) -> None:
    with serving([GOOD]) as server, CallRecord(None) as record:
        name = spelled.format(address=server.address)
        async with open_llm(name, record=record) as llm:
            reply = await llm.ask(asks())

    assert reply.value.topics == ["a"]
    assert server.seen[0].path == path
    assert llm.id == f"{name} chat"
    assert ("chat_template_kwargs" in server.seen[0].body) == name.startswith("vllm")


def test_an_embedded_models_id_has_no_address() -> None:
    with CallRecord(None) as record:
        assert open_llm("embedded:m", record=record).id == "embedded:m chat"


def test_roles_on_one_endpoint_share_its_gate() -> None:
    first = gate_of("http://here/v1", Limits())

    assert gate_of("http://here/v1", Limits()) is first
    assert gate_of("http://there/v1", Limits()) is not first


@pytest.mark.parametrize("place", ["address", "environment"])
@pytest.mark.parametrize("code", [200, 401, 400])
async def test_a_key_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, place: str, code: int
) -> None:
    caplog.set_level("DEBUG")
    behaviour = GOOD if code == 200 else Status(code, f"Incorrect API key provided: {CANARY}")
    shown: list[str] = []
    with serving([behaviour]) as server, CallRecord(tmp_path / "calls.sqlite") as record:
        url = server.url.replace("http://", f"http://user:{CANARY}@") if place == "address" else server.url
        monkeypatch.setenv("OPENAI_API_KEY", CANARY if place == "environment" else "")
        async with open_llm(f"openai:m@{url}", record=record) as llm:
            shown += [llm.id, repr(llm), repr(llm.provider)]
            try:
                shown.append(repr(await llm.ask(asks())))
            except (ModelError, Stopped) as error:
                shown += [str(error), repr(error), repr(error.__cause__), repr(error.__context__)]

    assert server.seen[0].headers["Authorization"] == f"Bearer {CANARY}"
    assert "CANARY" not in "".join(shown)
    assert "CANARY" not in caplog.text
    assert not _holding_the_key(tmp_path)


def _holding_the_key(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if b"CANARY" in path.read_bytes()]


async def test_a_failure_in_the_record_holds_no_key(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with serving([Status(400, f"bad key {CANARY}")]) as server, CallRecord(path) as record:
        url = server.url.replace("http://", f"http://user:{CANARY}@")
        async with open_llm(f"openai:m@{url}", record=record) as llm:
            with pytest.raises(ModelError):
                await llm.ask(asks())

    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT model, status FROM failures").fetchall()
    connection.close()
    assert rows == [(f"openai:m@{server.url} chat", "failed")]


async def test_an_embedded_model_is_started_once_and_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = Plays([says("x")])
    starts: list[str] = []

    async def start() -> Provider:
        starts.append("now")
        await asyncio.sleep(0.01)
        return inner

    provider = Started(start, spelled="embedded:m")

    def provided(_: ModelName, **_limits: float) -> Provider:
        return provider

    await provider.aclose()
    before = len(starts)
    with CallRecord(None) as record:
        monkeypatch.setattr(stack, "provider_of", provided)
        async with open_llm("embedded:m", record=record, mode="replay") as llm:
            with pytest.raises(NotRecorded):
                await llm.ask(asks())
        replayed = len(starts)
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(provider.complete(_request()))
    await provider.aclose()

    assert (before, replayed, len(starts)) == (0, 0, 1)
    assert provider.id == "embedded:m chat"
    assert inner.closed == 1


def _request() -> Request:
    return Request.of(asks())


def test_one_open_model_serves_two_loops_one_after_the_other() -> None:
    with serving([GOOD]) as server, CallRecord(None) as record:
        llm = open_llm(f"openai:m@{server.url}", record=record)

        async def ask(text: str) -> list[str]:
            return (await llm.ask(asks(text))).value.topics

        assert asyncio.run(ask("one")) == asyncio.run(ask("two")) == ["a"]
