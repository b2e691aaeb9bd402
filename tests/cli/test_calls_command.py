"""`astrolabe calls`: a run's calls carried elsewhere, and the run made again there without a network."""

import json
from pathlib import Path

import pytest

import astrolabe
from astrolabe.store.carried import Carried
from astrolabe.study.study import new_study
from tests.commands import Command
from tests.servers import serving
from tests.small_study import model_at, small_study, speaks


@pytest.fixture
def finished(tmp_path: Path, command: Command) -> Path:
    root = tmp_path / "s"
    with serving(speaks()) as server:
        small_study(root, answer=model_at(server.url))
        assert command("run", "--method", "vanilla", "--scope", "hard", "--study", root).code == 0
    return root


def test_export_and_import_say_what_they_carried(command: Command, finished: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "calls.gz", tmp_path / "other"
    new_study(other)

    sent = command("calls", "export", file, "--study", finished)
    got = command("calls", "import", file, "--study", other)
    again = command("calls", "import", file, "--study", other)

    assert (sent.code, got.code, again.code) == (0, 0, 0)
    assert sent.out == f"{file}\n"
    # A note for each of the four answers, and one on whether a key was set.
    assert sent.err == "4 replies, 0 failures, 0 vectors, 5 notes\n"
    assert got.out == f"{other / 'calls.sqlite'}\n"
    assert got.err == "4 replies, 0 failures, 0 vectors, 5 notes; 0 rows were here already\n"
    assert again.err == "0 replies, 0 failures, 0 vectors, 0 notes; 9 rows were here already\n"


def test_the_counts_are_one_json_object(command: Command, finished: Path, tmp_path: Path) -> None:
    file = tmp_path / "calls.gz"

    sent = command("calls", "export", file, "--study", finished, "--json", "--no-vectors")
    got = command("calls", "import", file, "--study", finished, "--json")

    counts = {"replies": 4, "failures": 0, "vectors": 0, "took": 5}
    assert json.loads(sent.out) == {**counts, "file": str(file)}
    assert json.loads(got.out) == {**dict.fromkeys(counts, 0), "known": 9, "file": str(finished / "calls.sqlite")}


def test_options_before_the_word_count_too(command: Command, finished: Path, tmp_path: Path) -> None:
    sent = command("calls", "--study", finished, "--json", "export", tmp_path / "calls.gz")

    assert (sent.code, json.loads(sent.out)["replies"]) == (0, 4)


def test_a_file_that_is_none_ends_with_exit_code_2(command: Command, finished: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("plain notes")

    refused = command("calls", "import", tmp_path / "notes", "--study", finished)
    missing = command("calls", "export", tmp_path / "x", "--study", tmp_path / "nowhere")

    assert (refused.code, missing.code) == (2, 2)
    assert "nothing was imported" in refused.err
    assert "there is no study folder" in missing.err


async def test_python_has_the_same_doors(finished: Path, tmp_path: Path) -> None:
    other = new_study(tmp_path / "other")

    sent = await astrolabe.export_calls(finished, tmp_path / "calls.gz", vectors=False)
    got = await astrolabe.import_calls(other, str(tmp_path / "calls.gz"))

    assert sent == got == Carried(replies=4, took=5)
