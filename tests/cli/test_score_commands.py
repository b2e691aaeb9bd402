"""`score` on files of answers and inside a study, `compare`, `report`, `status`, `stats`, `check`."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from astrolabe.core.records import Comparison, Score
from astrolabe.store.lines import write_records
from tests.commands import Command
from tests.servers import Says, Status, serving
from tests.small_study import finds, found, many_questions, model_at, questions, small_study

GOOD = "Tides follow the moon. The sun and the moon pull together at spring tides."
EVERY = ["q-tides", "q-salt", "q-lamps", "q-nets"]
LINES = [
    {"question_id": "q-tides", "text": GOOD},
    {"question_id": "q-salt", "text": "Workers dry sea water in the sun, and traders carried salt inland."},
    {"question_id": "q-nets", "text": "A comet struck the harbour."},
    {"question_id": "q-lamps", "text": "Lamps burned whale oil, later paraffin."},
]
OFFLINE = ("--embed", "hashed")


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """A file of four questions."""
    path = tmp_path / "bench.jsonl"
    write_records(path, questions())
    return path


def write_lines(path: Path, lines: Sequence[object]) -> Path:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def scores_of(out: str) -> list[Score]:
    return [Score.model_validate_json(line) for line in out.splitlines()]


def test_the_smallest_lines_are_scored_without_study_key_or_settings(
    command: Command, tmp_path: Path, bench: Path
) -> None:
    answers = write_lines(tmp_path / "my_rag.jsonl", LINES)

    ended = command("score", answers, "--benchmark", bench, *OFFLINE)

    assert ended.code == 0
    assert "my_rag" in ended.out
    assert "4/4" in ended.out
    assert "hashed" in ended.err


def test_with_json_stdout_holds_scores_and_nothing_else(command: Command, tmp_path: Path, bench: Path) -> None:
    answers = write_lines(tmp_path / "my_rag.jsonl", LINES)

    ended = command("score", answers, "--benchmark", bench, "--json", *OFFLINE)

    scores = scores_of(ended.out)
    assert {score.question_id for score in scores} == set(EVERY)
    assert {(score.method, score.scope, score.metric) for score in scores} == {("my_rag", None, "topics_local")}
    by_question = {score.question_id: score.value for score in scores}
    assert (by_question["q-tides"] or 0) > (by_question["q-nets"] or 0)


def test_a_csv_file_with_the_same_columns_scores_the_same(command: Command, tmp_path: Path, bench: Path) -> None:
    answers = write_lines(tmp_path / "my_rag.jsonl", LINES)
    table = tmp_path / "my_rag.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["question_id", "text"])
        writer.writeheader()
        writer.writerows(LINES)

    from_lines = command("score", answers, "--benchmark", bench, "--json", *OFFLINE)
    from_table = command("score", table, "--benchmark", bench, "--json", *OFFLINE)

    assert from_table.code == 0
    assert from_table.out == from_lines.out


def test_an_empty_answer_is_counted_listed_and_exit_code_one(command: Command, tmp_path: Path, bench: Path) -> None:
    answers = write_lines(tmp_path / "my_rag.jsonl", [*LINES[:3], {"question_id": "q-lamps", "text": ""}])

    ended = command("score", answers, "--benchmark", bench, *OFFLINE)

    assert ended.code == 1
    assert "3/4" in ended.out
    assert "unscored: topics_local, my_rag, q-lamps: the answer is empty" in ended.err


def test_every_fault_of_the_answers_is_named_by_its_line_and_nothing_is_scored(
    command: Command, tmp_path: Path, bench: Path
) -> None:
    answers = write_lines(
        tmp_path / "my_rag.jsonl",
        [
            LINES[0],
            {"question_id": "q-gone", "text": "What?"},
            {"question_id": "q-salt", "text": "Salt.", "confidence": 1},
            {"text": "whose?"},
            "no object",
        ],
    )

    ended = command("score", answers, "--benchmark", bench, *OFFLINE)

    assert (ended.code, ended.out) == (2, "")
    for place, said in ((3, "confidence"), (4, "question_id"), (5, "JSON object")):
        assert any(f"{answers}:{place}:" in line and said in line for line in ended.err.splitlines()), said


def test_an_answer_to_an_unknown_question_and_a_question_without_answer_are_said_and_counted(
    command: Command, tmp_path: Path, bench: Path
) -> None:
    answers = write_lines(tmp_path / "a.jsonl", [*LINES[:2], {"question_id": "q-gone", "text": "What?"}])

    ended = command("score", answers, "--benchmark", bench, *OFFLINE)
    as_json = command("score", answers, "--benchmark", bench, "--json", *OFFLINE)

    assert (ended.code, as_json.code) == (1, 1)
    assert "2/4" in ended.out
    assert f"{answers}:3: question_id: the benchmark has no such question" in ended.err
    assert "leaves out 2 of 4 questions" in ended.err
    assert "unscored: topics_local, a, q-lamps: the answer is failed: a.jsonl has no answer" in ended.err
    assert {score.question_id for score in scores_of(as_json.out)} == set(EVERY)


def test_answers_to_no_question_of_the_benchmark_are_refused(command: Command, tmp_path: Path, bench: Path) -> None:
    answers = write_lines(tmp_path / "a.jsonl", [{"question_id": "q-gone", "text": "What?"}])

    ended = command("score", answers, "--benchmark", bench, *OFFLINE)

    assert (ended.code, ended.out) == (2, "")
    assert "no answer is to a question of the benchmark" in ended.err


def test_many_gaps_are_listed_in_part_and_counted_in_full(command: Command, tmp_path: Path) -> None:
    write_records(tmp_path / "bench.jsonl", many_questions(60))
    answers = write_lines(tmp_path / "a.jsonl", [{"question_id": "q-1", "text": GOOD}])

    ended = command("score", answers, "--benchmark", tmp_path / "bench.jsonl", *OFFLINE)

    assert ended.code == 1
    assert "... and 39 more unscored" in ended.err


@pytest.mark.parametrize("words", [["answers.jsonl"], ["--benchmark", "bench.jsonl"]])
def test_answers_and_benchmark_go_together(command: Command, words: list[str]) -> None:
    ended = command("score", *words)

    assert (ended.code, ended.out) == (2, "")
    assert "go together" in ended.err


def test_files_that_are_not_there_are_named(command: Command, tmp_path: Path, bench: Path) -> None:
    answers = write_lines(tmp_path / "a.jsonl", LINES)

    assert "gone.jsonl" in command("score", tmp_path / "gone.jsonl", "--benchmark", bench).err
    assert "gone.jsonl" in command("score", answers, "--benchmark", tmp_path / "gone.jsonl").err


def test_a_misspelled_metric_is_told_which_there_are(command: Command, tmp_path: Path, bench: Path) -> None:
    answers = write_lines(tmp_path / "a.jsonl", LINES)

    ended = command("score", answers, "--benchmark", bench, "--metric", "topix")

    assert (ended.code, ended.out) == (2, "")
    assert "topics_local" in ended.err


def test_a_judge_that_is_not_set_is_named_as_a_role(command: Command, tmp_path: Path, bench: Path) -> None:
    answers = write_lines(tmp_path / "a.jsonl", LINES)

    ended = command("score", answers, "--benchmark", bench, "--metric", "topics", *OFFLINE)

    assert (ended.code, ended.out) == (2, "")
    assert "role 'judge'" in ended.err


def test_a_judge_is_asked_once_however_often_the_file_is_scored(command: Command, tmp_path: Path, bench: Path) -> None:
    answers = write_lines(tmp_path / "a.jsonl", LINES)
    with serving(finds()) as judge:
        words = ("score", answers, "--benchmark", bench, "--metric", "topics", "--judge", model_at(judge.url), *OFFLINE)
        first = command(*words, "--json")
        again = command(*words, "--json")

    assert (first.code, again.code) == (0, 0)
    assert len(judge.seen) == 4
    values = [[score.value for score in scores_of(ended.out)] for ended in (first, again)]
    assert sorted(values[0], key=str) == sorted(values[1], key=str)


def test_a_judge_that_stops_is_exit_code_three_and_the_scores_so_far_are_shown(
    command: Command, tmp_path: Path, bench: Path
) -> None:
    answers = write_lines(tmp_path / "a.jsonl", LINES)
    with serving([Says(found("T1")), Status(401, "no more")]) as judge:
        words = ("score", answers, "--benchmark", bench, "--metric", "topics", "--judge", model_at(judge.url), *OFFLINE)
        ended = command(*words)

    assert ended.code == 3
    assert "the same command goes on from here" in ended.err


def test_a_judge_that_stops_at_once_leaves_nothing_to_show(command: Command, tmp_path: Path, bench: Path) -> None:
    answers = write_lines(tmp_path / "a.jsonl", LINES)
    with serving([Status(401, "who are you")]) as judge:
        words = ("score", answers, "--benchmark", bench, "--metric", "topics", "--judge", model_at(judge.url), *OFFLINE)
        ended = command(*words)

    assert (ended.code, ended.out) == (3, "")
    assert "check the key" in ended.err


def test_limit_scores_the_first_answers_alone(command: Command, tmp_path: Path, bench: Path) -> None:
    answers = write_lines(tmp_path / "a.jsonl", LINES)

    assert len(scores_of(command("score", answers, "--benchmark", bench, "--json", "--limit", "2", *OFFLINE).out)) == 2


@pytest.fixture
def scored(command: Command, tmp_path: Path) -> Path:
    """A study with two methods' answers and their scores."""
    root = tmp_path / "s"
    small_study(root)
    assert command("run", "--method", "extractive", "--method", "extractive(sentences=1)", "--study", root).code == 0
    assert command("score", "--metric", "topics_local,miss_cause,cost", "--study", root).code == 0
    return root


