import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from pydantic import JsonValue

from astrolabe.benchmark import (
    IMPORTERS,
    Imported,
    check_file,
    import_astra,
    import_jsonl,
    import_qmsum,
    import_scholarqa,
    import_squality,
    read_benchmark,
    write_imported,
    write_topic_table,
)
from astrolabe.core.errors import FileError
from astrolabe.core.records import Question, Topic

DELIMITERS = [
    "Costs for buyers; prices, rents and fees",
    "Policy: the second phase",
    "TCP/IP | UDP",
    "Line one\nline two",
]
Lines = Sequence[Mapping[str, JsonValue]]


def lines(path: Path, rows: Lines) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def texts(topics: Sequence[Topic]) -> list[str]:
    return [topic.text for topic in topics]


# --- astra


@pytest.mark.parametrize("answer", [DELIMITERS, repr(DELIMITERS), json.dumps(DELIMITERS)], ids=["list", "repr", "json"])
def test_topics_with_separators_survive_import_saving_loading_and_a_table(
    tmp_path: Path, answer: list[JsonValue] | str
) -> None:
    path = lines(tmp_path / "single_sum.jsonl", [{"question": "Sum up.", "answer": answer, "com_err": answer}])

    imported = import_astra(path)
    write_imported(imported, tmp_path / "out")
    loaded = read_benchmark(tmp_path / "out" / "bench.jsonl")
    write_topic_table(tmp_path / "topics.csv", loaded)
    again = import_jsonl(tmp_path / "topics.csv").questions

    for questions in (imported.questions, loaded, again):
        assert texts(questions[0].topics) == DELIMITERS
        assert texts(questions[0].hallucinations) == DELIMITERS


def test_a_release_record_becomes_a_question_with_both_sides_and_its_other_fields(tmp_path: Path) -> None:
    row: dict[str, JsonValue] = {
        "question": "Compare the two.",
        "answer": "['a', 'b; c']",
        "com_err": "[x, y]",
        "type": "Pair-Comp",
        "papers": ["p1"],
    }

    imported = import_astra(lines(tmp_path / "release.jsonl", [row]))

    question = imported.questions[0]
    assert question.kind == "pair_comp"
    assert [(topic.id, topic.text) for topic in question.topics] == [("A1", "a"), ("A2", "b; c")]
    assert [(topic.id, topic.text) for topic in question.hallucinations] == [("H1", "x"), ("H2", "y")]
    assert {topic.origin for topic in question.topics} == {"imported"}
    assert question.extra == {"type": "Pair-Comp", "papers": ["p1"]}
    assert not imported.problems


def test_the_name_of_a_release_file_tells_the_kind_and_a_folder_holds_several(tmp_path: Path) -> None:
    row: dict[str, JsonValue] = {"question": "Q?", "answer": ["a"]}
    lines(tmp_path / "Enumeration.jsonl", [row])
    (tmp_path / "Temporal.json").write_text(json.dumps([row, {**row, "question": "R?"}], indent=1), "utf-8")

    imported = import_astra(tmp_path)

    assert [question.kind for question in imported.questions] == ["enumeration", "temporal", "temporal"]
    assert len({question.id for question in imported.questions}) == 3


def test_ids_are_made_of_content_so_that_the_order_of_records_does_not_matter(tmp_path: Path) -> None:
    rows: list[dict[str, JsonValue]] = [{"question": f"Q{n}?", "answer": ["a"]} for n in range(3)]

    forward = import_astra(lines(tmp_path / "pair.jsonl", rows)).questions
    backward = import_astra(lines(tmp_path / "pair.jsonl", rows[::-1])).questions

    assert forward == backward[::-1]


def test_a_string_of_topics_that_can_be_read_in_two_ways_is_reported_with_its_line(tmp_path: Path) -> None:
    rows: Lines = [
        {"question": "Q?", "answer": "[a; b]"},
        {"question": "R?", "answer": "[rents, fees; policy; trade]", "com_err": "x, y"},
    ]

    imported = import_astra(lines(tmp_path / "temporal.jsonl", rows))

    assert [(p.line, p.field, p.severity) for p in imported.problems] == [
        (2, "answer", "warning"),
        (2, "com_err", "warning"),
    ]
    assert "read as 2 topics" in imported.problems[0].problem
    assert texts(imported.questions[1].topics) == ["rents", "fees; policy; trade"]


