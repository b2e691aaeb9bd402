import asyncio

from astrolabe.core.records import Usage
from astrolabe.core.usage import count, metering


async def test_a_meter_sees_the_calls_of_its_tasks_and_no_others() -> None:
    async def work(stage: str) -> int:
        with metering() as own:
            await asyncio.sleep(0)
            count(stage, Usage(calls=1, prompt_tokens=5))
            await asyncio.sleep(0)
        return own.total.calls

    with metering() as outer:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work("answer.write")), group.create_task(work("judge.topics"))]

    assert [task.result() for task in tasks] == [1, 1]
    assert outer.total == Usage(calls=2, prompt_tokens=10)
    assert outer.stages["judge.topics"].calls == 1
