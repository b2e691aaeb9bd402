"""Every method stopped while it builds and while it answers: what was asked for is not asked for again."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from astrolabe.core.records import Answer
from astrolabe.llm.gate import Limits
from astrolabe.llm.stack import open_llm
from astrolabe.methods import METHODS
from astrolabe.store.calls import CallRecord
from tests.conformance.test_extraction_is_paid_once import QUESTION, kits
from tests.sensible import speaks_sensibly
from tests.servers import Server, serving

ONE_AT_A_TIME = Limits(concurrency=1, start=1)


def answered(name: str, folder: Path, server: Server, *, stop_after: int = 0) -> Answer | None:
    """Answer with the record in a folder; stop all that runs once the server was asked so often: null, then."""
    with CallRecord(folder / "calls.sqlite") as record:
        answer = asyncio.run(_answered(name, record, server, stop_after=stop_after))
    return answer and _without_costs(answer)


def _without_costs(answer: Answer) -> Answer:
    """Return an answer as it is whatever came from the record."""
    steps = [step.model_copy(update={"usage": None}) for step in answer.trace]
    return answer.model_copy(update={"trace": tuple(steps)})


async def _answered(name: str, record: CallRecord, server: Server, *, stop_after: int) -> Answer | None:
    wanted = len(server.seen) + stop_after
    async with open_llm(f"openai:m@{server.url}", record=record, limits=ONE_AT_A_TIME) as llm:
        task = asyncio.create_task(METHODS[name]().answer(QUESTION, kits(llm)[-1]))
        if not stop_after:
            return await task
        while len(server.seen) < wanted and not task.done():  # noqa: ASYNC110 - the server is a thread
            await asyncio.sleep(0.001)
        everything = {task, *asyncio.all_tasks()} - {asyncio.current_task()}
        for one in everything:
            one.cancel()
        await asyncio.wait(everything)
        return None


def bodies(server: Server) -> Counter[str]:
    return Counter(str(one.body) for one in server.seen)


# Acceptance of methods.md 15.2: a build that is killed at any call, run again, repeats no call but the one under way.
@pytest.mark.parametrize("name", [name for name in METHODS if name != "extractive"])
def test_a_method_that_is_stopped_goes_on_and_ends_as_if_undisturbed(name: str, tmp_path: Path) -> None:
    calm, stopped = tmp_path / "calm", tmp_path / "stopped"
    calm.mkdir()
    stopped.mkdir()
    with serving(speaks_sensibly) as server:
        undisturbed = answered(name, calm, server)
        once = bodies(server)
    moments = sorted({1, once.total() // 2, once.total() - 1} - {0})

    with serving(speaks_sensibly) as server:
        for moment in moments:
            assert answered(name, stopped, server, stop_after=max(1, moment - len(server.seen))) is None
        finished = answered(name, stopped, server)
        asked_again = bodies(server) - once

    assert finished == undisturbed
    assert asked_again.total() <= len(moments)