def test_an_unknown_kind_is_read_as_other_and_said(tmp_path: Path) -> None:
    rows: Lines = [{"question": "Q?", "answer": ["a"], "type": "Riddle"}, {"question": "R?", "answer": ["a"]}]

    imported = import_astra(lines(tmp_path / "release.jsonl", rows))

    assert [question.kind for question in imported.questions] == ["other", "other"]
    assert [(p.line, p.field, p.value) for p in imported.problems] == [(1, "kind", '"Riddle"'), (2, "kind", "")]


def test_release_records_that_clash_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    rows: Lines = [
        {"id": 7, "question": "Q?", "answer": ["a", "a", "b"], "com_err": ["b"]},
        {"id": 7, "question": "R?", "answer": ["a"]},
        {"id": 8, "question": "S?", "answer": "[]"},
    ]
    imported = import_astra(lines(tmp_path / "pair.jsonl", rows))

    with pytest.raises(FileError) as raised:
        write_imported(imported, tmp_path / "out")

    assert [(p.line, p.field) for p in raised.value.problems] == [(2, "id"), (3, "topics")]
    assert [(p.line, p.field) for p in imported.problems if p.severity == "warning"] == [
        (1, "answer"),
        (1, "hallucinations"),
    ]
    assert not (tmp_path / "out").exists()


def test_one_id_in_two_release_files_is_an_error(tmp_path: Path) -> None:
    lines(tmp_path / "pair.jsonl", [{"id": "q", "question": "Q?", "answer": ["a"]}])
    lines(tmp_path / "multi.jsonl", [{"id": "q", "question": "R?", "answer": ["a"]}])

    assert [(p.field, p.problem) for p in import_astra(tmp_path).errors] == [("id", "stands in two files")]


@pytest.mark.parametrize(
    ("content", "line", "field"),
    [
        ('{"question": "Q?"}\n', 1, "answer"),
        ('{"question": "", "answer": ["a"]}\n', 1, "question"),
        ('[\n{"question": "Q?", "answer": ["a"]},\n{"question": "Q?", "answer": [NaN]}]', 3, "answer"),
        ('[\n{"question": "Q?",\n', 2, "line"),
        ("", 0, "file"),
        ("[]", 0, "file"),
    ],
)
def test_a_release_file_without_what_it_needs_says_what_and_where(
    tmp_path: Path, content: str, line: int, field: str
) -> None:
    path = tmp_path / "pair.jsonl"
    path.write_text(content, "utf-8")

    with pytest.raises(FileError) as raised:
        import_astra(path)

    assert raised.value.problems[0].line == line
    assert raised.value.problems[0].field.startswith(field)


@pytest.mark.parametrize("name", sorted(IMPORTERS))
def test_every_importer_says_what_it_did_not_find(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError) as raised:
        IMPORTERS[name](tmp_path)

    assert str(tmp_path) in str(raised.value)
    assert ".jsonl" in str(raised.value)


# --- the simple form


def test_plain_topics_get_their_ids_and_given_ids_stay(tmp_path: Path) -> None:
    rows: Lines = [
        {"question": "Q?", "topics": ["a", {"text": "b", "importance": "vital"}], "hallucinations": ["x"], "note": 1},
        {"id": "mine", "question": "R?", "kind": "set", "answers": ["Paris", ["Bern", "Berne"]]},
    ]

    imported = import_jsonl(lines(tmp_path / "mine.jsonl", rows))

    first, second = imported.questions
    assert [(topic.id, topic.text, topic.importance) for topic in first.topics] == [
        ("A1", "a", None),
        ("A2", "b", "vital"),
    ]
    assert [topic.id for topic in first.hallucinations] == ["H1"]
    assert first.id.startswith("q-")
    assert first.extra == {"note": 1}
    assert (second.id, second.answers) == ("mine", (("Paris",), ("Bern", "Berne")))
    assert not imported.problems


