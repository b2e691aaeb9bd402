import json
from pathlib import Path

import pytest

from astrolabe.core.records import Answer
from tests.commands import Command
from tests.servers import Behaviour, Body, Says, Seen, Status, serving
from tests.small_study import IDS, model_at, small_study, speaks


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A study without any model."""
    small_study(tmp_path / "s")
    return tmp_path / "s"


def test_run_says_what_it_wrote_and_how_the_answers_ended(command: Command, root: Path) -> None:
    ended = command("run", "--method", "extractive", "--study", root)

    assert ended.code == 0
    assert ended.out == f"{root / 'answers' / 'extractive.jsonl'}\n"
    assert "8 ok; 0 stood already" in ended.err


def test_run_with_json_prints_answers_and_nothing_else(command: Command, root: Path) -> None:
    ended = command("run", "--method", "extractive,extractive(k=2, sentences=1)", "--study", root, "--json")

    answers = [Answer.model_validate_json(line) for line in ended.out.splitlines()]
    assert {answer.method for answer in answers} == {"extractive", "extractive(k=2, sentences=1)"}
    assert len(answers) == 16


def test_a_question_and_a_scope_can_be_chosen(command: Command, root: Path) -> None:
    ended = command(
        *("run", "--method", "extractive", "--study", root, "--json"),
        *("--question", "q-salt", "--question", "q-nets", "--scope", "hard"),
    )

    answers = [Answer.model_validate_json(line) for line in ended.out.splitlines()]
    assert {(answer.question_id, answer.scope) for answer in answers} == {("q-salt", "hard"), ("q-nets", "hard")}


def test_nothing_to_run_is_the_users_to_say(command: Command, root: Path) -> None:
    ended = command("run", "--study", root)

    assert (ended.code, ended.out) == (2, "")
    assert "--method SPEC" in ended.err


@pytest.mark.parametrize(
    ("spelled", "said"),
    [
        ("vanila", "no method 'vanila'; did you mean vanilla? Else choose one of apt, "),
        ("vanilla(n=3)", "no parameter 'n'"),
        ("vanilla(k=three)", "k=three: Input should be a valid integer"),
        ("vanilla(k=0)", "k >= 1"),
        ("vanilla(k=)", "not a spelled method"),
        ("vanilla(retriever=sparse)", "'dense', 'bm25' or 'fused'"),
        ("extractive(sentences=0)", "sentences >= 1"),
        ("extractive(diversity=2)", "diversity from 0 to 1"),
        ("../../evil", "not a spelled method"),
    ],
)
def test_a_misspelled_method_is_exit_code_two(command: Command, root: Path, spelled: str, said: str) -> None:
    ended = command("run", "--method", spelled, "--study", root)

    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_method_without_its_model_names_the_role(command: Command, root: Path) -> None:
    ended = command("run", "--method", "vanilla", "--study", root)

    assert (ended.code, ended.out) == (2, "")
    assert "role 'answer'" in ended.err
    assert "--answer PROVIDER:NAME" in ended.err


def test_a_model_can_be_given_as_an_option(command: Command, root: Path) -> None:
    with serving(speaks()) as server:
        ended = command("run", "--method", "vanilla", "--answer", model_at(server.url), "--study", root, "--limit", 1)

    assert ended.code == 0
    assert len(server.seen) == 2


def test_a_question_that_fails_is_named_with_its_reason(command: Command, root: Path) -> None:
    def script(seen: Seen) -> Behaviour:
        return Status(400, "too salty") if "How is salt" in seen.messages[-1]["content"] else Says("Yes.")

    with serving(script) as server:
        words = ("run", "--method", "llm_only", "--answer", model_at(server.url), "--study", root, "--scope", "hard")
        ended = command(*words)

    assert ended.code == 1
    assert "failed: llm_only, hard, q-salt:" in ended.err
    assert "too salty" in ended.err
    assert "3 ok" in ended.err
    assert "1 failed" in ended.err


def test_a_budget_is_exit_code_three_and_the_same_command_goes_on(command: Command, root: Path) -> None:
    small_study(root, concurrency=1)
    with serving(speaks()) as server:
        words = ("run", "--method", "llm_only", "--answer", model_at(server.url), "--study", root, "--scope", "hard")
        stopped = command(*words, "--budget", "100tokens")
        asked = len(server.seen)
        resumed = command(*words)

    assert stopped.code == 3
    assert "the same command goes on from here" in stopped.err
    assert asked == 1
    assert resumed.code == 0
    assert len(server.seen) == 4


def test_a_run_that_is_stopped_at_once_does_not_say_that_there_is_nothing_to_do(command: Command, root: Path) -> None:
    with serving(speaks()) as server:
        gone = model_at(server.url)

    stopped = command("run", "--method", "llm_only", "--answer", gone, "--study", root, "--scope", "hard")

    assert stopped.code == 3
    assert "nothing done; 0 stood already\nstopped: 0 of 4 done, 4 left" in stopped.err


def test_replay_without_a_record_is_exit_code_two_and_names_the_step(command: Command, root: Path) -> None:
    with serving(speaks()) as server:
        ended = command(
            *("run", "--method", "vanilla", "--answer", model_at(server.url), "--study", root, "--calls", "replay")
        )

    assert (ended.code, ended.out) == (2, "")
    assert "answer.write" in ended.err
    assert "--calls reuse" in ended.err
    assert server.seen == []


def test_another_seed_is_another_sample_of_the_questions(command: Command, root: Path) -> None:
    def sample(seed: int) -> set[str]:
        words = ("run", "--method", f"extractive(k={seed + 1})", "--study", root, "--scope", "hard", "--json")
        ended = command(*words, "--limit", "1", "--seed", str(seed))
        return {Answer.model_validate_json(line).question_id for line in ended.out.splitlines()}

    assert len({name for seed in range(6) for name in sample(seed)}) > 1


def test_a_system_of_the_users_is_one_more_method_and_is_asked_once_a_question(command: Command, root: Path) -> None:
    with serving([Body(json.dumps({"text": "Salt is dried."}))]) as server:
        words = ("run", "--system", f"{server.address}/ask", "--study", root, "--json")
        first = command(*words)
        again = command(*words)

    assert (first.code, again.code) == (0, 0)
    assert first.out.splitlines()[0] in again.out.splitlines()
    answers = [Answer.model_validate_json(line) for line in first.out.splitlines()]
    assert {answer.method for answer in answers} == {f"system(target='{server.address}/ask')"}
    assert len(server.seen) == 8
    assert set(server.seen[0].body) == {"question_id", "question", "scope", "documents"}
    assert server.seen[0].body["documents"] in ([IDS["tides"]], [IDS["salt"]], [IDS["lamps"]], [IDS["nets"]])


def test_a_system_that_is_not_there_is_exit_code_two(command: Command, root: Path) -> None:
    for system in ("no_such_module:answer", "json:nothing", "json:__name__", "answer"):
        ended = command("run", "--system", system, "--study", root)

        assert (ended.code, ended.out) == (2, ""), system
        assert repr(system) in ended.err


def test_what_a_function_prints_is_talk_and_no_result(
    command: Command, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "def answer(request):\n    print('noise')\n    return {'text': 'Yes.'}\n"
    (tmp_path / "noisy_system.py").write_text(code, "utf-8")
    monkeypatch.chdir(tmp_path)

    ended = command("run", "--system", "noisy_system:answer", "--study", root, "--json")

    assert ended.code == 0
    assert all(Answer.model_validate_json(line).text == "Yes." for line in ended.out.splitlines())
    assert "noise" in ended.err


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--method", "extractive"),
        ("run", "--system", "http://127.0.0.1:9/ask"),
        ("plan", "run", "--method", "extractive"),
    ],
)
def test_a_run_in_a_folder_that_is_no_study_leaves_it_as_it_is(
    command: Command, tmp_path: Path, words: tuple[str, ...]
) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()

    ended = command(*words, "--study", folder)

    assert ended.code == 2
    assert "holds no usable documents; run: astrolabe ingest PATH..." in ended.err
    assert list(folder.iterdir()) == []
