"""Four published systems scored as a user would: import, then score, without study, key or model server."""

import json
import time
from pathlib import Path

import pytest

from tests.commands import ended, started

MOST_COLD_SECONDS = 300
MOST_RECORDED_SECONDS = 10


@pytest.mark.slow
def test_scholarqa_is_scored_in_five_minutes_cold_and_in_ten_seconds_recorded(tmp_path: Path, shared: Path) -> None:
    plain = tmp_path / "plain"
    assert ended(started("import", "scholarqa", shared / "scholarqa_cs", "--to", plain)).code == 0

    def score() -> tuple[float, list[dict[str, str]]]:
        words = ("score", plain / "answers.jsonl", "--benchmark", plain / "bench.jsonl", "--json")
        began = time.monotonic()
        done = ended(started(*words, ASTROLABE_CACHE=str(tmp_path / "cache")), seconds=600)
        assert done.code == 0, done.err
        return time.monotonic() - began, [json.loads(line) for line in done.out.splitlines()]

    cold, first = score()
    recorded, second = score()

    assert len(first) == 264
    assert {score["method"] for score in first} == {"claude", "gpt", "nora", "perplexity"}
    assert sorted(map(str, first)) == sorted(map(str, second))
    assert cold < MOST_COLD_SECONDS
    assert recorded < MOST_RECORDED_SECONDS