def test_documents_beside_keep_the_ids_that_evidence_names(tmp_path: Path) -> None:
    lines(tmp_path / "documents.jsonl", [{"id": "d1", "text": "Head\nbody", "lang": "en"}, {"text": "  "}])
    lines(tmp_path / "questions.jsonl", [{"question": "Q?", "topics": ["a"], "evidence": ["d1"]}])

    imported = import_jsonl(tmp_path)

    assert [(d.title, d.status) for d in imported.documents] == [("Head", "ok"), ("", "empty")]
    assert imported.documents[0].id == "d1"
    assert imported.documents[0].extra == {"lang": "en"}
    assert imported.documents[1].id.startswith("d-")
    assert not imported.problems


def test_gold_that_does_not_fit_its_corpus_is_not_written(field_cases: Path, tmp_path: Path) -> None:
    imported = import_jsonl(field_cases / "gold-mismatch")

    with pytest.raises(FileError) as raised:
        write_imported(imported, tmp_path / "out")

    assert [(Path(p.file).name, p.line) for p in raised.value.problems] == [
        ("questions.jsonl", 2),
        ("questions.jsonl", 3),
        ("questions.jsonl", 4),
        ("corpus.jsonl", 3),
    ]
    assert [d.id for d in imported.documents] == ["d1", "d2", "d3"]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("content", "line", "field"),
    [
        ("question,topic,side\nQ?,a,B\n", 2, "side"),
        ("id,question,topic\n1,Q?,a\n1,R?,b\n", 3, "id"),
        ("question,topic,kind\nQ?,a,riddle\n", 2, "kind"),
        ("topic\na\n", 2, "question"),
        ("question,theme\n", 1, "header"),
        ("question,topic\n", 0, "file"),
    ],
)
def test_a_table_of_topics_with_a_fault_names_its_line(tmp_path: Path, content: str, line: int, field: str) -> None:
    path = tmp_path / "topics.csv"
    path.write_text(content, "utf-8")

    with pytest.raises(FileError) as raised:
        import_jsonl(path)

    assert (raised.value.problems[0].line, raised.value.problems[0].field) == (line, field)


def test_a_table_needs_only_questions_and_topics(tmp_path: Path) -> None:
    path = tmp_path / "topics.csv"
    path.write_text("topic,question\na,Q?\nb,R?\nc,Q?\n", "utf-8")

    questions = import_jsonl(path).questions

    assert [(question.text, texts(question.topics)) for question in questions] == [("Q?", ["a", "c"]), ("R?", ["b"])]


# --- real releases


def checked(imported: Imported, folder: Path) -> list[str]:
    """Write an import and return what `check` says to each of its files."""
    paths = write_imported(imported, folder)
    return [
        str(problem)
        for path in paths
        if path.name != "labels.jsonl"
        for problem in check_file(path, questions=imported.questions)
    ]


def test_every_case_of_scholarqa_has_its_own_answers_of_all_four_systems(shared: Path, tmp_path: Path) -> None:
    imported = import_scholarqa(shared / "scholarqa_cs")

    jobs = {(answer.question_id, answer.method) for answer in imported.answers}
    systems = {answer.method for answer in imported.answers}
    assert (len(imported.questions), len(imported.answers), len(jobs)) == (66, 264, 264)
    assert len({question.text for question in imported.questions}) == 60
    assert systems == {"nora", "claude", "gpt", "perplexity"}
    assert jobs == {(question.id, system) for question in imported.questions for system in systems}
    assert [p.severity for p in imported.problems] == ["warning"]
    assert len(checked(imported, tmp_path)) == 1


def test_key_points_of_scholarqa_become_topics_and_keep_their_full_wording(shared: Path) -> None:
    questions = import_scholarqa(shared / "scholarqa_cs").questions

    topics = [topic for question in questions for topic in question.topics]
    assert len(topics) == 294
    assert sum(topic.importance == "vital" for topic in topics) == 244
    assert not [topic.text for topic in topics if "answer should" in topic.text.casefold()]
    first = questions[0]
    assert first.topics[0].text == "define the boolean satisfiability problem"
    criteria = first.extra["criteria"]
    assert isinstance(criteria, dict)
    assert criteria["A1"] == "Near the beginning, the answer should briefly define the boolean satisfiability problem."
    assert {question.kind for question in questions} == {"enumeration", "pair_comp", "multi_comp", "other"}


