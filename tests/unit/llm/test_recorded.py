import asyncio
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from astrolabe.core.errors import ModelError, NotRecorded, Stopped
from astrolabe.core.prompt import Message, Prompt
from astrolabe.core.usage import metering
from astrolabe.llm.provider import RawReply
from astrolabe.llm.recorded import CallMode, Recorded, call_key
from astrolabe.llm.structured import Structured
from astrolabe.store.calls import CallRecord
from tests.providers import Plays, Topics, asks, says

GOOD = says('{"topics": ["a"]}')
SYSTEM, USER = asks().messages


@pytest.fixture
def record(tmp_path: Path) -> Generator[CallRecord]:
    with CallRecord(tmp_path / "calls.sqlite") as opened:
        yield opened


def _over(record: CallRecord, provider: Plays, mode: CallMode = "reuse") -> Recorded:
    return Recorded(Structured(provider), record, mode)


async def test_a_call_is_paid_for_once(record: CallRecord) -> None:
    provider = Plays([GOOD])
    first = await _over(record, provider).ask(asks())

    with metering() as meter:
        second = await _over(record, provider).ask(asks())

    assert len(provider.requests) == 1
    assert (first.value, second.value) == (Topics(topics=["a"]), Topics(topics=["a"]))
    assert (first.recorded, second.recorded) == (False, True)
    assert (second.usage.calls, second.usage.recorded, second.usage.prompt_tokens) == (1, 1, 0)
    assert meter.stages["answer.topics"] == second.usage


async def test_a_repaired_reply_is_repaired_again_from_the_record(record: CallRecord) -> None:
    provider = Plays([says("{'topics': ['a', None]}")])

    first = await _over(record, provider).ask(asks())
    second = await _over(record, provider).ask(asks())

    assert (first.repaired, first.dropped) == (second.repaired, second.dropped) == (True, 1)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (says("not json"), "unparsed"),
        (says(""), "empty"),
        (says('{"topics": ["a"]}', "length"), "truncated"),
        (RawReply(text="", refusal="no"), "refused"),
    ],
)
async def test_a_bad_reply_is_kept_for_inspection_and_asked_again(
    record: CallRecord, raw: RawReply, status: str
) -> None:
    with pytest.raises(ModelError):
        await _over(record, Plays([raw])).ask(asks())
    provider = Plays([GOOD])

    reply = await _over(record, provider).ask(asks())

    failure = record.get_failure(call_key("played chat", asks()))
    assert failure is not None
    assert (failure.status, failure.text) == (status, raw.text)
    assert reply.value.topics == ["a"]
    assert len(provider.requests) == 1


async def test_a_cut_reply_of_a_model_that_always_says_the_same_is_not_paid_for_again(record: CallRecord) -> None:
    cut = Structured(Plays([says('{"topics": ["a", "b', "length")]), most_tokens=1)
    with pytest.raises(ModelError) as first:
        await Recorded(cut, record, repeats=True).ask(asks())
    provider = Plays([GOOD])

    with pytest.raises(ModelError) as again:
        await Recorded(Structured(provider), record, repeats=True).ask(asks())

    assert (again.value.status, again.value.partial) == (first.value.status, first.value.partial)
    assert not provider.requests


@pytest.mark.parametrize(("mode", "temperature"), [("live", 0.0), ("reuse", 0.3)])
async def test_what_may_come_out_otherwise_is_asked_again_of_any_model(
    record: CallRecord, mode: CallMode, temperature: float
) -> None:
    prompt = replace(asks(), temperature=temperature)
    with pytest.raises(ModelError):
        await Recorded(Structured(Plays([says("not json")])), record, repeats=True).ask(prompt)

    reply = await Recorded(Structured(Plays([GOOD])), record, mode, repeats=True).ask(prompt)

    assert reply.value.topics == ["a"]


async def test_a_request_that_never_arrived_is_sent_again_to_any_model(record: CallRecord) -> None:
    unreachable = Structured(Plays([ModelError("failed", "no connection")]))
    with pytest.raises(ModelError):
        await Recorded(unreachable, record, repeats=True).ask(asks())

    reply = await Recorded(Structured(Plays([GOOD])), record, repeats=True).ask(asks())

    assert reply.value.topics == ["a"]


