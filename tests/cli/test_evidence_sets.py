"""`benchmarks/evidence_sets.py` on two questions of a set, over a real server."""

import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import pytest

from astrolabe.core.records import Answer
from tests.sensible import speaks_sensibly
from tests.servers import serving
from tests.small_study import model_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SET = "multihop_contexts"
NAMES = {"llm_only", "vanilla", "apt", "planrag", "logicrag", "tree_of_question", "rtrag"}
CALLS = 12


class Run(NamedTuple):
    """A run of the script: what it printed, where its study is, how often it asked, and what it was given."""

    out: str
    study: Path
    asked: int
    words: tuple[str | Path, ...]


def script(repository: Path) -> Path:
    """Return the script's file."""
    return repository / "benchmarks" / "evidence_sets.py"


def ended(repository: Path, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run the script to its end."""
    command = [sys.executable, script(repository), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def table(out: str) -> list[list[str]]:
    """Return the rows of the table that the script printed."""
    rows = [line.split() for line in out.splitlines()]
    return [row for row in rows if row and row[0] in NAMES and any(word.endswith("/2") for word in row)]


@pytest.fixture(scope="module")
def finished(repository: Path, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The script's run over two questions."""
    folder = tmp_path_factory.mktemp("sets")
    with serving(speaks_sensibly) as server:
        words = ("--data", shared, "--sets", SET, "--questions", "2", "--embed", "hashed", "--to", folder)
        given = (*words, "--answer", model_at(server.url))
        done = ended(repository, *given)
        assert done.returncode == 0, done.stderr
        return Run(done.stdout, folder / SET, len(server.seen), given)


def test_every_method_ends_with_an_answer_or_a_named_state_in_at_most_twelve_calls(finished: Run) -> None:
    files = (finished.study / "answers").glob("*.jsonl")
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]

    answers = [Answer.model_validate_json(line) for line in lines]

    assert Counter(answer.method.partition("(")[0] for answer in answers) == dict.fromkeys(NAMES, 2)
    assert all(answer.status == "ok" or answer.reason for answer in answers)
    assert min(answer.usage.calls for answer in answers) >= 1
    assert max(answer.usage.calls for answer in answers) <= CALLS


def test_a_line_a_method_says_how_many_were_scored(finished: Run) -> None:
    rows = {row[0]: row for row in table(finished.out)}

    assert set(rows) == NAMES
    assert {row[4] for row in rows.values()} == {"2/2"}
    assert rows["llm_only"][6:8] == ["-", "0/2"]  # it searches for nothing: no recall, which is not a recall of 0


def test_the_same_command_asks_nothing_again(finished: Run, repository: Path) -> None:
    again = ended(repository, *finished.words)  # the server is gone

    assert (again.returncode, finished.asked > 0) == (0, True), again.stderr
    assert [row[:-1] for row in table(again.stdout)] == [row[:-1] for row in table(finished.out)]  # the last is time


def test_a_folder_without_the_sets_is_named(repository: Path, tmp_path: Path) -> None:
    done = ended(repository, "--data", tmp_path)

    assert done.returncode == 1
    assert "hotpotqa holds no questions.jsonl; give the folder of the sets with --data" in done.stderr


def test_a_method_that_may_ask_more_is_refused(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(repository / "benchmarks")
    checked = cast("Callable[[list[str]], object]", runpy.run_path(str(script(repository)))["checked"])

    with pytest.raises(SystemExit, match=r"apt\(k=5\) may take 1005 calls a question; .* 12 at most"):
        checked(["apt(k=5)"])


def test_a_larger_sample_of_a_seed_holds_the_smaller(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(repository / "benchmarks")
    sample = cast(
        "Callable[[Iterable[str], int | None, int], list[str]]", runpy.run_path(str(script(repository)))["sample"]
    )
    names = [f"q{number}" for number in range(40)]

    samples = [set(sample(reversed(names), number, 3)) for number in (5, 9, None)]

    assert samples[0] < samples[1] < samples[2] == set(names)
    assert sample(names, 5, 3) == sorted(samples[0]) != sample(names, 5, 4)
