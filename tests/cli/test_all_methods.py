"""Every method through the commands, over a real server: run, again, replay, status, plan and report."""

import json
from pathlib import Path

import pytest

from astrolabe.core.records import Answer
from astrolabe.methods import METHODS
from tests.commands import Command, ended, started
from tests.sensible import speaks_sensibly
from tests.servers import serving
from tests.small_study import model_at, small_study


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A study that every method has answered, and how often the server was asked."""
    root = tmp_path_factory.mktemp("all") / "s"
    with serving(speaks_sensibly) as server:
        small_study(root, answer=model_at(server.url))
        done = ended(started("run", "--method", "all", "--limit", "2", "--study", root))
        assert done.code == 0, done.err
        return root, len(server.seen)


def answers(root: Path) -> list[Answer]:
    """Return all answers of a study."""
    lines = [line for path in (root / "answers").glob("*.jsonl") for line in path.read_text("utf-8").splitlines()]
    return [Answer.model_validate_json(line) for line in lines]


def test_every_method_answers_every_question_in_every_scope(finished: tuple[Path, int]) -> None:
    made = answers(finished[0])

    assert {answer.method for answer in made} == set(METHODS)
    assert {answer.status for answer in made} == {"ok"}
    assert len({(answer.method, answer.scope, answer.question_id) for answer in made}) == len(made)
    assert len({(answer.scope, answer.question_id) for answer in made}) * len(METHODS) == len(made)


def test_every_answer_but_those_from_memory_shows_how_it_was_found(finished: tuple[Path, int]) -> None:
    without = {answer.method for answer in answers(finished[0]) if not answer.trace}

    assert without == {"llm_only"}


def test_the_same_command_asks_nothing_again(finished: tuple[Path, int], command: Command) -> None:
    again = command("run", "--method", "all", "--limit", "2", "--study", finished[0])

    assert again.code == 0  # the server is gone
    assert f"{len(answers(finished[0]))} stood already" in again.err


def test_a_plan_of_what_is_done_has_nothing_new(finished: tuple[Path, int], command: Command) -> None:
    planned = command("plan", "run", "--method", "all", "--limit", "2", "--study", finished[0], "--json")

    stages = json.loads(planned.out)["stages"]
    assert sum(stage["calls"] - stage["recorded"] for stage in stages) == 0


def test_every_index_that_asked_says_what_it_cost(finished: tuple[Path, int], command: Command) -> None:
    root, asked = finished
    status = json.loads(command("status", "--study", root, "--json").out)

    built = {one["index"].partition("(")[0] for one in status["indexes"]}
    assert {"extract", "triples", "community_reports"} <= built
    assert all(not one["failed"] for one in status["indexes"])
    assert asked > 0


def test_scores_and_the_report_name_every_method(finished: tuple[Path, int], command: Command) -> None:
    root = finished[0]
    scored = command("score", "--metric", "topics_local,cost", "--study", root)
    reported = command("report", "--study", root)

    page = (root / "report" / "report.html").read_text("utf-8")
    assert (scored.code, reported.code) == (0, 0), scored.err + reported.err
    assert all(name in page for name in METHODS)
    assert "Indexes that a model was asked for" in page
