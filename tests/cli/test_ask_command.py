"""`ask`, as somebody with a question and a folder of files uses it."""

import json
import time
from pathlib import Path

import pytest

from astrolabe.core.records import Answer
from tests.commands import Command
from tests.servers import Status, serving
from tests.small_study import TEXTS, model_at, small_study, speaks

WORDS = ("--embed", "hashed")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of texts, in an empty current folder."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text, "utf-8")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return folder


def test_an_extractive_answer_says_that_it_is_one_and_shows_its_evidence(command: Command, files: Path) -> None:
    ended = command("ask", "How is salt made?", files, *WORDS)

    assert ended.code == 0
    assert "Salt pans along the coast dry sea water in the sun." in ended.out
    assert "Evidence" in ended.out
    assert "salt.txt" in ended.out
    assert "Extractive:" in ended.out
    assert "answered without a model:" in ended.err


def test_what_was_read_is_kept_in_the_cache_and_not_beside_the_user(command: Command, files: Path, cache: Path) -> None:
    first = command("ask", "How is salt made?", files, *WORDS)

    assert list(Path.cwd().iterdir()) == []
    assert f"read into {cache}" in first.err


def test_a_second_question_reads_nothing_again(command: Command, files: Path, cache: Path) -> None:
    command("ask", "How is salt made?", files, *WORDS)
    passages = next(cache.rglob("passages.jsonl"))
    stamp = passages.stat().st_mtime_ns
    began = time.monotonic()
    ended = command("ask", "Why do nets rot?", files, *WORDS)

    assert ended.code == 0
    assert "Nets of hemp rot" in ended.out
    assert passages.stat().st_mtime_ns == stamp
    assert time.monotonic() - began < 5


def test_a_changed_file_changes_the_answer(command: Command, files: Path) -> None:
    command("ask", "How is salt made?", files, *WORDS)
    (files / "salt.txt").write_text("Salt is made by boiling brine over a fire of peat.", "utf-8")

    assert "boiling brine" in command("ask", "How is salt made?", files, *WORDS).out


def test_a_removed_file_is_no_evidence_any_more(command: Command, files: Path) -> None:
    command("ask", "How is salt made?", files, *WORDS)
    (files / "salt.txt").unlink()

    assert "salt.txt" not in command("ask", "How is salt made?", files, *WORDS).out


def test_a_model_writes_the_answer_where_one_is_given(command: Command, files: Path) -> None:
    with serving(speaks()) as server:
        first = command("ask", "How is salt made?", files, "--answer", model_at(server.url), *WORDS)
        command("ask", "How is salt made?", files, "--answer", model_at(server.url), *WORDS)

    assert first.code == 0
    assert "The material says" in first.out
    assert "Extractive" not in first.out
    assert "1 call" in first.out
    assert len(server.seen) == 1


def test_with_json_the_answer_is_a_record(command: Command, files: Path) -> None:
    ended = command("ask", "How is salt made?", files, "--method", "extractive(sentences=1)", "--json", *WORDS)

    answer = Answer.model_validate_json(ended.out)
    assert (answer.method, answer.scope, answer.status) == ("extractive(sentences=1)", "all", "ok")
    assert len(answer.claims) == 1


def test_a_studys_own_documents_are_asked_without_paths(command: Command, tmp_path: Path) -> None:
    small_study(tmp_path / "s")

    ended = command("ask", "How is salt made?", "--study", tmp_path / "s")

    assert ended.code == 0
    assert "dry sea water in the sun" in ended.out


def test_an_answer_that_failed_is_a_named_state_and_exit_code_one(command: Command, files: Path) -> None:
    with serving([Status(400, "no such thing")]) as server:
        ended = command("ask", "How is salt made?", files, "--answer", model_at(server.url), *WORDS)

    assert ended.code == 1
    assert "failed" in ended.err
    assert "no such thing" in ended.err
    assert "No answer was written.  Method: vanilla" in ended.out


def test_a_provider_that_does_not_know_us_is_exit_code_three(command: Command, files: Path) -> None:
    with serving([Status(401, "who are you")]) as server:
        ended = command("ask", "How is salt made?", files, "--answer", model_at(server.url), *WORDS)

    assert (ended.code, ended.out) == (3, "")
    assert "check the key" in ended.err


def test_no_files_and_no_usable_files_are_the_users(command: Command, files: Path) -> None:
    (files.parent / "empty").mkdir()

    assert command("ask", "What?", files.parent / "gone", *WORDS).code == 2
    assert command("ask", "What?", files.parent / "empty", *WORDS).code == 2
    assert command("ask", "What?", *WORDS).code == 2
    assert command("ask", "What?", files, "--method", "magic", *WORDS).code == 2


def test_five_papers_are_asked_in_an_empty_folder(
    command: Command, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    for path in sorted((shared / "jose_papers").rglob("*.pdf"))[:5]:
        (papers / path.name).write_bytes(path.read_bytes())
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    first = command("ask", "What do students learn?", papers, *WORDS)
    documents = next(cache.rglob("documents.jsonl"))
    read = documents.read_bytes()
    began = time.monotonic()
    second = command("ask", "Which software is used?", papers, *WORDS)
    took = time.monotonic() - began

    assert (first.code, second.code) == (0, 0)
    assert "Evidence" in first.out
    assert "Extractive:" in first.out
    assert ".pdf" in first.out
    assert documents.read_bytes() == read
    assert took < 5
    assert json.loads(read.splitlines()[0])["status"] == "ok"


@pytest.mark.parametrize("question", ["", " \n\t"])
def test_a_blank_question_is_the_users_to_mend(command: Command, files: Path, question: str) -> None:
    ended = command("ask", question, files, *WORDS)

    assert (ended.code, ended.out) == (2, "")
    assert "is blank" in ended.err


def test_a_trace_shows_what_was_found_on_the_way(command: Command, files: Path) -> None:
    ended = command("ask", "How is salt made?", files, "--trace", *WORDS)

    assert "└─ search.passages (dense)" in ended.out
    assert "asked: How is salt made?" in ended.out
    assert " passage: " in ended.out
    assert "Tides follow the moon across the sky." in ended.out


def test_without_the_flag_no_trace_is_printed(command: Command, files: Path) -> None:
    assert "Trace" not in command("ask", "How is salt made?", files, *WORDS).out


@pytest.mark.parametrize(("question", "method"), [(" ", "extractive"), ("How?", "extractiv"), ("How?", "raptor@fast")])
def test_what_cannot_be_asked_is_refused_before_a_file_is_read(
    command: Command, files: Path, question: str, method: str
) -> None:
    ended = command("ask", question, files, "--method", method, *WORDS)

    assert ended.code == 2
    assert "read into" not in ended.err
