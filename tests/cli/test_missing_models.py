"""A model that cannot be asked from here is said at once, with what to do about it."""

import json
from pathlib import Path

import pytest

from tests.commands import Command
from tests.small_study import small_study

QWEN = "embedded:qwen2.5-coder-0.5b"
LACKS = {
    QWEN: "run: astrolabe models fetch qwen2.5-coder-0.5b",
    "openai:gpt-x": "openai:gpt-x needs a key: set OPENAI_API_KEY",
    "": "no model plays the role 'answer'",
}
"""What is said of each model where neither weights nor keys are here."""


@pytest.fixture(autouse=True)
def _nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]  # pytest calls it
    for name in ("OPENAI_API_KEY", "ASTROLABE_KEY_OPENAI", "ASTROLABE_WEIGHTS"):
        monkeypatch.delenv(name, raising=False)


def made(root: Path) -> list[str]:
    """Return what stands in a study of passages, indexes and answers."""
    return sorted(str(path) for name in ("corpus", "indexes", "answers") for path in (root / name).rglob("*"))


@pytest.mark.parametrize("model", LACKS)
@pytest.mark.parametrize("words", [("run", "--method", "extractive,vanilla"), ("ask", "How?", "--method", "vanilla")])
def test_what_is_missing_is_said_before_anything_is_cut_or_embedded(
    command: Command, tmp_path: Path, model: str, words: tuple[str, ...]
) -> None:
    small_study(tmp_path, answer=model)

    ended = command(*words, "--study", tmp_path)

    assert (ended.code, ended.out) == (2, "")
    assert LACKS[model] in ended.err
    assert made(tmp_path) == []


def test_methods_that_ask_no_model_need_none(command: Command, tmp_path: Path) -> None:
    small_study(tmp_path, answer="openai:gpt-x")

    assert command("run", "--method", "extractive", "--study", tmp_path).code == 0
    assert command("ask", "How is salt made?", "--method", "extractive", "--study", tmp_path).code == 0


def test_a_question_without_a_method_is_answered_from_sentences_and_it_is_said_what_would_change_that(
    command: Command, tmp_path: Path
) -> None:
    small_study(tmp_path, answer=QWEN)

    ended = command("ask", "How is salt made?", "--study", tmp_path)

    assert ended.code == 0
    assert "answered without a model:" in ended.err
    assert LACKS[QWEN] in ended.err
    assert "Extractive:" in ended.out


@pytest.mark.parametrize("model", [QWEN, "openai:gpt-x"])
def test_a_plan_needs_no_model_and_says_what_the_run_will_need(command: Command, tmp_path: Path, model: str) -> None:
    small_study(tmp_path, answer=model)

    ended = command("plan", "run", "--method", "vanilla", "--study", tmp_path)
    without = command("plan", "run", "--method", "extractive", "--study", tmp_path)

    assert (ended.code, without.code) == (0, 0)
    assert "answer.write" in ended.out
    assert LACKS[model] in ended.err
    assert LACKS[model] not in without.err


def test_doctor_says_of_a_role_whose_weights_are_not_here_what_to_run(command: Command, tmp_path: Path) -> None:
    small_study(tmp_path, answer=QWEN)

    ended = command("doctor", "--json", "--study", tmp_path)

    (role,) = [one for one in json.loads(ended.out)["findings"] if one["what"] == "role answer"]
    assert ended.code == 0
    assert role["works"] is False
    assert LACKS[QWEN] in role["advice"]
