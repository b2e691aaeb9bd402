"""`new` makes a study that is empty, or one that any method can be tried on."""

from pathlib import Path

from astrolabe.core.spelling import parse_spelled
from astrolabe.core.tokens import count_tokens
from astrolabe.methods import METHODS
from astrolabe.study.study import open_study
from tests.commands import Command


def test_a_new_study_names_the_next_command(command: Command, tmp_path: Path) -> None:
    ended = command("new", tmp_path / "s")

    assert ended.code == 0
    assert ended.out.splitlines()[-1] == str(tmp_path / "s" / "study.toml")
    assert "next: astrolabe ingest PATH..." in ended.err


def test_the_example_has_three_questions_in_three_scopes_over_few_tokens(command: Command, tmp_path: Path) -> None:
    ended = command("new", tmp_path / "s", "--example", "--embed", "hashed")

    study = open_study(tmp_path / "s")
    assert ended.code == 0, ended.err
    assert "next: astrolabe run --method METHOD" in ended.err
    assert len(study.questions) == 3
    assert all(set(question.scopes) == {"simple", "middle", "hard"} for question in study.questions)
    assert {document.status for document in study.documents} == {"ok"}
    assert sum(count_tokens(document.text) for document in study.documents) <= 3_000


def test_all_methods_of_the_example_are_all_there_are_and_the_large_trees_are_small(
    command: Command, tmp_path: Path
) -> None:
    command("new", tmp_path / "s", "--example", "--embed", "hashed")

    named = open_study(tmp_path / "s").settings.methods.all

    assert named
    methods = {method.name: method for method in (parse_spelled(name, METHODS, what="method") for name in named)}
    assert sorted(methods) == sorted(METHODS)
    assert max(methods[name].calls.question_high for name in ("rtrag", "tree_of_question")) <= 20


def test_the_example_is_answered_and_scored_at_once(command: Command, tmp_path: Path) -> None:
    words = ("--study", tmp_path / "s", "--embed", "hashed")
    command("new", tmp_path / "s", "--example", "--embed", "hashed")

    ran = command("run", "--method", "extractive", *words)
    scored = command("score", *words)

    assert ran.code == 0, ran.err
    assert scored.code == 0, scored.err
    assert "3/3" in scored.out


def test_an_example_is_not_put_into_a_study_that_is_there(command: Command, tmp_path: Path) -> None:
    command("new", tmp_path / "s")

    ended = command("new", tmp_path / "s", "--example", "--embed", "hashed")

    assert ended.code == 2
    assert "exists already" in ended.err
