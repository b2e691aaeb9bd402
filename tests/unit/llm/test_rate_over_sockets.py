"""The learned rate over real connections."""

import time
from pathlib import Path

import pytest

from astrolabe.llm.stack import open_llm
from astrolabe.store.calls import CallRecord
from astrolabe.study.progress import Silent
from astrolabe.study.workers import work_through
from tests.providers import asks_text
from tests.rate_server import bucket
from tests.servers import Behaviour, Says, Seen, Status, serving

A_SECOND = 50
CALLS = 700
LEARNED_AFTER = 6.0


@pytest.mark.slow
async def test_over_real_connections_too_few_requests_are_refused_once_the_rate_is_learned(tmp_path: Path) -> None:
    allows = bucket(A_SECOND, A_SECOND)
    seen_at: list[tuple[float, bool]] = []

    def script(_: Seen) -> Behaviour:
        now = time.monotonic()
        seen_at.append((now, allows(now)))
        return Says("Yes.", seconds=0.1) if seen_at[-1][1] else Status(429, "too many")

    with serving(script) as server, CallRecord(tmp_path / "calls.sqlite") as record:
        async with open_llm(f"openai:m@{server.url}", record=record) as llm:
            stopped = await work_through(
                range(CALLS),
                lambda number: llm.ask(asks_text(f"Why {number}?")),
                lambda _: None,
                requests=64,
                progress=Silent(),
            )
    late = [(at, served) for at, served in seen_at if at >= seen_at[0][0] + LEARNED_AFTER]
    served = sum(one for _, one in late)

    assert stopped is None
    assert 1 - served / len(late) <= 0.05
    assert served / (late[-1][0] - late[0][0]) >= 0.8 * A_SECOND
