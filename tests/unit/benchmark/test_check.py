import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from pydantic import JsonValue

from astrolabe.benchmark import check_comments, check_file, question_schema, read_benchmark
from astrolabe.core.errors import FileError, Problem
from astrolabe.core.ids import text_hash
from astrolabe.core.records import Document, Question, Topic
from astrolabe.store.lines import write_records

Lines = Sequence[Mapping[str, JsonValue]]
Write = Callable[[str, Lines], Path]


def document(name: str, text: str, **more: str) -> Document:
    return Document.model_validate(
        {"id": name, "title": name, "text": text, "source": name, "media_type": "text/plain", "sha256": text_hash(text)}
        | more
    )


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def _write(name: str, lines: Lines) -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return path

    return _write


def question(**fields: JsonValue) -> dict[str, JsonValue]:
    return {"id": "q1", "text": "What?", "topics": [{"id": "A1", "text": "costs"}], **fields}


def shown(problems: Sequence[Problem]) -> list[tuple[str, int, str, str]]:
    return [(Path(p.file).name, p.line, p.field, p.severity) for p in problems]


def test_all_faults_of_gold_and_corpus_are_one_report_before_anything_runs(field_cases: Path) -> None:
    problems = check_file(field_cases / "gold-mismatch" / "questions.jsonl")

    assert shown(problems) == [
        ("questions.jsonl", 0, "file", "warning"),
        ("questions.jsonl", 2, "evidence", "error"),
        ("questions.jsonl", 3, "id", "error"),
        ("questions.jsonl", 4, "topics", "error"),
        ("corpus.jsonl", 3, "id", "error"),
        ("corpus.jsonl", 5, "id", "warning"),
    ]
    assert problems[1].value == '"d9"'
    assert "'q2'" in problems[1].problem
    assert "on line 2 already, with other content" in problems[2].problem
    assert problems[3].value == '"q3"'
    assert "kept once" in problems[5].problem


def test_the_same_faults_are_found_in_records_of_the_own_format(write: Write) -> None:
    write("documents.jsonl", [{"id": "d1", "text": "one"}, {"id": "d1", "text": "two"}])
    path = write(
        "bench.jsonl",
        [
            question(evidence=["d1", "d9"]),
            question(text="Other?"),
            question(id="q2", topics=[]),
        ],
    )

    problems = check_file(path)

    assert shown(problems) == [
        ("bench.jsonl", 1, "evidence", "error"),
        ("bench.jsonl", 2, "id", "error"),
        ("bench.jsonl", 3, "topics", "error"),
        ("documents.jsonl", 2, "id", "error"),
    ]


# D20
def test_a_question_without_topics_is_an_error_when_the_benchmark_is_read(write: Write) -> None:
    path = write("bench.jsonl", [question(), question(id="empty-A", topics=[])])

    with pytest.raises(FileError, match=r"bench\.jsonl:2: .*empty answer topic set.*empty-A"):
        read_benchmark(path)


def test_rejected_topics_are_no_topics(write: Write) -> None:
    path = write("bench.jsonl", [question(topics=[{"id": "A1", "text": "costs", "state": "rejected"}])])

    assert [p.field for p in check_file(path)] == ["topics"]


def test_a_line_that_stands_twice_is_read_once(write: Write) -> None:
    path = write("bench.jsonl", [question(), question(id="q2"), question()])

    assert [q.id for q in read_benchmark(path)] == ["q1", "q2"]
    assert shown(check_file(path)) == [("bench.jsonl", 3, "id", "warning")]


