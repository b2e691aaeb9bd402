"""Disks that are full, read-only or damaged: a clear sentence, and nothing lost."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from astrolabe.core.records import Answer, Score
from astrolabe.store.folder import StudyFolder
from astrolabe.store.lines import read_records, write_records
from tests.commands import Command, Ended, ended, started
from tests.servers import Behaviour, Seen, Server, serving
from tests.small_study import documents, finds, many_questions, model_at, small_study, speaks

QUESTIONS = 60


def study_at(root: Path, server: Server) -> Path:
    small_study(root, answer=model_at(server.url), judge=model_at(server.url), asked=many_questions(QUESTIONS))
    return root


def in_files_of_at_most(kilobytes: int) -> Sequence[str]:
    """Return the words that let no file of a command grow beyond a size, as on a disk that is full."""
    return ("sh", "-c", f'ulimit -f {kilobytes * 2}; exec "$@"', "sh")


def answered(root: Path) -> set[str]:
    return {answer.question_id for answer in read_records(root / "answers" / "vanilla.jsonl", Answer)}


def run_once(root: Path, *, within: Sequence[str] = ()) -> Ended:
    # On a full disk no coverage can be written either.
    words = ("run", "--method", "vanilla", "--study", root)
    return ended(started(*words, within=within, COVERAGE_PROCESS_CONFIG="", COVERAGE_PROCESS_START=""))


def test_a_full_disk_ends_the_run_with_a_sentence_and_the_next_run_goes_on(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        root = study_at(tmp_path / "s", server)
        full = run_once(root, within=in_files_of_at_most(60))
        there = len(server.seen)
        kept = answered(root) if (root / "answers" / "vanilla.jsonl").exists() else set[str]()
        finished = run_once(root)

    assert full.code == 3
    assert "Traceback" not in full.err
    assert "what it held before is still there" in full.err
    assert f" of {QUESTIONS} done, " in full.err
    assert "the same command goes on from here" in full.err
    assert 0 < there < QUESTIONS + 10
    assert finished.code == 0
    assert kept <= answered(root)
    assert len(answered(root)) == QUESTIONS
    # Four calls at a time, and the replies of one write: what could not be written is asked again, and nothing else.
    assert len(server.seen) <= QUESTIONS + 4 + 16


def test_a_full_disk_ends_a_question_with_a_sentence_and_the_next_time_it_is_answered(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        root = study_at(tmp_path / "s", server)
        long = [one.model_copy(update={"text": " ".join([one.text] * 400)}) for one in documents()]
        write_records(StudyFolder(root).documents, long)
        words = ("ask", "What moves the tides?", "--method", "vanilla", "--study", root)
        within = in_files_of_at_most(100)
        full = ended(started(*words, within=within, COVERAGE_PROCESS_CONFIG="", COVERAGE_PROCESS_START=""))
        there = len(server.seen)
        finished = ended(started(*words))

    assert full.code == 3
    assert "passages.jsonl" in full.err
    assert "the same command goes on from here" in full.err
    assert "Traceback" not in full.err
    assert (there, finished.code) == (0, 0)


def without_the_rights_of_root() -> Sequence[str]:
    """Return the words that let a command of root keep to the rights of files."""
    if os.geteuid() != 0:
        return ()
    found = shutil.which("setpriv")
    if found is None:
        pytest.skip("root may write everywhere, and setpriv is not here")
    return (found, "--bounding-set", "-all")


def test_a_folder_that_may_not_be_written_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        root = study_at(tmp_path / "s", server)
        run_once(root)
        (root / "answers" / "vanilla.jsonl").unlink()
        before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
        folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
        for path in (*before, *folders):
            path.chmod(0o555 if path.is_dir() else 0o444)
        try:
            refused = run_once(root, within=without_the_rights_of_root())
        finally:
            for path in folders:
                path.chmod(0o755)

    assert refused.code == 2
    assert "Traceback" not in refused.err
    assert "calls.sqlite" in refused.err
    assert "can be written to" in refused.err
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_a_torn_last_answer_and_score_are_made_again_from_the_record(command: Command, tmp_path: Path) -> None:
    def plays(seen: Seen) -> Behaviour:
        return finds()(seen) if "response_format" in seen.body else speaks()(seen)

    with serving(plays) as server:
        root = study_at(tmp_path / "s", server)
        words = (
            ("run", "--method", "vanilla", "--study", root),
            ("score", "--metric", "topics", "--study", root),
        )
        first = [command(*line) for line in words]
        asked = len(server.seen)
        files = [root / "answers" / "vanilla.jsonl", root / "scores" / "topics" / "vanilla.jsonl"]
        for path in files:
            content = path.read_bytes()
            path.write_bytes(content[: content.rstrip(b"\n").rfind(b"\n") + 40])
        again = [command(*line) for line in words]

    assert [one.code for one in (*first, *again)] == [0] * 4
    assert len(server.seen) == asked
    assert f"{QUESTIONS - 1} stood already" in again[0].err
    assert len(read_records(files[0], Answer)) == len(read_records(files[1], Score)) == QUESTIONS


def newer_record(root: Path) -> None:
    connection = sqlite3.connect(root / "calls.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def newer_study(root: Path) -> None:
    path = root / "answers" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "astrolabe": "9.9", "layout": 2}), "utf-8")


def damaged_record(root: Path) -> None:
    for path in root.glob("calls.sqlite-*"):
        path.unlink()
    content = (root / "calls.sqlite").read_bytes()
    (root / "calls.sqlite").write_bytes(content[:1000] + b"\xff" * (len(content) - 1000))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (newer_record, "version 99, this program knows 2: it was written by a newer Astrolabe; install that one"),
        (newer_study, "layout 2, this program knows 1: Astrolabe 9.9 wrote it; install that version"),
        (damaged_record, "is damaged or no record of calls"),
    ],
)
def test_what_cannot_be_read_is_named_and_left_alone(
    command: Command, tmp_path: Path, fault: Callable[[Path], None], said: str
) -> None:
    with serving(speaks()) as server:
        root = study_at(tmp_path / "s", server)
        command("run", "--method", "vanilla", "--study", root)
        asked = len(server.seen)
        fault(root)
        before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and "-" not in path.suffix}
        refused = command("run", "--method", "vanilla", "--study", root)

    assert refused.code == 2
    assert said in refused.err
    assert len(server.seen) == asked
    assert {path: path.read_bytes() for path in before} == before


def test_a_damaged_record_that_is_moved_away_costs_only_what_it_held(command: Command, tmp_path: Path) -> None:
    with serving(speaks()) as server:
        root = study_at(tmp_path / "s", server)
        command("run", "--method", "vanilla", "--study", root)
        damaged_record(root)
        refused = command("run", "--method", "vanilla", "--study", root)
        (root / "calls.sqlite").rename(root / "damaged")
        went_on = command("run", "--method", "vanilla", "--study", root)

    assert "move it away" in refused.err
    assert went_on.code == 0
    assert f"{QUESTIONS} stood already" in went_on.err


def test_a_record_that_turns_out_damaged_in_the_middle_ends_the_run(command: Command, tmp_path: Path) -> None:
    with serving(speaks()) as server:
        root = study_at(tmp_path / "s", server)
        command("run", "--method", "vanilla", "--study", root)
        (root / "answers" / "vanilla.jsonl").unlink()
        content = (root / "calls.sqlite").read_bytes()
        size = int.from_bytes(content[16:18], "big")
        (root / "calls.sqlite").write_bytes(content[: 2 * size] + b"\xff" * (len(content) - 2 * size))
        refused = command("run", "--method", "vanilla", "--study", root)

    assert refused.code == 2
    assert "move it away" in refused.err
    assert "Traceback" not in refused.err