def test_inside_a_study_scores_are_kept_and_not_made_twice(command: Command, scored: Path) -> None:
    before = {path: path.read_bytes() for path in (scored / "scores").rglob("*.jsonl")}

    again = command("score", "--metric", "topics_local,miss_cause,cost", "--study", scored)

    assert again.code == 0
    assert {path: path.read_bytes() for path in (scored / "scores").rglob("*.jsonl")} == before
    assert str(next(iter(before))) in again.out


def test_the_table_shows_methods_by_scope_with_intervals_groups_and_causes(command: Command, scored: Path) -> None:
    ended = command("score", "--metric", "topics_local,miss_cause", "--study", scored)

    assert "extractive(sentences=1)" in ended.out
    assert "Overall" in ended.out
    assert "4/4" in ended.out
    assert "Most frequent cause of a missed topic: in context but not used" in ended.out


def test_one_methods_answers_can_be_scored_alone(command: Command, scored: Path) -> None:
    ended = command("score", "--method", "extractive", "--study", scored, "--json", "--limit", "3")

    assert {score.method for score in scores_of(ended.out)} == {"extractive"}
    assert len(scores_of(ended.out)) == 3


def test_a_method_without_answers_is_named(command: Command, scored: Path) -> None:
    ended = command("score", "--method", "vanilla", "--study", scored)

    assert (ended.code, ended.out) == (2, "")
    assert "no answers of 'vanilla'; there are answers of extractive" in ended.err


