"""Jobs that two processes of one study want to do at once, and what they took."""

import asyncio
import threading
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from astrolabe.core.records import Answer, Score, Step, Usage
from astrolabe.store.calls import CallRecord
from astrolabe.study.ledger import Ledger
from astrolabe.study.turns import Done, Turns

PLACE = ("vanilla", "q1", "hard")
PAID = Usage(calls=2, prompt_tokens=100, usd=None, seconds=1.5)


def answer(text: str, question: str = "q1") -> Answer:
    step = Step(id="1", stage="answer.write", usage=PAID)
    began = datetime(2026, 11, 30, 10, tzinfo=UTC)
    return Answer(
        question_id=question,
        method="vanilla",
        scope="hard",
        text=text,
        trace=(step,),
        usage=PAID,
        stages={"answer.write": PAID},
        started_at=began,
        duration_seconds=2.5,
    )


def place(one: Answer) -> tuple[str, ...]:
    return one.method, one.question_id, one.scope or ""


@pytest.fixture
def records(tmp_path: Path) -> Generator[tuple[CallRecord, CallRecord]]:
    """The same record, as two processes have it."""
    with CallRecord(tmp_path / "calls.sqlite") as ours, CallRecord(tmp_path / "calls.sqlite") as theirs:
        yield ours, theirs


def turns_of(path: Path, record: CallRecord | None) -> Turns[Answer]:
    turns = Turns(Answer, place, record.claims if record else None)
    turns.watch(path)
    return turns


async def take(turns: Turns[Answer], path: Path, text: str, seconds: float = 0.0) -> Done[Answer]:
    async def do() -> Answer:
        await asyncio.sleep(seconds)
        return answer(text)

    done = await turns.take(path, PLACE, do, lambda theirs: theirs.status == "ok")
    if done.own:
        turns.append(path, [done.record])
    return done


async def test_a_job_is_done_by_one_and_the_other_takes_its_outcome(
    tmp_path: Path, records: tuple[CallRecord, CallRecord]
) -> None:
    path = tmp_path / "vanilla.jsonl"
    ours, theirs = (turns_of(path, record) for record in records)

    async with asyncio.TaskGroup() as group:
        first = group.create_task(take(ours, path, "ours", 0.1))
        second = group.create_task(take(theirs, path, "theirs", 0.1))

    assert first.result() == Done(answer("ours"), own=True)
    assert second.result() == Done(answer("ours"), own=False)


async def test_a_job_that_the_other_one_could_not_do_is_done_here(
    tmp_path: Path, records: tuple[CallRecord, CallRecord]
) -> None:
    path = tmp_path / "vanilla.jsonl"
    ours, theirs = (turns_of(path, record) for record in records)
    stopped = asyncio.create_task(take(ours, path, "ours", 30))
    await asyncio.sleep(0.02)
    waits = asyncio.create_task(take(theirs, path, "theirs"))
    await asyncio.sleep(0.02)
    stopped.cancel()

    assert await waits == Done(answer("theirs"), own=True)


async def test_without_claims_nobody_waits(tmp_path: Path) -> None:
    path = tmp_path / "vanilla.jsonl"
    turns = turns_of(path, None)

    first, second = await take(turns, path, "one"), await take(turns, path, "two")
    with turns.alone("x"), turns.alone("x"):
        pass

    assert (first.own, second.own) == (True, True)


def test_what_takes_a_moment_is_held_alone(tmp_path: Path, records: tuple[CallRecord, CallRecord]) -> None:
    ours, theirs = (turns_of(tmp_path / "vanilla.jsonl", record) for record in records)
    order: list[str] = []

    def other() -> None:
        with theirs.alone("vanilla"):
            order.append("theirs")

    thread = threading.Thread(target=other)
    with ours.alone("vanilla"):
        thread.start()
        thread.join(0.1)
        order.append("ours")
    thread.join(10)

    assert order == ["ours", "theirs"]


async def test_a_replay_gives_back_what_an_answer_took(records: tuple[CallRecord, CallRecord]) -> None:
    record, _ = records
    noted = await Ledger(record, replay=False).of_answer(answer("text"), {"model": "m"})
    now = answer("text").model_copy(
        update={"usage": Usage(calls=2, recorded=2), "stages": {}, "started_at": None, "duration_seconds": 0.0}
    )
    bare = now.model_copy(update={"trace": (now.trace[0].model_copy(update={"usage": Usage()}),)})
    again = await Ledger(record, replay=True).of_answer(bare, {"model": "m"})
    other = await Ledger(record, replay=True).of_answer(bare, {"model": "another"})

    assert noted == again == answer("text")
    assert other == bare


async def test_a_replay_of_an_answer_with_another_trace_leaves_the_trace(
    records: tuple[CallRecord, CallRecord],
) -> None:
    record, _ = records
    await Ledger(record, replay=False).of_answer(answer("text"), {})
    longer = answer("text").model_copy(update={"trace": answer("text").trace * 2, "usage": Usage()})

    again = await Ledger(record, replay=True).of_answer(longer, {})

    assert again.trace == longer.trace
    assert again.usage == PAID


async def test_a_replay_gives_back_what_a_score_took(records: tuple[CallRecord, CallRecord]) -> None:
    record, _ = records
    score = Score(question_id="q1", method="vanilla", scope="hard", metric="topics", value=0.5, usage=PAID)
    await Ledger(record, replay=False).of_score(score, ["hash"])
    bare = score.model_copy(update={"usage": Usage()})
    replaying = Ledger(record, replay=True)

    assert await replaying.of_score(bare, ["hash"]) == score
    assert await replaying.of_score(bare, ["another answer"]) == bare


async def test_a_note_that_is_damaged_is_none(records: tuple[CallRecord, CallRecord]) -> None:
    record, _ = records
    ledger = Ledger(record, replay=False)
    score = Score(question_id="q1", method="vanilla", scope="hard", metric="topics", value=0.5, usage=PAID)
    await ledger.of_score(score, [])
    (key,) = record._reader.execute("SELECT key FROM took").fetchone()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    record.put_took(key, {"usage": "damaged"}).result(5)

    assert await Ledger(record, replay=True).of_score(score, []) == score
