"""A finished run made again from its recorded calls, where nothing can be reached."""

import hashlib
import json
import shutil
import socket
from collections.abc import Generator
from pathlib import Path

import pytest

from astrolabe.core.records import Answer
from astrolabe.store.lines import read_records
from tests.commands import Command, Ended
from tests.servers import Behaviour, Body, Seen, Server, serving
from tests.small_study import finds, model_at, small_study, speaks

METHODS = "vanilla,vanilla(k=2),llm_only,extractive"
METRICS = "topics,topics_local,cost,evidence_recall,miss_cause"
CODES = [0, 1, 0, 0]
"""Without passages `llm_only` has no evidence to recall: scoring ends with gaps, which a replay has, too."""
MADE = ("scores", "comparison", "report")


def plays_all(seen: Seen) -> Behaviour:
    """Answer, judge and embed, each request in its own way and always the same."""
    if seen.path.endswith("/embeddings"):
        return Body(json.dumps({"data": [vector(number, str(text)) for number, text in enumerate(inputs(seen))]}))
    return finds()(seen) if seen.body["model"] == "judge" else speaks()(seen)


def inputs(seen: Seen) -> list[object]:
    texts = seen.body["input"]
    assert isinstance(texts, list)
    return list(texts)


def vector(number: int, text: str) -> dict[str, object]:
    return {"index": number, "embedding": [float(byte) - 128 for byte in hashlib.sha256(text.encode()).digest()]}


def study_at(root: Path, server: Server) -> Path:
    small_study(root, answer=model_at(server.url), judge=f"openai:judge@{server.url}", concurrency=8)
    settings = root / "study.toml"
    settings.write_text(settings.read_text().replace('"hashed"', f'"openai:embeds@{server.url}"'), "utf-8")
    return root


def whole_job(command: Command, root: Path, *how: str, methods: str = METHODS) -> list[Ended]:
    return [
        command("run", "--method", methods, *how, "--study", root),
        command("score", "--metric", METRICS, *how, "--study", root),
        command("compare", "--study", root),
        command("report", "--study", root),
    ]


def made(root: Path) -> dict[str, bytes]:
    files = [path for name in MADE for path in (root / name).rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def answers(root: Path) -> dict[str, list[Answer]]:
    def place(answer: Answer) -> tuple[str, str]:
        return answer.question_id, answer.scope or ""

    return {path.name: sorted(read_records(path, Answer), key=place) for path in (root / "answers").glob("*.jsonl")}


@pytest.fixture
def finished(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study with answers, scores and a report, and the server and the key gone."""
    with serving(plays_all) as server, monkeypatch.context() as keyed:
        keyed.setenv("OPENAI_API_KEY", "sk-gone")
        root = study_at(tmp_path / "here" / "s", server)
        ends = whole_job(command, root)
        assert {seen.path for seen in server.seen} == {"/v1/chat/completions", "/v1/embeddings"}
    assert [one.code for one in ends] == CODES, [one.err for one in ends]
    return root


@pytest.fixture
def no_network(finished: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[list[object]]:  # noqa: ARG001 - first it runs
    """Refuse every connection; what was tried."""
    tried: list[object] = []

    def refuse(_: socket.socket, address: object) -> None:
        tried.append(address)
        raise AssertionError(f"{address!r}: there is no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    yield tried
    assert not tried


def copy_without_results(root: Path, to: Path) -> Path:
    """Copy what a study was given: its settings, documents and benchmark."""
    for name in ("documents", "benchmark"):
        shutil.copytree(root / name, to / name)
    shutil.copy(root / "study.toml", to / "study.toml")
    return to


@pytest.mark.usefixtures("no_network")
def test_a_replayed_run_makes_the_same_answers_scores_and_report_to_the_byte(
    command: Command, finished: Path, tmp_path: Path
) -> None:
    other = copy_without_results(finished, tmp_path / "there" / "s")
    command("calls", "export", tmp_path / "calls.gz", "--study", finished)
    command("calls", "import", tmp_path / "calls.gz", "--study", other)

    ends = whole_job(command, other, "--calls", "replay")

    assert [one.code for one in ends] == CODES, [one.err for one in ends]
    assert answers(other) == answers(finished)
    assert made(other) == made(finished)
    assert len(made(finished)) > 15
    assert b"was set for the model that answers" in made(other)["report/report.html"]


@pytest.mark.usefixtures("no_network")
def test_a_replay_in_the_same_folder_makes_what_was_deleted_again(command: Command, finished: Path) -> None:
    before, given = made(finished), answers(finished)
    for name in (*MADE, "answers", "indexes", "corpus"):
        shutil.rmtree(finished / name)

    ends = whole_job(command, finished, "--calls", "replay")

    assert [one.code for one in ends] == CODES, [one.err for one in ends]
    assert answers(finished) == given
    assert made(finished) == before


@pytest.mark.usefixtures("no_network")
def test_a_missing_reply_names_its_step_and_ends_with_exit_code_2(command: Command, finished: Path) -> None:
    missed = command("run", "--method", "vanilla(size=20)", "--calls", "replay", "--study", finished)

    assert missed.code == 2
    assert "replay: the step 'embed.passage' needs the vector of '" in missed.err


@pytest.mark.usefixtures("no_network")
def test_a_missing_reply_of_the_judge_names_its_step_too(command: Command, finished: Path) -> None:
    missed = command("score", "--metric", "topics_astra", "--calls", "replay", "--study", finished)

    assert missed.code == 2
    assert "replay: the step 'judge." in missed.err
    assert "Traceback" not in missed.err


@pytest.mark.usefixtures("no_network")
def test_a_system_of_the_users_is_not_called_in_a_replay(command: Command, finished: Path) -> None:
    missed = command("run", "--system", "http://127.0.0.1:9/ask", "--calls", "replay", "--study", finished)

    assert missed.code == 2
    assert "replay: the step 'answer.system' needs the answer of 'http://127.0.0.1:9/ask' to 'q-" in missed.err


def test_plan_counts_the_calls_of_a_run_whose_texts_are_not_embedded_yet(command: Command, tmp_path: Path) -> None:
    with serving(plays_all) as server:
        root = study_at(tmp_path, server)
        planned = command("plan", "run", "--method", "vanilla", "--study", root, "--json")

    assert planned.code == 0, planned.err
    assert sum(stage["calls"] for stage in json.loads(planned.out)["stages"]) == 8