FAULTS: list[tuple[dict[str, JsonValue], str, str]] = [
    ({"kind": "set", "topics": []}, "answers", "error"),
    ({"kind": "set", "topics": [], "answers": [[]]}, "answers", "error"),
    ({"topics": [], "hallucinations": [{"id": "H1", "text": "x"}]}, "topics", "error"),
    (
        {"kind": "set", "topics": [], "answers": [["a"]], "hallucinations": [{"id": "H1", "text": "x"}]},
        "topics",
        "error",
    ),
    ({"topics": [{"id": "A1", "text": "x"}, {"id": "A1", "text": "y"}]}, "topics.id", "error"),
    ({"hallucinations": [{"id": "A1", "text": "y"}]}, "topics.id", "error"),
    ({"hallucinations": [{"id": "H1", "text": " Costs"}]}, "hallucinations", "warning"),
    ({"topics": [{"id": "A1", "text": "x"}, {"id": "A2", "text": "X"}]}, "topics", "warning"),
    ({"time_range": {"start": "yesterday"}}, "time_range.start", "error"),
    ({"time_range": {"end": "2024-13"}}, "time_range.end", "error"),
    ({"time_range": {"end": "20240101"}}, "time_range.end", "error"),
    ({"time_range": {"start": "2024-05", "end": "2024-04-30"}}, "time_range", "error"),
    ({"kind": "summary"}, "kind", "error"),
    ({"topic": []}, "topic", "error"),
]


@pytest.mark.parametrize(("fields", "field", "severity"), FAULTS)
def test_a_question_with_a_fault_is_reported(
    write: Write, fields: Mapping[str, JsonValue], field: str, severity: str
) -> None:
    path = write("bench.jsonl", [{**question(), **fields}])

    problems = check_file(path)

    assert shown(problems) == [("bench.jsonl", 1, field, severity)]
    assert all(problem.fix for problem in problems)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"kind": "set", "topics": [], "answers": [["Paris", "City of Light"]]},
        {"time_range": {"start": "2024", "end": "2024-02-29"}},
        {"time_range": {"start": "2024-05-01", "end": "2024-05"}},
        {"time_range": {"start": None, "end": "2024-05-01T10:00:00"}},
    ],
)
def test_a_sound_question_has_no_problem(write: Write, fields: Mapping[str, JsonValue]) -> None:
    path = write("bench.jsonl", [{**question(), **fields}])

    assert check_file(path) == []


def test_a_span_must_quote_its_document_and_is_told_where_the_quote_stands(write: Write) -> None:
    def spanned(start: int, end: int, quote: str, name: str = "d1") -> JsonValue:
        return {
            "id": "A1",
            "text": "t",
            "evidence": [{"document_id": name, "start": start, "end": end, "quote": quote}],
        }

    path = write(
        "bench.jsonl",
        [
            question(id="good", topics=[spanned(4, 9, "costs")]),
            question(id="moved", topics=[spanned(5, 10, "costs")]),
            question(id="other", topics=[spanned(4, 9, "price")]),
            question(id="beyond", topics=[spanned(4, 99, "costs rise")]),
            question(id="away", topics=[spanned(4, 9, "costs", "d9")]),
        ],
    )

    problems = check_file(path, documents=[document("d1", "the costs rise")])

    assert [(p.line, p.field) for p in problems] == [(n, "topics.A1.evidence") for n in (2, 3, 4, 5)]
    assert "4 to 9" in problems[0].fix
    assert "own text" in problems[1].fix
    assert "not in the corpus" in problems[3].problem


def test_evidence_in_a_document_without_text_cannot_be_found_and_is_an_error(write: Write) -> None:
    path = write("bench.jsonl", [question(evidence=["d1"])])
    scanned = document("d1", "", status="empty", reason="no extractable text")

    problems = check_file(path, documents=[scanned])

    assert [(p.field, p.severity) for p in problems] == [("evidence", "error")]
    assert "no extractable text" in problems[0].problem


def test_documents_beside_the_benchmark_may_be_full_records(tmp_path: Path, write: Write) -> None:
    write_records(
        tmp_path / "documents.jsonl",
        [document("d1", "one"), document("d1", "one", status="duplicate", reason="same text as another file")],
    )
    path = write("bench.jsonl", [question(evidence=["d1"])])

    assert check_file(path) == []


def test_without_documents_evidence_is_not_checked(write: Write) -> None:
    path = write("bench.jsonl", [question(evidence=["d1"])])

    assert check_file(path) == []


