"""`apt` and two ablations of it over a benchmark of sets, from the run to the tables of cost and structure."""

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from astrolabe.core.records import Question
from tests.commands import Command
from tests.sensible import speaks_sensibly
from tests.servers import serving
from tests.small_study import IDS, model_at, small_study

if TYPE_CHECKING:
    from pydantic import JsonValue

METHODS = ("apt", "apt(breadth=2)", "apt(lateral=false)")


def asked(name: str, pages: int) -> Question:
    """Return a question whose answer is a list, and that needs so many pages, of which one is there."""
    here: JsonValue = {"title": "Tides", "document": IDS["tides"]}
    gold: list[JsonValue] = [here, *(f"Page {number}" for number in range(pages - 1))] if pages else []
    return Question(
        id=name,
        text=f"What is moved, case {name}?",
        kind="set",
        answers=(("moon",), ("sun",)),
        scopes={"hard": "s-all"},
        extra={"gold_pages": gold},
    )


@pytest.fixture
def root(command: Command, tmp_path: Path) -> Path:
    """Return a study of four questions, answered by the three methods and scored."""
    folder = tmp_path / "towns"
    questions = [asked("q1", 2), asked("q2", 3), asked("q3", 12), asked("q4", 0)]
    with serving(speaks_sensibly) as server:
        small_study(folder, answer=model_at(server.url), asked=questions)
        ran = command("run", *(word for name in METHODS for word in ("--method", name)), "--study", folder)
    scored = command("score", "--metric", "set_f1", "--metric", "evidence_recall", "--study", folder)

    assert (ran.code, scored.code) == (0, 1), ran.err  # a question without a gold page has no evidence to find
    return folder


def table(root: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of a table of the report."""
    (path,) = (root / "report" / "tables").glob(f"{name}*.csv")
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def test_the_report_has_the_papers_tables(command: Command, root: Path) -> None:
    reported = command(
        "report", "--to", "html,md,csv", "--correction", "bonferroni", "--resamples", "1000", "--study", root
    )

    assert reported.code == 0
    variants = table(root, "variants_apt")
    assert [(row["Method"], row["Changed"]) for row in variants] == [
        ("apt", "nothing"),
        ("apt(breadth=2)", "breadth=2"),
        ("apt(lateral=false)", "lateral=false"),
    ]
    assert [float(row["Precision value"]) for row in variants] == [1.0, 1.0, 1.0]
    assert [float(row["Recall value"]) for row in variants] == [0.5, 0.5, 0.5]
    buckets = table(root, "by_gold_pages")
    assert [(row["Gold pages"], row["Questions"]) for row in buckets[::3]] == [
        ("1 to 10", "2"),
        ("11 to 20", "1"),
        ("none", "1"),
    ]
    assert [row["Page recall value"] for row in buckets if row["Gold pages"] == "11 to 20"] == [str(1 / 12)] * 3
    trees = {row["Method"]: row for row in table(root, "trees")}
    assert {name: float(row["Nodes a tree"]) for name, row in trees.items()} == dict.fromkeys(METHODS, 3.0)
    assert float(trees["apt"]["Depth"]) == 2.0
    stages = table(root, "by_stage")
    assert {"answer.plan", "answer.query", "answer.write"} <= stages[0].keys()
    assert all(
        sum(float(value) for name, value in row.items() if name.startswith("answer."))
        == pytest.approx(float(row["All"]))
        for row in stages
    )
    per_answer = {row["Method"]: row for row in table(root, "per_answer")}
    assert float(per_answer["apt"]["Calls median"]) == float(stages[0]["All"])
    overview = table(root, "overview")
    assert {(row["Benchmark"], row["Metric"]) for row in overview} == {("towns", "set_f1")}
    assert {row["Model"] for row in overview} == {"openai:test"}
    text = (root / "report" / "report.md").read_text("utf-8")
    assert "Bonferroni" in text
    assert "Cost and structure" in (root / "report" / "report.html").read_text("utf-8")
    manifest = json.loads((root / "comparison" / "manifest.json").read_text("utf-8"))
    assert (manifest["correction"], manifest["resamples"]) == ("bonferroni", 1000)


def test_studies_stand_in_one_main_table_and_are_not_compared(command: Command, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "rivers"
    small_study(other, asked=[asked("q1", 2), asked("q2", 2)])
    command("run", "--method", "extractive(retriever=bm25)", "--study", other)
    command("score", "--metric", "set_f1", "--metric", "evidence_recall", "--study", other)

    reported = command("report", "--to", "html,csv", "--beside", other, "--study", root)

    rows = [(row["Benchmark"], row["Model"], row["Method"]) for row in table(root, "overview")]
    assert reported.code == 0
    assert rows == [
        *(("towns", "openai:test", name) for name in METHODS),
        ("rivers", "none", "extractive(retriever=bm25)"),
    ]
    assert {row["First"] for row in table(root, "pairs")} <= {*METHODS}
    assert not (other / "comparison").exists()


def test_a_study_without_scores_cannot_stand_beside_and_nothing_is_written(
    command: Command, root: Path, tmp_path: Path
) -> None:
    small_study(tmp_path / "empty")

    ended = command("report", "--beside", tmp_path / "empty", "--study", root)

    assert ended.code == 2
    assert "holds no scores to stand beside others; run: astrolabe score" in ended.err
    assert not (root / "report").exists()
