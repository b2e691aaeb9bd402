"""The main job from an installed package: no network, no weights, no key."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from astrolabe.core.errors import UserError
from astrolabe.core.records import Answer
from astrolabe.core.spelling import spell
from astrolabe.store.carried import import_calls
from astrolabe.study.bundle import bundled
from astrolabe.study.recorded_methods import INDEXED, INDEXED_SCOPES
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


def test_a_last_write_that_fails_stops_it_and_the_same_command_goes_on(command: Command, tmp_path: Path) -> None:
    words = ("quickstart", tmp_path, "--embed", "hashed", "--limit", "1")
    in_the_way = tmp_path / "report"
    in_the_way.touch()

    stopped = command(*words)
    in_the_way.unlink()
    went_on = command(*words)

    assert stopped.code == 3
    assert "cannot write" in stopped.err
    assert "the same command goes on from here" in stopped.err
    assert went_on.code == 0
    assert (in_the_way / "report.html").is_file()


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


@pytest.fixture(scope="module")
def with_record(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """A quickstart with the embedding model of the bundled record, and without any weights."""
    folder = tmp_path_factory.mktemp("recorded")
    words = ("quickstart", folder / "s", "--embed", "embedded:minilm", "--limit", "5")
    return folder / "s", ended(started(*words, cwd=folder, ASTROLABE_CACHE=str(folder / "c")), seconds=300)


def test_the_bundled_record_answers_for_methods_whose_index_asks_a_model(with_record: tuple[Path, Ended]) -> None:
    root, shown = with_record
    answers = [
        Answer.model_validate_json(line)
        for path in (root / "answers").glob("*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]
    asked = [answer for answer in answers if not answer.method.startswith("extractive")]

    assert shown.code == 0, shown.err
    assert {answer.method for answer in asked} == {spell(method) for method in INDEXED}
    assert {answer.scope for answer in asked} == set(INDEXED_SCOPES)
    assert {answer.status for answer in asked} == {"ok"}
    assert len(asked) == 5 * len(INDEXED) * len(INDEXED_SCOPES)
    assert "0 calls to a model" in shown.err
    assert "does not hold" not in shown.err


def test_what_comes_from_the_record_is_marked_in_table_and_report(with_record: tuple[Path, Ended]) -> None:
    root, shown = with_record
    page = (root / "report" / "report.html").read_text("utf-8")

    for method in INDEXED:
        assert f"{spell(method)} *recorded*" in shown.out
    assert page.count('<em class="pill">recorded</em>') >= len(INDEXED)
    assert "extractive *recorded*" not in shown.out
    assert "not run" in shown.out
    assert "Scores are missing" not in shown.err


def test_what_the_record_cost_when_it_was_made_is_said(with_record: tuple[Path, Ended]) -> None:
    answers = [
        Answer.model_validate_json(line)
        for line in (with_record[0] / "answers" / "hipporag.jsonl").read_text("utf-8").splitlines()
    ]

    assert all(answer.usage.calls == 2 and answer.usage.prompt_tokens > 500 for answer in answers)


def test_a_record_that_was_changed_is_refused(tmp_path: Path) -> None:
    with bundled() as bundle:
        whole = gzip.decompress(bundle.record.read_bytes())
    changed = tmp_path / "replies.jsonl.gz"
    changed.write_bytes(gzip.compress(whole.replace(b"Grand Mosque", b"Great Mosque", 1)))

    with pytest.raises(UserError, match="was changed after it was written"):
        import_calls(tmp_path / "calls.sqlite", changed)
