import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from astrolabe.benchmark import check_answers, read_answers
from astrolabe.core.errors import FileError
from astrolabe.core.records import Answer, Claim, Question, Topic
from astrolabe.store.lines import write_records


def written(tmp_path: Path, content: str, name: str = "mine.jsonl") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode("utf-8"))
    return path


def table(tmp_path: Path, rows: Sequence[Sequence[str]]) -> Path:
    path = tmp_path / "mine.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_the_smallest_line_is_an_answer_of_the_method_that_the_file_is_named_for(tmp_path: Path) -> None:
    answers = read_answers(written(tmp_path, '{"question_id": "q1", "text": "It is so."}'))

    assert answers == [Answer(question_id="q1", method="mine", text="It is so.")]
    assert answers[0].scope is None


def test_a_method_that_is_given_names_the_lines_that_name_none(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '{"question_id": "q1", "text": "a"}\n{"question_id": "q1", "text": "a", "method": "other"}\n',
    )

    answers = read_answers(path, method="given")

    assert [answer.method for answer in answers] == ["given", "other"]


def test_full_answer_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    full = [
        Answer(question_id="q1", method="m(k=3)", scope="s", text="abc", claims=(Claim(text="abc", start=0, end=3),)),
        Answer(question_id="q2", method="m(k=3)", scope="s", status="failed", reason="timeout after 60 s"),
    ]
    write_records(tmp_path / "full.jsonl", full)

    assert read_answers(tmp_path / "full.jsonl") == full


@pytest.mark.parametrize(
    ("text", "reason"), [('""', "the text is empty"), ('" \\n "', "the text is empty"), ("null", "the text is null")]
)
def test_an_answer_without_text_is_counted_as_empty_with_a_reason(tmp_path: Path, text: str, reason: str) -> None:
    answers = read_answers(written(tmp_path, f'{{"question_id": "q1", "text": {text}}}\n'))

    assert [(answer.status, answer.reason, answer.text) for answer in answers] == [("empty", reason, "")]


@pytest.mark.parametrize(
    ("line", "field", "said"),
    [
        ('{"question_id": "q1", "text": "a", "score": 1}', "score", "Extra inputs"),
        ('{"text": "a"}', "question_id", "Field required"),
        ('{"question_id": "q1"}', "text", "is missing"),
        ('{"question_id": 7, "text": "a"}', "question_id", "valid string"),
        ('{"question_id": "q1", "text": "a\\u0000"}', "text", "NUL"),
        ('{"question_id": "q1", "text": "a", "duration_seconds": NaN}', "line", "is not JSON"),
        ('{"question_id": "q1", "text": "a"', "line", "is not JSON"),
        ('["q1", "a"]', "line", "is not a JSON object"),
    ],
)
def test_a_line_that_is_no_answer_is_named_with_its_field(tmp_path: Path, line: str, field: str, said: str) -> None:
    path = written(tmp_path, f'{{"question_id": "q0", "text": "good"}}\n\n{line}\n')

    with pytest.raises(FileError) as raised:
        read_answers(path)

    problem = raised.value.problems[0]
    assert (problem.file, problem.line, problem.field) == (str(path), 3, field)
    assert said in problem.problem


def test_a_question_answered_twice_in_a_scope_is_an_error_that_names_both_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '{"question_id": "q1", "text": "a"}\n'
        '{"question_id": "q1", "text": "a", "scope": "s"}\n'
        '{"question_id": "q1", "text": "b"}\n',
    )

    with pytest.raises(FileError, match=r"mine\.jsonl:3: .*on line 1 already") as raised:
        read_answers(path)

    assert len(raised.value.problems) == 1


def test_an_answer_tried_again_after_a_failure_counts_and_is_only_a_warning(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '{"question_id": "q1", "text": "", "status": "failed", "reason": "timeout"}\n'
        '{"question_id": "q1", "text": "b"}\n',
    )

    assert [answer.text for answer in read_answers(path)] == ["b"]
    assert [problem.severity for problem in check_answers(path)] == ["warning"]


def test_a_table_with_a_mark_commas_quotes_and_line_breaks_keeps_every_text(tmp_path: Path) -> None:
    texts = ['One, "two"\r\nthree;\n\nfour', "=1+1", "x" * 200_000, ""]
    rows = [["question_id", "text", "scope"], *([f"q{n}", text, ""] for n, text in enumerate(texts))]

    answers = read_answers(table(tmp_path, rows))

    assert [answer.text for answer in answers] == texts
    assert [answer.status for answer in answers] == ["ok", "ok", "ok", "empty"]
    assert {answer.scope for answer in answers} == {None}
    assert {answer.method for answer in answers} == {"mine"}


def test_a_table_may_hold_lists_as_json_and_numbers(tmp_path: Path) -> None:
    rows = [["question_id", "text", "items", "duration_seconds"], ["q", "a, b", '["a", "b"]', "1.5"]]

    answers = read_answers(table(tmp_path, rows))

    assert answers[0].items == ("a", "b")
    assert answers[0].duration_seconds == 1.5


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("question_id;text\nq1;a\n", 1, "is no known column"),
        ("question_id,text,text\nq1,a,b\n", 1, "stands twice"),
        ('question_id,text\nq1,"a\nb"\nq2,a,b\n', 4, "has 3 cells where the header has 2"),
        ('question_id,text\nq1,"a" b\n', 2, "is not CSV"),
        ('question_id,text,items\nq1,a,"a; b"\n', 2, "is not JSON"),
        ("question_id\nq1\n", 2, "is missing"),
        ("question_id,text\n", 0, "holds no record"),
        ("", 0, "holds no record"),
    ],
)
def test_a_fault_of_a_table_is_named_by_the_line_its_row_begins_on(
    tmp_path: Path, content: str, line: int, said: str
) -> None:
    problems = check_answers(written(tmp_path, content, "mine.csv"))

    assert (problems[0].line, said in problems[0].problem) == (line, True)


def test_answers_are_checked_against_the_questions_before_anything_is_scored(tmp_path: Path) -> None:
    questions = [Question(id=f"q{n}", text="?", topics=(Topic(id="A1", text="t"),)) for n in (1, 2, 3)]
    path = written(tmp_path, '{"question_id": "q1", "text": "a"}\n{"question_id": "zz", "text": "a"}\n')

    problems = check_answers(path, questions=questions)

    assert [(p.line, p.value, p.severity) for p in problems] == [(0, '"q2"', "warning"), (2, '"zz"', "warning")]
    assert "leaves out 2 of 3 questions" in problems[0].problem


def test_answers_to_another_benchmark_are_an_error(tmp_path: Path) -> None:
    questions = [Question(id="q1", text="?", topics=(Topic(id="A1", text="t"),))]
    path = written(tmp_path, '{"question_id": "x1", "text": "a"}\n{"question_id": "x2", "text": "a"}\n')

    problems = check_answers(path, questions=questions)

    assert [(p.line, p.severity) for p in problems] == [(0, "error")]
    assert "no answer is to a question of the benchmark" in problems[0].problem