def test_a_study_without_answers_says_what_to_run(command: Command, tmp_path: Path) -> None:
    small_study(tmp_path / "s")

    scored = command("score", "--study", tmp_path / "s")
    compared = command("compare", "--study", tmp_path / "s")

    assert (scored.code, compared.code) == (2, 2)
    assert "astrolabe run" in scored.err
    assert "astrolabe score" in compared.err


def test_compare_shows_pairs_and_writes_them(command: Command, scored: Path) -> None:
    ended = command("compare", "--study", scored)

    assert ended.code == 0
    assert "extractive(sentences=1)" in ended.out
    assert ended.out.splitlines()[-2] == str(scored / "comparison" / "comparisons.jsonl")
    assert (scored / "comparison" / "manifest.json").exists()


def test_compare_with_json_prints_comparisons(command: Command, scored: Path) -> None:
    ended = command("compare", "--study", scored, "--json", "--correction", "bonferroni", "--confidence", "0.9")

    read = [Comparison.model_validate_json(line) for line in ended.out.splitlines()]
    assert {one.metric for one in read} >= {"topics_local", "miss_cause"}
    assert {one.correction for one in read} == {"bonferroni"}


def test_scores_of_answers_that_were_made_again_are_left_out_and_said(command: Command, scored: Path) -> None:
    file = scored / "answers" / "extractive.jsonl"
    file.write_text(file.read_text("utf-8").replace("Salt", "Sugar"), "utf-8")

    ended = command("compare", "--study", scored)

    assert ended.code == 0
    assert "scores are left out" in ended.err