async def test_live_asks_again_and_records_the_new_reply(record: CallRecord) -> None:
    await _over(record, Plays([GOOD])).ask(asks())

    live = await _over(record, Plays([says('{"topics": ["b"]}')]), "live").ask(asks())
    later = await _over(record, Plays([GOOD])).ask(asks())

    assert (live.value.topics, later.value.topics) == (["b"], ["b"])
    assert not live.recorded


async def test_replay_sends_nothing_and_names_the_step_that_is_missing(record: CallRecord) -> None:
    await _over(record, Plays([GOOD])).ask(asks())
    provider = Plays([GOOD])
    replayed = _over(record, provider, "replay")

    reply = await replayed.ask(asks())
    with pytest.raises(NotRecorded, match=r"step 'answer\.topics'.*prompt 'topics\.v1'"):
        await replayed.ask(asks("Another question?"))

    assert reply.value.topics == ["a"]
    assert not provider.requests


async def test_replay_fails_where_the_call_failed(record: CallRecord) -> None:
    with pytest.raises(ModelError) as first:
        await _over(record, Plays([says('{"topics": ["a", "b', "length")])).ask(asks())

    with pytest.raises(ModelError) as again:
        await _over(record, Plays([GOOD]), "replay").ask(asks())

    assert (again.value.status, again.value.reason) == (first.value.status, first.value.reason)
    assert again.value.text == first.value.text
    assert again.value.partial == first.value.partial == Topics(topics=["a"])


async def test_a_recorded_reply_that_no_longer_parses_is_asked_again(record: CallRecord) -> None:
    await _over(record, Plays([GOOD])).ask(asks())

    class Topics(BaseModel):
        """The reply type of the tests: one list, and a reason that may be missing."""  # as it is sent: the same key

        topics: list[str]
        reason: str = ""

        def model_post_init(self, _: object, /) -> None:
            if self.topics == ["a"]:
                raise ValueError("too short")

    provider = Plays([says('{"topics": ["a", "b"]}')])
    reply = await _over(record, provider).ask(replace(asks(), reply=Topics))

    assert reply.value.topics == ["a", "b"]
    assert call_key("m", replace(asks(), reply=Topics)) == call_key("m", asks())


@pytest.mark.parametrize("mode", ["reuse", "live"])
async def test_identical_prompts_under_way_are_asked_once(record: CallRecord, mode: CallMode) -> None:
    provider = Plays([GOOD], seconds=0.02)
    llm = _over(record, provider, mode)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(llm.ask(asks())) for _ in range(10)]

    assert len(provider.requests) == 1
    assert sum(task.result().recorded for task in tasks) == 9


async def test_identical_prompts_share_a_failure_too(record: CallRecord) -> None:
    provider = Plays([says("")], seconds=0.02)
    llm = _over(record, provider)

    tasks = [asyncio.create_task(llm.ask(asks())) for _ in range(5)]
    await asyncio.wait(tasks)

    assert len(provider.requests) == 1
    assert all(isinstance(task.exception(), ModelError) for task in tasks)


async def test_when_the_one_that_asked_is_cancelled_the_next_asks(record: CallRecord) -> None:
    provider = Plays([GOOD], seconds=0.03)
    llm = _over(record, provider)
    first = asyncio.create_task(llm.ask(asks()))
    second = asyncio.create_task(llm.ask(asks()))
    await asyncio.sleep(0.01)

    first.cancel()

    assert (await second).value.topics == ["a"]
    assert len(provider.requests) == 2


@pytest.fixture
def elsewhere(tmp_path: Path, record: CallRecord) -> Generator[CallRecord]:  # noqa: ARG001 - of the same file
    """The record of another process."""
    with CallRecord(tmp_path / "calls.sqlite") as opened:
        yield opened


async def test_what_another_process_asks_is_not_asked_here(record: CallRecord, elsewhere: CallRecord) -> None:
    provider = Plays([GOOD], seconds=0.1)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_over(one, provider).ask(asks())) for one in (record, elsewhere) for _ in range(3)]

    assert len(provider.requests) == 1
    assert sum(task.result().recorded for task in tasks) == 5


