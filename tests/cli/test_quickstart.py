"""The main job from an installed package: no network, no weights, no key."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import Command, Ended, ended, started
from tests.servers import Status, serving
from tests.small_study import model_at, speaks


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where this module's quickstart works."""
    return tmp_path_factory.mktemp("quickstart")


def quickstart(folder: Path, *words: str) -> Ended:
    """Run it in a process whose connections to other machines are refused (tests/locked, through PYTHONPATH)."""
    return ended(
        started("quickstart", folder / "s", "--embed", "hashed", *words, cwd=folder, ASTROLABE_CACHE=str(folder / "c")),
        seconds=300,
    )


@pytest.fixture(scope="module")
def first(folder: Path) -> Ended:
    """The first run."""
    return quickstart(folder)


def table_of(shown: Ended) -> list[str]:
    return [line.rstrip() for line in shown.out.splitlines() if line.strip()]


def test_quickstart_finishes_without_network_and_without_weights(folder: Path, first: Ended) -> None:
    report = Path(first.out.splitlines()[-1])

    assert first.code == 0, first.err
    assert report.is_absolute() or (folder / report).exists()
    assert (folder / "s" / "report" / "report.html").stat().st_size > 10_000


def test_its_table_shows_methods_scopes_intervals_counts_groups_and_causes(first: Ended) -> None:
    assert "extractive(retriever=bm25)" in first.out
    for scope in ("Overall", "simple", "middle", "hard"):
        assert scope in first.out
    assert re.search(r"\[\d+\.\d, \d+\.\d\]", first.out)
    assert "20/20" in first.out
    assert "Most frequent cause of a missed topic" in first.out


def test_it_says_what_is_missing_and_how_to_get_it(first: Ended) -> None:
    assert "No model answers" in first.err
    assert "hashed" in first.err


def test_a_second_run_calls_nothing_and_prints_the_same_table(folder: Path, first: Ended) -> None:
    again = quickstart(folder)

    assert again.code == 0, again.err
    assert table_of(again) == table_of(first)
    assert "0 calls to a model" in again.err


def test_with_json_it_prints_one_object_of_table_report_calls_seconds_and_counts(folder: Path, first: Ended) -> None:
    assert first.code == 0
    shown = quickstart(folder, "--json")

    whole = json.loads(shown.out)
    assert list(whole) == ["table", "report", "calls", "seconds", "counts"]
    assert whole["calls"] == 0
    assert whole["counts"] == {"ok": 120}
    assert {row["Method"] for row in whole["table"]} == {"extractive", "extractive(retriever=bm25)"}


def test_no_request_leaves_the_machine_without_being_noticed(folder: Path) -> None:
    look = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, cwd=folder, check=False)

    assert done.returncode == 1
    assert "NetworkLockedError" in done.stderr


def test_a_model_answers_the_sample_and_is_asked_once_in_two_runs(command: Command, tmp_path: Path) -> None:
    with serving(speaks()) as server:
        words = ("quickstart", tmp_path / "s", "--embed", "hashed", "--answer", model_at(server.url), "--json")
        first = command(*words, "--limit", "2")
        asked = len(server.seen)
        again = command(*words, "--limit", "2")

    whole, second = json.loads(first.out), json.loads(again.out)
    assert (first.code, again.code) == (0, 0)
    assert {row["Method"] for row in whole["table"]} >= {"llm_only", "vanilla(k=3, size=256)"}
    assert whole["calls"] == asked == len(server.seen)
    assert 4 <= asked <= 8
    assert second["calls"] == 0
    assert second["table"] == whole["table"]
    assert whole["counts"] == {"ok": 24}


def test_a_provider_that_stops_is_exit_code_three_with_what_there_is(command: Command, tmp_path: Path) -> None:
    with serving([Status(401, "who are you")]) as server:
        words = ("quickstart", tmp_path / "s", "--embed", "hashed", "--answer", model_at(server.url), "--limit", "1")
        ended = command(*words, "--seed", "5")

    assert ended.code == 3
    assert "check the key" in ended.err
    assert "extractive" in ended.out
    assert json.loads((tmp_path / "s" / "comparison" / "manifest.json").read_text("utf-8"))["seed"] == 5


def test_a_folder_that_cannot_be_written_to_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")

    ended = command("quickstart", tmp_path / "file" / "s", "--embed", "hashed")

    assert (ended.code, ended.out) == (2, "")
    assert "cannot write" in ended.err