def test_report_writes_the_formats_that_are_asked_for(command: Command, scored: Path) -> None:
    ended = command("report", "--to", "md,csv", "--study", scored)
    whole = command("report", "--study", scored, "--json")

    assert ended.code == 0
    written = [Path(line) for line in ended.out.splitlines()]
    assert {path.suffix for path in written} == {".md", ".csv"}
    assert all(path.exists() for path in written)
    assert {Path(name).suffix for name in json.loads(whole.out)["written"]} == {".html", ".md", ".tex", ".csv"}


def test_an_unknown_format_is_named(command: Command, scored: Path) -> None:
    ended = command("report", "--to", "pdf,html", "--study", scored)

    assert (ended.code, ended.out) == (2, "")
    assert "pdf" in ended.err


def test_status_counts_what_is_there_and_what_is_missing(command: Command, scored: Path) -> None:
    shown = command("status", "--study", scored)
    counted = json.loads(command("status", "--study", scored, "--json").out)

    assert "documents   4 ok" in shown.out
    assert "answers     extractive: 8 ok\n" in shown.out
    assert counted["documents"] == {"ok": 4}
    assert counted["asked"] == 8
    assert counted["scores"]["topics_local"] == {"scored": 16}


def test_status_of_half_a_run_says_how_much_is_missing(command: Command, tmp_path: Path) -> None:
    small_study(tmp_path / "s")
    command("run", "--method", "extractive", "--limit", "1", "--study", tmp_path / "s")

    assert "extractive: 2 ok, 6 of 8 missing" in command("status", "--study", tmp_path / "s").out


def test_status_of_a_new_study_says_what_to_do(command: Command, tmp_path: Path) -> None:
    assert command("new", tmp_path / "n").code == 0

    shown = command("status", "--study", tmp_path / "n")

    assert shown.code == 0
    assert "astrolabe ingest" in shown.out
    assert "astrolabe import" in shown.out


def test_stats_describe_a_study_and_a_file(command: Command, scored: Path, bench: Path) -> None:
    study = command("stats", "--study", scored)
    file = json.loads(command("stats", bench, "--json").out)

    assert "single_sum" in study.out
    assert "hard" in study.out
    assert file["total"]["questions"] == 4
    assert file["total"]["topics"] == 8


def test_check_passes_a_good_file_and_names_the_faults_of_a_bad_one(
    command: Command, tmp_path: Path, bench: Path
) -> None:
    bad = write_lines(tmp_path / "bad.jsonl", [{"id": "q", "text": "", "topics": []}, {"id": "r", "kinds": 1}])

    good = command("check", bench, "--study", tmp_path)
    ended = command("check", bad, "--study", tmp_path)
    as_json = json.loads(command("check", bad, "--study", tmp_path, "--json").out)

    assert good.code == 0
    assert "0 errors" in good.err
    assert ended.code == 2
    assert "kinds" in ended.out
    assert as_json["ok"] is False
    assert {"line", "field", "value", "problem", "fix"} <= set(as_json["problems"][0])


def test_check_inside_a_study_compares_evidence_with_its_documents(command: Command, scored: Path, bench: Path) -> None:
    moved = bench.read_text("utf-8").replace('"start":0', '"start":3')
    bench.write_text(moved, "utf-8")

    ended = command("check", bench, "--study", scored)

    assert ended.code == 2
    assert "evidence" in ended.out
