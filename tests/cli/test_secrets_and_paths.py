"""Keys stand in no file, and no id is a path (field cases D37 and D38)."""

import json
from pathlib import Path

import pytest

from astrolabe.core.records import Answer
from astrolabe.store.folder import StudyFolder
from astrolabe.store.lines import append_records
from tests.commands import Command, Ended, ended, started
from tests.servers import Says, Status, serving
from tests.small_study import finds, many_questions, model_at, small_study, speaks

CANARY = "sk-field-CANARY-0001"
STRANGE = ["../../evil", "..\\evil", "/abs", "a/../../b", "con", ".", "..", "x" * 300, "a b", "ü"]


def left_behind(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def whole_job(root: Path, url: str, key: str) -> list[Ended]:
    """Run, score, compare and report, each in a process of its own with debug logging."""
    small_study(root, answer=model_at(url), judge=model_at(url))
    words = (
        ["run", "--method", "vanilla", "--scope", "hard"],
        ["score", "--metric", "topics"],
        ["compare"],
        ["report"],
        ["status"],
        ["plan", "run", "--method", "vanilla"],
    )
    return [ended(started(*line, "--study", root, PYTHONASYNCIODEBUG="1", OPENAI_API_KEY=key)) for line in words]


# D38
def test_a_key_of_the_environment_is_sent_and_left_nowhere(tmp_path: Path) -> None:
    with serving(speaks()) as server:
        ends = whole_job(tmp_path / "s", server.url, CANARY)
        sent = {seen.headers.get("Authorization") for seen in server.seen}

    assert sent == {f"Bearer {CANARY}"}
    assert ends[0].code == 0
    assert CANARY.encode() not in left_behind(tmp_path)
    assert not [one for one in ends if CANARY in one.out + one.err]


# D38
@pytest.mark.parametrize("where", ["environment", "address"])
def test_a_key_that_the_server_repeats_in_its_refusal_is_left_nowhere(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    root = tmp_path / "s"
    small_study(root)
    with serving([Status(401, f"Incorrect API key provided: {CANARY}.")]) as server:
        url = server.url
        if where == "environment":
            monkeypatch.setenv("OPENAI_API_KEY", CANARY)
        else:
            url = url.replace("http://", f"http://user:{CANARY}@")
        stopped = command("run", "--method", "vanilla", "--answer", model_at(url), "--study", root)

    assert server.seen
    assert stopped.code == 3
    assert CANARY not in stopped.out + stopped.err
    assert "check the key" in stopped.err
    assert CANARY.encode() not in left_behind(tmp_path)


# D38
def test_a_key_in_the_address_of_study_toml_is_copied_nowhere(command: Command, tmp_path: Path) -> None:
    root = tmp_path / "s"
    with serving(speaks()) as server:
        small_study(root, answer=model_at(server.url.replace("http://", f"http://user:{CANARY}@")))
        ends = [
            command("run", "--method", "vanilla", "--scope", "hard", "--study", root),
            command("score", "--study", root),
            command("compare", "--study", root),
            command("report", "--study", root),
            command("plan", "run", "--method", "vanilla", "--study", root),
        ]
    (root / "study.toml").unlink()

    assert [one.code for one in ends] == [0] * 5
    assert CANARY.encode() not in left_behind(tmp_path)
    assert not [one for one in ends if CANARY in one.out + one.err]


# D37
@pytest.mark.parametrize("name", STRANGE)
def test_methods_and_questions_with_strange_names_stay_inside_the_study(
    command: Command, tmp_path: Path, name: str
) -> None:
    root = tmp_path / "deep" / "deeper" / "s"
    (asked,) = many_questions(1)
    small_study(root, asked=[asked.model_copy(update={"id": name})])
    own = Answer(question_id=name, method=name, scope="hard", text="Tides follow the moon.")
    append_records(StudyFolder(root).answers(name), [own])
    outside = {path for path in tmp_path.rglob("*") if root not in path.parents}

    ran = command("run", "--method", "extractive", "--study", root)
    scored = command("score", "--metric", "topics_local,cost", "--study", root, "--json")
    reported = command("report", "--study", root)

    assert (ran.code, scored.code, reported.code) == (0, 0, 0), ran.err + scored.err + reported.err
    assert {path for path in tmp_path.rglob("*") if root not in path.parents} == outside
    assert {json.loads(line)["method"] for line in scored.out.splitlines()} == {"extractive", name}


# D37
def test_a_strange_system_is_one_file_of_answers(command: Command, tmp_path: Path) -> None:
    root = tmp_path / "s"
    small_study(root)
    with serving([Says("no JSON for a system")]) as server:
        command("run", "--system", f"{server.address}/../../etc/passwd", "--study", root)

    names = [path.name for path in (root / "answers").glob("*.jsonl")]
    assert len(names) == 1
    assert ".." not in names[0]


def test_judging_keeps_no_key_either(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    small_study(tmp_path / "s")
    command("run", "--method", "extractive", "--study", tmp_path / "s")
    with serving(finds()) as judge:
        scored = command("score", "--metric", "topics", "--judge", model_at(judge.url), "--study", tmp_path / "s")

    assert scored.code == 0
    assert judge.seen[0].headers["Authorization"] == f"Bearer {CANARY}"
    assert CANARY.encode() not in left_behind(tmp_path)
