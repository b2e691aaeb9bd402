"""`models` and `doctor`: what there is on this machine."""

import dataclasses
import hashlib
import json
from pathlib import Path

import pytest

from astrolabe.llm.weights import WEIGHTS
from tests.commands import Command
from tests.small_study import small_study


def findings(command: Command, *words: str | Path) -> dict[str, dict[str, object]]:
    ended = command("doctor", "--json", *words)
    assert ended.code == 0
    return {finding["what"]: finding for finding in json.loads(ended.out)["findings"]}


def test_models_shows_licence_size_and_where_each_is(command: Command) -> None:
    shown = command("models")
    listed = [json.loads(line) for line in command("models", "--json").out.splitlines()]

    assert shown.code == 0
    assert {model["name"] for model in listed} == {"embedded:minilm", *(f"embedded:{name}" for name in WEIGHTS)}
    assert all(model["licence"] and len(model["sha256"]) == 64 for model in listed)
    assert all(model["name"] in shown.out for model in listed)
    assert "astrolabe models fetch qwen2.5-coder-0.5b" in shown.out


def test_a_model_that_is_not_there_is_told_which_are(command: Command) -> None:
    ended = command("models", "fetch", "gpt-9")

    assert (ended.code, ended.out) == (2, "")
    assert "smollm2-135m" in ended.err


def test_weights_from_a_file_are_checked_and_kept(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"tiny weights" * 400_000
    path = tmp_path / "tiny.gguf"
    path.write_bytes(content)
    name = "smollm2-135m"
    tiny = dataclasses.replace(WEIGHTS[name], sha256=hashlib.sha256(content).hexdigest(), size=len(content))
    monkeypatch.setitem(WEIGHTS, name, tiny)

    first = command("models", "fetch", f"embedded:{name}", "--file", path)
    again = command("models", "fetch", name, "--json")

    assert first.code == 0, first.err
    assert "its SHA-256 is right" in first.err
    kept = Path(first.out.strip())
    assert kept.read_bytes() == content
    assert json.loads(again.out) == {"name": name, "path": str(kept)}


def test_doctor_says_what_works_and_what_to_do(command: Command, tmp_path: Path) -> None:
    shown = command("doctor", "--study", tmp_path)
    found = findings(command, "--study", tmp_path)

    assert shown.code == 0
    assert "works" in shown.out
    assert found["record of calls"]["works"] is True
    assert found["cache folder"]["works"] is True
    assert all(finding["advice"] for finding in found.values() if not finding["works"])


def test_doctor_names_the_models_of_a_study_and_whether_a_key_is_set(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ASTROLABE_KEY_OPENAI"):
        monkeypatch.delenv(name, raising=False)
    small_study(tmp_path / "s", answer="openai:gpt-x", judge="ollama:llama")

    without = findings(command, "--study", tmp_path / "s")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-field-CANARY-0001")
    with_key = command("doctor", "--study", tmp_path / "s", "--json")

    assert without["role answer"]["works"] is False
    assert "ASTROLABE_KEY_OPENAI" in str(without["role answer"]["advice"])
    assert without["role judge"]["works"] is True
    assert without["role embed"]["works"] is True
    assert "a key is set" in with_key.out
    assert "CANARY" not in with_key.out


def test_doctor_names_a_cache_folder_that_cannot_be_written_to(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    monkeypatch.setenv("ASTROLABE_CACHE", str(tmp_path / "file" / "cache"))

    found = findings(command, "--study", tmp_path)

    assert found["cache folder"]["works"] is False
    assert "ASTROLABE_CACHE" in str(found["cache folder"]["advice"])