async def test_a_failure_of_another_process_is_shared_and_asked_for_again_later(
    record: CallRecord, elsewhere: CallRecord
) -> None:
    provider = Plays([says(""), GOOD], seconds=0.1)
    tasks = [asyncio.create_task(_over(one, provider).ask(asks())) for one in (record, elsewhere)]
    await asyncio.wait(tasks)
    later = await _over(elsewhere, provider).ask(asks())

    assert [getattr(task.exception(), "status", None) for task in tasks] == ["empty", "empty"]
    assert len(provider.requests) == 2
    assert later.value.topics == ["a"]


async def test_when_another_process_gives_up_the_call_is_asked_here(record: CallRecord, elsewhere: CallRecord) -> None:
    provider = Plays([GOOD], seconds=0.1)
    first = asyncio.create_task(_over(elsewhere, provider).ask(asks()))
    await asyncio.sleep(0.02)
    second = asyncio.create_task(_over(record, provider).ask(asks()))
    await asyncio.sleep(0.02)
    first.cancel()

    assert (await second).value.topics == ["a"]
    assert len(provider.requests) == 2


async def test_live_waits_for_no_other_process(record: CallRecord, elsewhere: CallRecord) -> None:
    provider = Plays([GOOD], seconds=0.05)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_over(one, provider, "live").ask(asks())) for one in (record, elsewhere)]

    assert len(provider.requests) == 2
    assert not any(task.result().recorded for task in tasks)


async def test_all_that_wait_can_be_cancelled_together(record: CallRecord) -> None:
    llm = _over(record, Plays([GOOD], seconds=5))
    tasks = [asyncio.create_task(llm.ask(asks())) for _ in range(3)]
    await asyncio.sleep(0.01)

    for task in tasks:
        task.cancel()
    done, _ = await asyncio.wait(tasks, timeout=1)

    assert len(done) == 3
    assert all(task.cancelled() for task in tasks)


async def test_a_stop_is_not_recorded(record: CallRecord) -> None:
    with pytest.raises(Stopped):
        await _over(record, Plays([Stopped("budget")])).ask(asks())

    assert record.get_failure(call_key("played chat", asks())) is None


def test_one_record_serves_two_loops_one_after_the_other(record: CallRecord) -> None:
    llm = _over(record, Plays([GOOD]))

    async def ask(text: str) -> list[str]:
        return (await llm.ask(asks(text))).value.topics

    assert asyncio.run(ask("one")) == asyncio.run(ask("two")) == asyncio.run(ask("one")) == ["a"]


class Bounded(BaseModel):
    topics: list[str] = Field(max_length=3)
    reason: str = ""


BASE: Prompt[BaseModel | str] = asks()


@pytest.mark.parametrize(
    ("model", "prompt"),
    [
        ("openai:other chat", BASE),
        ("openai:m@http://other/v1 chat", BASE),
        ("openai:m embeddings", BASE),
        ("openai:m chat", replace(BASE, temperature=0.1)),
        ("openai:m chat", replace(BASE, max_tokens=101)),
        ("openai:m chat", replace(BASE, options={"seed": 1})),
        ("openai:m chat", replace(BASE, options={"seed": 2})),
        ("openai:m chat", replace(BASE, messages=(Message(role="system", content="Other."), USER))),
        ("openai:m chat", replace(BASE, messages=(SYSTEM, Message(role="user", content="Other?")))),
        ("openai:m chat", replace(BASE, messages=(SYSTEM, Message(role="assistant", content=USER.content)))),
        ("openai:m chat", replace(BASE, messages=(USER,))),
        ("openai:m chat", replace(BASE, reply=Bounded)),
        ("openai:m chat", replace(BASE, reply=str)),
        ("openai:m chat", replace(BASE, name="topics.v2")),
        ("openai:m chat", replace(BASE, repetition=1)),
    ],
)
def test_whatever_decides_a_reply_is_part_of_the_key(model: str, prompt: Prompt[BaseModel | str]) -> None:
    assert call_key(model, prompt) != call_key("openai:m chat", BASE)


def test_what_does_not_decide_a_reply_is_not() -> None:
    other_stage = replace(BASE, stage="judge.topics", options={})

    assert call_key("m", other_stage) == call_key("m", BASE)


def test_the_order_of_options_does_not_matter() -> None:
    first = replace(BASE, options={"seed": 1, "top_p": 0.5})

    assert call_key("m", first) == call_key("m", replace(BASE, options={"top_p": 0.5, "seed": 1}))