def test_an_answer_to_no_case_is_an_error_with_its_line(tmp_path: Path) -> None:
    point: dict[str, JsonValue] = {"topic_id": "t", "importance": "nice_to_have", "criterion": "X.", "weight": 1}
    case: dict[str, JsonValue] = {
        "case_id": "c",
        "question": "Q?",
        "annotator": 1,
        "agreement_item": False,
        "topics": [point],
    }
    lines(tmp_path / "questions.jsonl", [case])
    answer: dict[str, JsonValue] = {"case_id": "c", "system": "s", "answer": " "}
    lines(tmp_path / "answers.jsonl", [answer, {**answer, "case_id": "z"}])

    imported = import_scholarqa(tmp_path)

    assert [(p.line, p.field) for p in imported.errors] == [(2, "case_id")]
    assert (imported.answers[0].status, imported.questions[0].topics[0].text) == ("empty", "X")


@pytest.fixture(scope="module")
def squality(shared: Path) -> Imported:
    return import_squality(shared / "squality")


def test_squality_leaves_the_rated_reference_out_of_the_topics(squality: Imported, tmp_path: Path) -> None:
    imported = squality

    rated = {answer.question_id: answer.text for answer in imported.answers if answer.method == "human"}
    writers = {question.id: question.extra["references"] for question in imported.questions}
    counts = [len(imported.questions), len(imported.documents), len(imported.answers), len(imported.labels)]
    assert counts == [130, 26, 180, 180 * 3 * 3]
    assert len(rated) == 60
    held = {question: len(named) for question, named in writers.items() if isinstance(named, dict)}
    assert {count for question, count in held.items() if question in rated} == {3}
    assert {count for question, count in held.items() if question not in rated} == {4}
    own = [
        topic.text
        for question in imported.questions
        if question.id in rated
        for topic in question.topics
        if len(topic.text.split()) > 8 and topic.text in rated[question.id]
    ]
    assert own == []
    assert checked(imported, tmp_path) != []  # 70 questions have no rated answer, and that is said
    assert {(label.scale, label.rater) for label in imported.labels} >= {("overall_rating", "2")}


def test_squality_ratings_put_the_persons_answer_first(squality: Imported) -> None:
    labels = squality.labels

    means = {
        method: sum(values) / len(values)
        for method in ("human", "bart-dpr", "bart")
        if (values := [x.value for x in labels if x.method == method and x.scale == "overall_rating"])
    }

    assert {method: round(mean, 1) for method, mean in means.items()} == {"human": 90.8, "bart-dpr": 31.7, "bart": 19.7}


def test_squality_without_ratings_says_so_and_keeps_all_references(shared: Path, tmp_path: Path) -> None:
    for name in ("documents.jsonl", "questions.jsonl"):
        (tmp_path / name).write_bytes((shared / "squality" / name).read_bytes())

    imported = import_squality(tmp_path)

    assert not imported.answers
    assert [(p.severity, "human_eval" in p.value) for p in imported.problems] == [("warning", True)]


def test_a_small_squality_keeps_each_sentence_once_and_knows_its_writers(tmp_path: Path) -> None:
    asked: dict[str, JsonValue] = {
        "question_id": "q",
        "doc_id": "7",
        "question": "What?",
        "references": [
            {"writer": "1", "uid": "a", "text": "He lands. He leaves."},
            {"writer": "2", "uid": "b", "text": "He leaves! — It rains."},
            {"writer": "3", "uid": "c", "text": "Rated one."},
        ],
    }
    review: dict[str, JsonValue] = {
        "reviewer": "r",
        "correctness_rating": 1,
        "selection_rating": 2,
        "overall_rating": 3,
    }
    rated: dict[str, JsonValue] = {"question_id": "q", "system": "human", "response": "Rated one", "reviews": [review]}
    lines(tmp_path / "documents.jsonl", [{"doc_id": "7", "text": "\n THE TITLE\nText."}])
    lines(tmp_path / "questions.jsonl", [asked])
    lines(tmp_path / "human_eval.jsonl", [rated, {**rated, "system": "bart", "response": ""}])

    imported = import_squality(tmp_path)

    question = imported.questions[0]
    assert texts(question.topics) == ["He lands.", "He leaves.", "— It rains."]
    assert question.extra["references"] == {"1": ["A1", "A2"], "2": ["A2", "A3"]}
    assert question.evidence == (imported.documents[0].id,)
    assert imported.documents[0].title == "THE TITLE"
    assert [(answer.method, answer.status) for answer in imported.answers] == [("human", "ok"), ("bart", "empty")]
    assert [(label.scale, label.value) for label in imported.labels[:3]] == [
        ("correctness_rating", 1.0),
        ("selection_rating", 2.0),
        ("overall_rating", 3.0),
    ]