def test_fields_tell_which_file_it_is(write: Write) -> None:
    comment = {"id": "c1", "author_label": "R1", "type": "review", "text": "", "source": "s"}
    files = {
        "bench": write("a.jsonl", [question(oops=1)]),
        "answers": write("b.jsonl", [{"question_id": "q1", "text": "a", "oops": 1}]),
        "comments": write("c.jsonl", [comment]),
        "documents": write("d.jsonl", [{**document("d1", "x").model_dump(), "oops": 1}]),
        "simple": write("e.jsonl", [{"question": "?"}]),
        "unknown": write("f.jsonl", [{"oops": 1}, {"more": 2}]),
        "no JSON": write("g.jsonl", []),
    }

    found = {name: [(p.field, p.value) for p in check_file(path)] for name, path in files.items()}

    assert found == {
        "bench": [("oops", "1")],
        "answers": [("oops", "1")],
        "comments": [("text", '"c1"')],
        "documents": [("oops", "1")],
        "simple": [("file", ""), ("topics", found["simple"][1][1])],
        "unknown": [("file", '"more, oops"')],
        "no JSON": [("file", "")],
    }


def test_a_broken_first_line_does_not_hide_which_file_it_is(tmp_path: Path) -> None:
    path = tmp_path / "bench.jsonl"
    path.write_text("not json\n" + json.dumps(question()) + "\n", "utf-8")

    assert [(p.line, p.field) for p in check_file(path)] == [(1, "line")]


def test_comments_must_say_something_about_documents_that_are_there(write: Write) -> None:
    comment: dict[str, JsonValue] = {"id": "c1", "author_label": "R1", "type": "review", "text": "Good.", "source": "s"}
    path = write(
        "comments.jsonl",
        [
            comment,
            comment,
            {**comment, "text": "Bad."},
            {**comment, "id": "c2", "document_id": "d9"},
            {**comment, "id": "c3", "document_id": "d1", "alignment": {"method": "title", "confidence": 1.2}},
        ],
    )

    problems = check_comments(path, documents=[document("d1", "one")])

    assert [(p.line, p.field, p.severity) for p in problems] == [
        (2, "id", "warning"),
        (3, "id", "error"),
        (4, "document_id", "error"),
        (5, "alignment.confidence", "error"),
    ]


def test_the_schema_names_every_field_and_allows_no_other() -> None:
    schema = question_schema()

    assert set(Question.model_fields) == set(schema["properties"])  # pyright: ignore[reportArgumentType] - an object in any schema
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["id", "text"]


def test_topics_with_separators_in_them_survive_saving_and_loading(tmp_path: Path) -> None:
    texts = [
        "Costs for buyers; prices, rents and fees",
        "Policy: the second phase",
        "TCP/IP | UDP",
        "Line one\nline two",
    ]
    topics = tuple(Topic(id=f"A{n}", text=text) for n, text in enumerate(texts))
    write_records(tmp_path / "bench.jsonl", [Question(id="q", text="?", topics=topics)])

    loaded = read_benchmark(tmp_path / "bench.jsonl")

    assert [topic.text for topic in loaded[0].topics] == texts


@pytest.mark.parametrize(("misspelt", "meant"), [("halucinations", "hallucinations"), ("topic", "topics")])
def test_misspelt_topics_of_the_simple_form_are_not_lost_without_a_word(
    write: Write, misspelt: str, meant: str
) -> None:
    path = write("bench.jsonl", [{"id": "q1", "question": "Why?", "topics": ["a"], misspelt: ["b"], "source": "x"}])

    [problem] = [found for found in check_file(path) if found.severity == "error"]
    assert problem.line == 1
    assert f"{misspelt!r} is none of ours; did you mean {meant!r}?" in problem.problem


def test_a_fault_of_the_whole_file_names_no_line() -> None:
    problem = Problem(line=0, field="file", value="", problem="holds no record", fix="Write one", file="a.jsonl")

    assert str(problem) == "a.jsonl: file: holds no record. Write one"
