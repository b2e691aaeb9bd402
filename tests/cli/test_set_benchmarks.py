"""A benchmark of set answers, from its own files to a report."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from astrolabe.study.study import open_study
from tests.commands import Command, Ended


def eight_questions(shared: Path, folder: Path) -> Path:
    """Write the first questions of the HotpotQA sample with their passages."""
    rows = [json.loads(line) for line in (shared / "hotpotqa" / "questions.jsonl").read_text("utf-8").splitlines()[:8]]
    named = {name for row in rows for name in row["passages"]}
    passages = map(json.loads, (shared / "hotpotqa" / "passages.jsonl").read_text("utf-8").splitlines())
    for name, kept in (("questions", rows), ("passages", [one for one in passages if one["passage_id"] in named])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept), "utf-8")
    return folder


def test_hotpotqa_is_imported_run_scored_and_reported(command: Command, tmp_path: Path, shared: Path) -> None:
    root = tmp_path / "s"
    command("new", root)

    imported = command(
        "import", "hotpotqa", eight_questions(shared, tmp_path), "--embed", "hashed", "--study", root, "--json"
    )
    words = ("--embed", "hashed", "--limit", "5", "--study", root)
    ran = command("run", "--method", "extractive(retriever=bm25)", "--scope", "middle", *words)
    scored = command("score", "--metric", "set_f1", "--metric", "evidence_recall", *words[:2], *words[4:], "--json")
    reported = command("report", "--to", "md", "--study", root)

    counts = json.loads(imported.out)
    assert (counts["questions"], counts["documents"], counts["problems"]) == (8, 80, 0)
    assert {len(scope.documents) for scope in open_study(root).scopes.values()} == {2, 10, 80}
    assert (ran.code, "5 ok" in ran.err) == (0, True)
    scores = [json.loads(line) for line in scored.out.splitlines()]
    assert Counter((score["metric"], score["status"]) for score in scores) == {
        ("evidence_recall", "scored"): 5,
        ("set_f1", "scored"): 5,
    }
    found = [score["parts"]["page_recall"] for score in scores if score["metric"] == "evidence_recall"]
    assert all(0.0 < recall <= 1.0 for recall in found)
    text = (root / "report" / "report.md").read_text("utf-8").replace("\\_", "_")
    assert reported.code == 0
    assert "set_f1 by scope (set_f1)" in text
    assert "Precision, Recall, F1, Official precision, Official recall, Official F1 by scope (set_f1)" in text
    assert "Page recall, Page precision, Page F1, Any page by scope (evidence_recall)" in text


def test_answers_made_elsewhere_are_scored_both_ways(command: Command, tmp_path: Path, shared: Path) -> None:
    command("import", "qampari", shared / "qampari_examples", "--to", tmp_path)
    answers = tmp_path / "answers.jsonl"
    given = {
        "qampari-explore-00": "Answers: Autozam Scrum, Autozam Clef, Mazda Carol, Autozam AZ-1, Autozam Revue",
        "qampari-explore-04": "1. Charles Edward Clark\n2. Henry Wade Rogers\n3. John M. Walker, Jr.",
    }
    rows = [{"question_id": question, "method": "m", "text": text} for question, text in given.items()]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    ended = command("score", answers, "--benchmark", tmp_path / "bench.jsonl", "--metric", "set_f1", "--json")

    scores = {score["question_id"]: score for score in map(json.loads, ended.out.splitlines())}
    whole, part = scores["qampari-explore-00"]["parts"], scores["qampari-explore-04"]["parts"]
    assert (whole["f1"], whole["official_f1"]) == (1.0, 1.0)
    assert (part["precision"], part["recall"]) == (1.0, 0.5)
    assert part["official_f1"] == 0.0
    assert ended.code == 1
    assert {score["status"] for question, score in scores.items() if question not in given} == {"unscored"}


def test_a_benchmark_without_documents_is_searched_in_the_studys_own(
    command: Command, tmp_path: Path, shared: Path
) -> None:
    root = tmp_path / "s"
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "burrell.md").write_text("# Pat Burrell\n\nPat Burrell bats with his right hand.\n", "utf-8")
    (pages / "salt.md").write_text("# Salt\n\nSalt pans dry sea water in the sun.\n", "utf-8")
    (tmp_path / "one.jsonl").write_text((shared / "fanoutqa" / "questions.jsonl").read_text("utf-8").split("\n")[0])
    command("new", root)
    command("ingest", pages, "--study", root)

    imported = command("import", "fanoutqa", tmp_path / "one.jsonl", "--embed", "hashed", "--study", root)
    command("run", "--method", "extractive", "--scope", "hard", "--embed", "hashed", "--study", root)
    scored = command("score", "--metric", "evidence_recall", "--embed", "hashed", "--study", root, "--json")

    score = json.loads(scored.out)
    assert imported.code == 0
    assert (score["value"], score["parts"]["page_precision"]) == (1 / 6, 0.5)
    assert "Jeff Austin (baseball)" in score["detail"]["missing"]


SET = {"id": "towns", "question": "Which towns?", "kind": "set", "answers": [["Bergen", "Bjorgvin"], "Oslo"]}
TOPICAL = {"id": "tides", "question": "What moves the tides?", "topics": ["the moon moves the tides"]}
ANSWERS = (
    {"question_id": "towns", "method": "m", "text": "- Bergen\n- Rome"},
    {"question_id": "tides", "method": "m", "text": "The moon moves the tides."},
)


def scored_without_a_metric(command: Command, folder: Path, questions: Sequence[Mapping[str, object]]) -> Ended:
    asked = {question["id"] for question in questions}
    given = [answer for answer in ANSWERS if answer["question_id"] in asked]
    for name, rows in (("bench", questions), ("answers", given)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    words = ("--benchmark", folder / "bench.jsonl", "--embed", "hashed", "--json")
    return command("score", folder / "answers.jsonl", *words)


@pytest.mark.parametrize(
    ("questions", "metrics"),
    [
        ([SET], {"towns": "set_f1"}),
        ([TOPICAL], {"tides": "topics_local"}),
        ([SET, TOPICAL], {"towns": "set_f1", "tides": "topics_local"}),
        ([TOPICAL | {"answers": ["the moon"]}], {"tides": "topics_local"}),
    ],
)
def test_without_a_metric_each_question_is_scored_by_what_its_gold_is(
    command: Command, tmp_path: Path, questions: list[dict[str, object]], metrics: dict[str, str]
) -> None:
    ended = scored_without_a_metric(command, tmp_path, questions)

    scores = [json.loads(line) for line in ended.out.splitlines()]
    assert {score["question_id"]: score["metric"] for score in scores} == metrics
    assert len(scores) == len(metrics)
    assert {score["status"] for score in scores} == {"scored"}
    assert ended.code == 0


def test_a_study_of_set_questions_is_scored_planned_and_headed_by_set_f1(
    command: Command, tmp_path: Path, shared: Path
) -> None:
    root = tmp_path / "s"
    command("new", root)
    command("import", "hotpotqa", eight_questions(shared, tmp_path), "--embed", "hashed", "--study", root)
    command("run", "--method", "extractive", "--scope", "middle", "--embed", "hashed", "--limit", "3", "--study", root)

    planned = command("plan", "score", "--study", root)
    scored = command("score", "--embed", "hashed", "--study", root)
    command("score", "--metric", "topics_local", "--embed", "hashed", "--study", root)
    command("report", "--to", "md", "--study", root)

    assert planned.err.endswith("score asks no model\n")
    assert (scored.code, "set_f1 by scope (set_f1)" in scored.out) == (0, True)
    text = (root / "report" / "report.md").read_text("utf-8").replace("\\_", "_")
    assert text.index("by scope (set_f1)") < text.index("by scope (topics_local)")
    assert "mean set_f1 in scope middle" in text


def test_a_mixed_study_is_headed_by_the_metric_that_scored_more_questions(command: Command, tmp_path: Path) -> None:
    sets = [SET | {"id": f"s{number}"} for number in range(2)]
    rows = [*sets, TOPICAL]
    (tmp_path / "bench.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "tides.md").write_text("# Tides\n\nThe moon moves the tides. Oslo and Bergen are towns.\n", "utf-8")
    root = tmp_path / "s"
    command("new", root)
    command("ingest", tmp_path / "tides.md", "--study", root)
    command("import", "jsonl", tmp_path / "bench.jsonl", "--embed", "hashed", "--study", root)
    command("run", "--method", "extractive", "--embed", "hashed", "--study", root)

    scored = command("score", "--embed", "hashed", "--study", root)
    command("report", "--to", "md", "--study", root)

    assert scored.code == 0
    assert "Scores are missing" not in scored.err
    text = (root / "report" / "report.md").read_text("utf-8").replace("\\_", "_")
    assert 0 < text.index("by scope (set_f1)") < text.index("by scope (topics_local)")


def test_a_question_with_answers_and_no_kind_is_told_how_its_answers_count(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "bench.jsonl"
    path.write_text('{"question": "Which towns?", "answers": ["Oslo"]}\n{"question": "A?", "topcs": ["x"]}\n', "utf-8")

    refused = command("check", path)
    path.write_text('{"question": "Which towns?", "kind": "set", "answers": ["Oslo"]}\n', "utf-8")
    mended = command("check", path)

    said = refused.out + refused.err
    assert '"kind": "set" so that its answers are scored' in said
    assert "the field 'topcs' is none of ours; did you mean 'topics'?" in said
    assert "Value error" not in said
    assert mended.code == 0
