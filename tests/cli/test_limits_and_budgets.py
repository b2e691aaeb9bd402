"""Runs that a provider or a budget stops: real commands against a real server."""

import collections
import json
import time
from pathlib import Path

import pytest

from tests.commands import Command
from tests.servers import Behaviour, Says, Seen, Status, serving
from tests.small_study import found, many_questions, model_at, small_study

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


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_budget_is_exceeded_by_no_more_than_the_calls_under_way_and_the_same_command_finishes_later(
    command: Command, tmp_path: Path, at_once: int
) -> None:
    # each call takes 110 tokens
    with serving(lambda seen: Says(f"Answer {seen.number}.", seconds=0.02)) as server:
        small_study(tmp_path, answer=model_at(server.url), concurrency=at_once, asked=many_questions(QUESTIONS))
        words = ("run", "--method", "llm_only", "--study", tmp_path, "--budget", "1000 tokens")
        first = command(*words)
        after_first = len(server.seen)
        codes = [command(*words).code for _ in range(3)]
        conversations = collections.Counter(json.dumps(seen.messages) for seen in server.seen)

    assert first.code == 3
    assert 10 <= after_first <= 10 + at_once - 1
    assert f"{after_first} of 24 done, {24 - after_first} left" in first.err
    assert "of 1000 tokens are spent; run the same command again" in first.err
    assert codes[-1] == 0
    assert conversations.most_common(1)[0][1] == 1
    assert len(conversations) == QUESTIONS


def test_a_budget_of_minutes_ends_the_run_in_time(command: Command, tmp_path: Path) -> None:
    with serving(lambda seen: Says(f"Answer {seen.number}.", seconds=0.25)) as server:
        small_study(tmp_path, answer=model_at(server.url), concurrency=2, asked=many_questions(60))
        words = ("run", "--method", "llm_only", "--study", tmp_path, "--json")
        stopped = command(*words, "--budget", "0.02min")
        answered = len(server.seen)

    assert stopped.code == 3
    assert "of 0.02 minutes are over" in stopped.err
    assert 2 <= answered < 60
    assert len(stopped.out.splitlines()) == answered


def test_scoring_that_a_budget_stops_has_judged_the_same_questions_of_every_method(
    command: Command, tmp_path: Path
) -> None:
    with serving(lambda _: Says(found("T1"), seconds=0.01)) as server:
        small_study(tmp_path, judge=model_at(server.url), asked=many_questions(QUESTIONS))
        command("run", "--method", "extractive", "--method", "extractive(k=1)", "--study", tmp_path)
        stopped = command("score", "--metric", "topics", "--study", tmp_path, "--json", "--budget", "1500 tokens")
        scores = [json.loads(line) for line in stopped.out.splitlines()]
        resumed = command("score", "--metric", "topics", "--study", tmp_path)
    judged = [
        {one["question_id"] for one in scores if one["method"] == name} for name in ("extractive", "extractive(k=1)")
    ]

    assert (stopped.code, resumed.code) == (3, 0)
    assert len(judged[0] | judged[1]) < QUESTIONS
    assert len(judged[0] ^ judged[1]) <= 4  # those that were under way
    assert "done" in stopped.err
    assert judged[0] != {f"q-{place}" for place in range(len(judged[0]))}
