"""Runs that a provider or a budget stops: real commands against a real server."""

import collections
import json
import time
from pathlib import Path

from tests.commands import Command
from tests.servers import Behaviour, Says, Seen, Status, serving
from tests.small_study import many_questions, model_at, small_study

QUESTIONS = 24


def test_a_provider_that_asks_for_a_days_wait_ends_the_run_at_once_and_the_same_command_resumes(
    command: Command, tmp_path: Path
) -> None:
    opened = False
    accepted: list[str] = []

    def script(seen: Seen) -> Behaviour:
        if not opened and len(accepted) >= 5:
            return Status(429, "see you tomorrow", headers={"Retry-After": "86400"})
        accepted.append(json.dumps(seen.messages))
        return Says(f"Answer {seen.number}.", seconds=0.02)

    with serving(script) as server:
        small_study(tmp_path, answer=model_at(server.url), concurrency=4, asked=many_questions(QUESTIONS))
        words = ("run", "--method", "llm_only", "--study", tmp_path)
        began = time.monotonic()
        stopped = command(*words)
        took = time.monotonic() - began
        refused = len(server.seen) - len(accepted)
        opened = True
        resumed = command(*words)

    assert (stopped.code, resumed.code) == (3, 0)
    assert took < 20
    assert refused <= 4  # what was under way; those who waited for a place asked no more
    assert "86400 seconds" in stopped.err
    assert "same command" in stopped.err
    assert "stamina" not in stopped.err
    assert collections.Counter(accepted).most_common(1)[0][1] == 1
    assert len(accepted) == QUESTIONS
