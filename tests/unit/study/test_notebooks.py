"""Astrolabe where a loop runs already, as in a notebook, with a model over a real connection."""

import asyncio
import json
from pathlib import Path

import astrolabe
from astrolabe.llm.stack import open_llm
from astrolabe.store.calls import CallRecord
from tests.providers import asks_text
from tests.servers import Says, Status, serving
from tests.small_study import model_at, small_study, speaks


# D28
def test_sync_twice_then_async_twice_in_a_running_loop_ask_the_model_once_and_say_the_same(tmp_path: Path) -> None:
    with serving(speaks(seconds=0.01)) as server:
        study = small_study(tmp_path, answer=model_at(server.url))

        async def cells() -> list[list[str]]:
            runs = [
                astrolabe.run_sync(study, "vanilla"),
                astrolabe.run_sync(study, "vanilla"),
                await astrolabe.run(study, "vanilla"),
                await astrolabe.run(study, "vanilla"),
            ]
            return [sorted(answer.text for answer in run.answers) for run in runs]

        texts = asyncio.run(cells())
        again = asyncio.run(cells())

    assert len(texts[0]) == 8
    assert all(found == texts[0] for found in [*texts, *again])
    assert len(server.seen) == len({json.dumps(seen.messages) for seen in server.seen}) == 8


# D28
def test_sync_and_async_doors_work_at_the_same_time(tmp_path: Path) -> None:
    with serving(speaks(seconds=0.02)) as server:
        first = small_study(tmp_path / "first", answer=model_at(server.url))
        second = small_study(tmp_path / "second", answer=model_at(server.url))

        async def cell() -> tuple[int, int]:
            under_way = asyncio.create_task(astrolabe.run(first, "llm_only"))
            await asyncio.sleep(0.01)
            beside = astrolabe.run_sync(second, "llm_only")
            return len((await under_way).answers), len(beside.answers)

        assert asyncio.run(cell()) == (8, 8)


# D28
def test_one_client_serves_two_loops_even_when_the_first_was_told_to_slow_down() -> None:
    slow_down = Status(429, headers={"retry-after-ms": "50"})
    with serving(lambda seen: slow_down if seen.number == 0 else Says("Yes.")) as server, CallRecord(None) as record:
        llm = open_llm(f"openai:m@{server.url}", record=record)

        async def ask(*texts: str) -> list[str]:
            calls = [asyncio.create_task(llm.ask(asks_text(text))) for text in texts]
            return [(await call).value for call in calls]

        first = asyncio.run(ask("one", "two", "three"))
        second = asyncio.run(ask("four", "five", "one"))

    assert first == second == ["Yes."] * 3
    assert len(server.seen) == 5 + 1