def test_a_squality_question_about_no_story_is_named_by_its_line(tmp_path: Path) -> None:
    asked: dict[str, JsonValue] = {"question_id": "q", "doc_id": "7", "question": "What?", "references": []}
    lines(tmp_path / "documents.jsonl", [{"doc_id": "8", "text": "Text."}])
    lines(tmp_path / "questions.jsonl", [asked])

    with pytest.raises(FileError, match=r"questions\.jsonl:1: doc_id"):
        import_squality(tmp_path)


def test_qmsum_turns_become_lines_and_spans_quote_them_exactly(shared: Path, tmp_path: Path) -> None:
    imported = import_qmsum(shared / "qmsum")

    by_id = {document.id: document for document in imported.documents}
    spans = [span for question in imported.questions for topic in question.topics for span in topic.evidence]
    assert (len(imported.questions), len(imported.documents), len(imported.comments)) == (87, 14, 59)
    assert spans
    assert all(by_id[span.document_id].text[span.start : span.end] == span.quote for span in spans)
    assert all(span.start == 0 or by_id[span.document_id].text[span.start - 1] == "\n" for span in spans)
    assert sum(not question.topics[0].evidence for question in imported.questions) == 14
    assert checked(imported, tmp_path) == []


def test_qmsum_refuses_turns_that_a_meeting_does_not_have(tmp_path: Path) -> None:
    turns: list[JsonValue] = [{"turn": 0, "speaker": "A", "text": "Yes ."}, {"turn": 1, "speaker": "B", "text": "No ."}]
    lines(tmp_path / "documents.jsonl", [{"doc_id": "m", "turns": turns, "topics": []}])
    asked: dict[str, JsonValue] = {
        "question_id": "q",
        "doc_id": "m",
        "kind": "specific",
        "question": "What?",
        "answer": "Yes. No.",
    }
    lines(
        tmp_path / "questions.jsonl",
        [
            {**asked, "evidence_spans": [[0, 1]]},
            {**asked, "evidence_spans": [[1, 2]]},
            {**asked, "evidence_spans": [[1, 0]]},
            {**asked, "doc_id": "n"},
        ],
    )

    with pytest.raises(FileError) as raised:
        import_qmsum(tmp_path)

    assert [(p.line, p.field) for p in raised.value.problems] == [
        (2, "evidence_spans"),
        (3, "evidence_spans"),
        (4, "doc_id"),
    ]


def test_only_files_with_records_are_written(tmp_path: Path) -> None:
    question = Question(id="q", text="?", topics=(Topic(id="A1", text="t"),))

    written = write_imported(Imported(questions=(question,)), tmp_path / "out")

    assert [path.name for path in written] == ["bench.jsonl"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["bench.jsonl"]


def test_full_records_are_imported_as_they_are(tmp_path: Path) -> None:
    simple = lines(tmp_path / "simple.jsonl", [{"question": "Why?", "topics": ["a", "b"], "hallucinations": ["c"]}])
    imported = import_jsonl(simple)
    (full, *_) = write_imported(imported, tmp_path / "full")

    again = import_jsonl(full)

    assert again.questions == imported.questions
    assert again.problems == ()


def test_a_full_record_with_an_unknown_field_is_named_by_its_line(tmp_path: Path) -> None:
    path = lines(tmp_path / "bench.jsonl", [{"id": "q1", "text": "Why?", "topic": []}])

    with pytest.raises(FileError, match=r"bench\.jsonl:1: topic"):
        import_jsonl(path)
