"""Benchmarks whose answers are sets: what each importer reads, and what it says of what it could not."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from pydantic import JsonValue

from astrolabe.benchmark import (
    IMPORTERS,
    Imported,
    check_file,
    import_fanoutqa,
    import_hotpotqa,
    import_jsonl,
    import_monaco,
    import_musique,
    import_qampari,
    import_two_wiki,
    write_imported,
)
from astrolabe.benchmark.set_answers import gold_answers
from astrolabe.core.errors import FileError
from astrolabe.core.records import Question

Row = Mapping[str, JsonValue]


def lines(path: Path, *rows: Row) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def said(imported: Imported) -> list[tuple[int, str, str]]:
    return [(problem.line, problem.field, problem.severity) for problem in imported.problems]


def held(imported: Imported, question: Question, scope: str) -> list[str]:
    scopes = {one.id: one for one in imported.scopes}
    titles = {document.id: document.title for document in imported.documents}
    return sorted(titles[document] for document in scopes[question.scopes[scope]].documents)


# --- answers of any JSON shape


@pytest.mark.parametrize(
    ("value", "answers"),
    [
        ("x", (("x",),)),
        (True, (("Yes", "True"),)),
        ([False], (("No", "False"),)),
        ([1590152, 61.6, 4.0], (("1590152",), ("61.6",), ("4",))),
        ([["Bonn", 1949], "Oslo"], (("Bonn, 1949",), ("Oslo",))),
        ({"Oslo": None, "Rome": [1, 2]}, (("Oslo:",), ("Rome: 1, 2",))),
        ([], ()),
        (None, ()),
        (["", None], ()),
    ],
)
def test_a_gold_answer_of_any_shape_becomes_items(value: JsonValue, answers: tuple[tuple[str, ...], ...]) -> None:
    assert gold_answers("answer", value).answers == answers


def test_lists_within_lists_and_blank_members_are_doubts() -> None:
    doubts = gold_answers("answer", [["a", "b"], ["c"], None]).doubts

    assert [doubt.value for doubt in doubts] == ["null", '["a", "b"]']
    assert "several names of one" in doubts[1].problem


# --- hotpotqa, 2wiki

CONTEXT: list[JsonValue] = [
    ["Tides", ["The moon pulls.", " Tides follow."]],
    ["Salt", ["Pans dry."]],
    ["Nets", ["Hemp rots."]],
]
HOTPOT: Row = {
    "_id": "h1",
    "question": " What pulls? ",
    "answer": "the moon",
    "type": "bridge",
    "context": CONTEXT,
    "supporting_facts": [["Tides", 0], ["Salt", 0]],
}


def test_a_published_question_has_gold_paragraphs_and_three_scopes(tmp_path: Path) -> None:
    other: Row = {
        **HOTPOT,
        "_id": "h2",
        "context": [["Lamps", ["Oil."]], *CONTEXT[:1]],
        "supporting_facts": [["Lamps", 0]],
    }

    imported = import_hotpotqa(lines(tmp_path / "dev.jsonl", HOTPOT, other))

    first, second = imported.questions
    assert (first.id, first.text, first.kind, first.answers) == ("h1", "What pulls?", "set", (("the moon",),))
    assert [document.title for document in imported.documents] == ["Tides", "Salt", "Nets", "Lamps"]
    assert imported.documents[0].text == "# Tides\n\nThe moon pulls. Tides follow."
    assert held(imported, first, "simple") == ["Salt", "Tides"]
    assert held(imported, first, "middle") == ["Nets", "Salt", "Tides"]
    assert held(imported, second, "middle") == ["Lamps", "Tides"]
    assert held(imported, first, "hard") == held(imported, second, "hard") == ["Lamps", "Nets", "Salt", "Tides"]
    assert first.extra == {"type": "bridge", "supporting_facts": [["Tides", 0], ["Salt", 0]]}
    assert not imported.problems


def test_one_json_list_and_columns_read_as_lines_and_pairs_do(tmp_path: Path) -> None:
    columns: Row = {
        **{key: value for key, value in HOTPOT.items() if key != "_id"},
        "id": "h1",
        "context": {
            "title": ["Tides", "Salt", "Nets"],
            "sentences": [["The moon pulls.", " Tides follow."], ["Pans dry."], ["Hemp rots."]],
        },
        "supporting_facts": {"title": ["Tides", "Salt"], "sent_id": [0, 0]},
    }
    as_list = tmp_path / "dev.json"
    as_list.write_text(json.dumps([HOTPOT], indent=1), "utf-8")

    of_lines = import_hotpotqa(lines(tmp_path / "a.jsonl", HOTPOT))

    assert import_hotpotqa(as_list) == of_lines
    assert import_hotpotqa(lines(tmp_path / "b.jsonl", columns)) == of_lines


def test_odd_lines_are_read_as_they_are(tmp_path: Path) -> None:  # D34
    path = tmp_path / "dev.jsonl"
    rows = [{**HOTPOT, "answer": "a\u2028b\x85c"}, {**HOTPOT, "_id": "h2", "supporting_facts": [["Moon", 0]]}]
    text = "\r\n\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())

    imported = import_hotpotqa(path)

    assert [question.id for question in imported.questions] == ["h1", "h2"]
    assert imported.questions[0].answers == (("a\u2028b\x85c",),)
    assert imported.problems[0].line == 3


def test_supporting_titles_that_are_nowhere_or_stand_twice_are_named_with_their_line(tmp_path: Path) -> None:  # D35
    gone: Row = {**HOTPOT, "supporting_facts": [["Moon", 0], ["Salt", 1]]}
    twice: Row = {**HOTPOT, "_id": "h2", "context": [*CONTEXT, ["Salt", ["Another."]]]}
    none: Row = {**HOTPOT, "_id": "h3", "supporting_facts": []}

    imported = import_hotpotqa(lines(tmp_path / "dev.jsonl", gone, twice, none))

    assert said(imported) == [
        (1, "supporting_facts", "warning"),
        (2, "supporting_facts", "warning"),
        (3, "question", "warning"),
    ]
    assert "2 paragraphs have this title" in imported.problems[1].problem
    assert "simple" not in imported.questions[2].scopes


def test_what_a_record_lacks_is_named_for_every_line(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "dev.jsonl",
        HOTPOT,
        {key: value for key, value in HOTPOT.items() if key != "supporting_facts"},
        {**HOTPOT, "context": {"title": ["a"], "sentences": []}},
        {**HOTPOT, "supporting_facts": {"title": ["a"]}},
    )

    with pytest.raises(FileError) as caught:
        import_hotpotqa(path)

    assert [(problem.line, problem.field) for problem in caught.value.problems] == [
        (2, "supporting_facts"),
        (3, "context"),
        (4, "supporting_facts"),
    ]


@pytest.mark.parametrize("content", ['{"a": 1, "b": 2}\n', "[1]", "{\n"])
@pytest.mark.parametrize("form", ["hotpotqa", "2wiki", "musique", "qampari"])
def test_a_file_of_no_known_shape_is_named_with_what_it_has(tmp_path: Path, form: str, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, "utf-8")

    with pytest.raises(FileError, match="has none of the fields"):
        IMPORTERS[form](path)


def test_a_question_twice_with_other_content_is_an_error_and_with_the_same_a_warning(tmp_path: Path) -> None:  # D35
    imported = import_hotpotqa(lines(tmp_path / "dev.jsonl", HOTPOT, HOTPOT, {**HOTPOT, "answer": "the sun"}))

    assert said(imported) == [(2, "id", "warning"), (3, "id", "error")]
    assert len(imported.questions) == 1


def test_2wiki_is_read_as_hotpotqa_with_its_triples_in_extra(tmp_path: Path) -> None:
    row: Row = {**HOTPOT, "evidences": [["Tides", "cause", "moon"]]}

    imported = import_two_wiki(lines(tmp_path / "dev.jsonl", row))

    assert imported.questions[0].extra["evidences"] == [["Tides", "cause", "moon"]]
    assert imported.documents[0].source == "2wiki/Tides"


def test_the_hotpotqa_sample_is_read_whole(shared: Path) -> None:
    imported = import_hotpotqa(shared / "hotpotqa")

    assert (len(imported.questions), len(imported.documents)) == (60, 600)
    assert {len(question.evidence) for question in imported.questions} == {2}
    sizes = {(scope.name, len(scope.documents)) for scope in imported.scopes}
    assert sizes == {("simple", 2), ("middle", 10), ("hard", 600)}
    assert not imported.problems


def test_passages_that_are_not_in_the_file_beside_are_errors(tmp_path: Path) -> None:  # D35
    lines(tmp_path / "passages.jsonl", {"passage_id": "p1", "title": "Tides", "sentences": ["The moon."]})
    lines(
        tmp_path / "questions.jsonl",
        {"id": "h1", "question": "?", "answer": "x", "passages": ["p1", "p2"], "gold": [{"passage_id": "p9"}]},
    )

    imported = import_hotpotqa(tmp_path)

    assert said(imported) == [(1, "passages", "error"), (1, "gold", "warning"), (1, "question", "warning")]
    with pytest.raises(FileError, match="p2"):
        write_imported(imported, tmp_path / "out")


def test_the_questions_of_four_data_sets_are_all_read_and_said(shared: Path) -> None:
    imported = import_musique(shared / "multihop_contexts")

    assert (len(imported.questions), len(imported.documents)) == (53, 273)
    assert sum(len(question.evidence) for question in imported.questions) / 53 == pytest.approx(2.15, abs=0.005)
    assert "17 of hotpotqa" in imported.problems[0].value
    assert imported.questions[0].extra["dataset"] == "hotpotqa"


# --- musique

MUSIQUE: Row = {
    "id": "2hop__1_2",
    "paragraphs": [
        {"idx": 0, "title": "Grant", "paragraph_text": "A debut.", "is_supporting": False},
        {"idx": 1, "title": "Miquette", "paragraph_text": "A singer.", "is_supporting": True},
    ],
    "question": "Who is the spouse?",
    "question_decomposition": [{"id": 1, "question": "#1 >> spouse", "answer": "Miquette", "paragraph_support_idx": 1}],
    "answer": "Miquette Giraudy",
    "answer_aliases": ["Miquette"],
    "answerable": True,
}


def test_musique_keeps_aliases_and_steps_and_leaves_out_what_cannot_be_answered(tmp_path: Path) -> None:
    bare: Row = {**MUSIQUE, "answerable": False}

    imported = import_musique(lines(tmp_path / "dev.jsonl", MUSIQUE, bare))

    (question,) = imported.questions
    assert question.answers == (("Miquette Giraudy", "Miquette"),)
    assert held(imported, question, "simple") == ["Miquette"]
    assert "question_decomposition" in question.extra
    assert said(imported) == [(2, "answerable", "warning")]


# --- qampari

QAMPARI: Row = {
    "qid": "12__wikidata_simple__dev",
    "question_text": "Who wrote what?",
    "entities": [],
    "answer_list": [
        {
            "aid": "0",
            "answer_text": "Warlock",
            "aliases": ["Warlock", "The Warlock"],
            "answer_url": "https://en.wikipedia.org/wiki/Warlock",
            "proof": [
                {
                    "pid": "0",
                    "proof_text": "Warlock is a film.",
                    "found_in_url": "https://en.wikipedia.org/wiki/Warlock_(film)#Cast",
                },
                {"pid": "1", "proof_text": "He wrote it.", "found_in_url": "https://en.wikipedia.org/wiki/AC/DC"},
            ],
        },
        {
            "aid": "1",
            "answer_text": "Edge",
            "aliases": ["Edge of the City"],
            "proof": [
                {"pid": "2", "proof_text": "And more.", "found_in_url": "https://en.wikipedia.org/wiki/Warlock_(film)"}
            ],
        },
    ],
}


def test_proofs_of_a_page_become_one_gold_document(tmp_path: Path) -> None:
    imported = import_qampari(lines(tmp_path / "dev_data.jsonl", QAMPARI))

    (question,) = imported.questions
    assert question.answers == (("Warlock", "The Warlock"), ("Edge", "Edge of the City"))
    assert [document.text for document in imported.documents] == [
        "# warlock (film)\n\nWarlock is a film.\n\nAnd more.",
        "# ac/dc\n\nHe wrote it.",
    ]
    assert question.evidence == tuple(document.id for document in imported.documents)
    assert [page["title"] for page in mappings(question.extra["gold_pages"])] == ["warlock (film)", "ac/dc"]
    assert question.extra["not_aliases"] == ["Edge"]
    assert "gold_passages" not in question.extra


def mappings(value: JsonValue) -> Sequence[Mapping[str, JsonValue]]:
    return [member for member in value if isinstance(member, dict)] if isinstance(value, list) else []


def test_aligned_gold_documents_stay_passages_of_their_own(tmp_path: Path) -> None:
    row: Row = {
        "ex_num": 3,
        "question": "Who?",
        "validated_answer": [{"answer_text": "A", "aliases": ["A"]}, {"answer_text": "A", "aliases": ["B"]}],
        "gold_doc": [{"title": "Oslo", "content": "One."}, {"title": "Oslo", "text": "Two."}],
    }

    imported = import_qampari(lines(tmp_path / "full.jsonl", row))

    (question,) = imported.questions
    assert question.id == "qampari-3"
    assert [document.text for document in imported.documents] == ["# Oslo\n\nOne.", "# Oslo\n\nTwo."]
    assert question.extra["gold_passages"] == [{"title": "Oslo", "text": "One."}, {"title": "Oslo", "text": "Two."}]
    assert question.extra["gold_pages"] == [{"title": "Oslo"}]
    assert said(imported) == [(1, "answers", "warning")]


def test_a_question_without_answers_is_left_out_and_named(tmp_path: Path) -> None:
    imported = import_qampari(lines(tmp_path / "dev.jsonl", QAMPARI, {**QAMPARI, "qid": "x", "answer_list": []}))

    assert len(imported.questions) == 1
    assert said(imported) == [(2, "answers", "warning"), (2, "proof", "warning")]


def test_the_qampari_examples_are_read_whole(shared: Path) -> None:
    imported = import_qampari(shared / "qampari_examples")

    by_id = {question.id: question for question in imported.questions}
    assert len(by_id) == 7
    assert [len(question.answers) for question in imported.questions] == [5, 5, 6, 5, 5, 11, 7]
    assert all(question.evidence for question in imported.questions)
    demo = next(question for question in imported.questions if question.extra["source"] == "ALCE prompt demonstrations")
    assert (len(demo.evidence), len(held(imported, demo, "middle"))) == (3, 5)
    assert [(problem.line, problem.value) for problem in imported.problems] == [(0, '"10 proofs"')]


# --- fanoutqa


def test_the_fanoutqa_questions_are_read_whole(shared: Path) -> None:
    imported = import_fanoutqa(shared / "fanoutqa")

    pages = [len(mappings(question.extra["gold_pages"])) for question in imported.questions]
    assert (len(pages), max(pages)) == (186, 46)
    assert sum(pages) / len(pages) == pytest.approx(6.92, abs=0.005)
    assert imported.questions[0].answers[0] == ("Pat Burrell: Right",)
    booleans = [question for question in imported.questions if question.extra["answer_type"] == "boolean"]
    assert [question.answers for question in booleans] == [(("No", "False"),)]
    assert [problem.value for problem in imported.problems] == ['"160 of 186 answers"']


def test_the_pages_of_nested_steps_are_found_where_none_are_listed(tmp_path: Path) -> None:
    page: JsonValue = {"pageid": 1, "revid": "###TBD###", "title": "Oslo", "url": "https://en.wikipedia.org/wiki/Oslo"}
    row: Row = {
        "id": "f1",
        "question": "?",
        "answer": ["a", ["b", "c"]],
        "decomposition": [
            {"id": "s", "question": "?", "evidence": page, "decomposition": [{"evidence": page}]},
            {"id": "t", "question": "?", "evidence": None, "decomposition": [{"evidence": {"title": "Rome"}}]},
        ],
    }
    bare: Row = {"id": "f2", "question": "?", "answer": {}}

    imported = import_fanoutqa(lines(tmp_path / "dev.jsonl", row, {**row, "id": "f3", "decomposition": []}, bare))

    assert [page["title"] for page in mappings(imported.questions[0].extra["gold_pages"])] == ["Oslo", "Rome"]
    assert said(imported) == [
        (0, "answer", "warning"),
        (1, "answer", "warning"),
        (2, "answer", "warning"),
        (2, "gold_pages", "warning"),
        (3, "gold_pages", "warning"),
        (3, "answer", "warning"),
    ]


# --- monaco

MONACO: Row = {
    "ex_num": 7,
    "question": "Which  wars?",
    "decomposition": ["wars", "count of #1"],
    "validated_answer": [True, 3, ["Pastry War", 1838], "Reform War"],
}


def trace(folder: Path, number: int, content: Mapping[str, JsonValue]) -> None:
    path = folder / "execution_traces" / f"dataset_ex_{number}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")


def entry(urls: JsonValue, sections: JsonValue, kinds: JsonValue, *, in_wiki: JsonValue = "yes") -> JsonValue:
    return {
        "answers": ["x"],
        "source_url": urls,
        "answers_section": sections,
        "context_type": kinds,
        "answer_in_wiki": in_wiki,
    }


def test_a_trace_gives_gold_pages_and_places_past_its_canary(tmp_path: Path) -> None:  # D15
    wiki = "https://en.wikipedia.org/wiki/"
    provenance: dict[str, JsonValue] = {
        "1": [
            entry([f"{wiki}Paris#History", f"{wiki}AC/DC"], ["History", "Lead"], ["sentence", "table"]),
            entry(f"{wiki}Paris", "History", "sentence"),
            entry(f"{wiki}No", "x", "list", in_wiki="no"),
            entry(f"{wiki}None", "x", "list", in_wiki=None),
        ],
        "2": entry([f"{wiki}Oslo", f"{wiki}Rome"], "Lead", ["list"]),
    }
    trace(tmp_path, 7, {"canary": "do not train", "Which wars?": {"provenance": provenance}})

    imported = import_monaco(lines(tmp_path / "monaco_version_1_release.jsonl", MONACO).parent)

    (question,) = imported.questions
    assert question.id == "monaco-7"
    assert question.answers == (("Yes", "True"), ("3",), ("Pastry War, 1838",), ("Reform War",))
    assert [page["url"] for page in mappings(question.extra["gold_pages"])] == [
        f"{wiki}{name}" for name in ("Paris#History", "AC/DC", "Oslo", "Rome")
    ]
    assert [(place["section"], place["kind"]) for place in mappings(question.extra["gold_places"])] == [
        ("History", "sentence"),
        ("Lead", "table"),
    ]
    assert said(imported) == [(1, "validated_answer", "warning"), (1, "provenance", "warning")]
    assert "source_url 2, answers_section 1, context_type 1" in imported.problems[1].problem


@pytest.mark.parametrize(
    ("content", "field", "words"),
    [
        (
            {"Other?": {"provenance": {"1": [entry("https://en.wikipedia.org/wiki/Oslo", "a", "list")]}}},
            "trace",
            "in other words",
        ),
        ({"canary": "x"}, "trace", "holds no object"),
        ({"a": {}, "b": {}}, "trace", "holds no object"),
        ({"Which wars?": {"provenance": {"1": [entry([], [], [])]}}}, "provenance", "names no page"),
    ],
)
def test_a_trace_that_is_not_as_expected_is_said(tmp_path: Path, content: Row, field: str, words: str) -> None:
    trace(tmp_path, 7, content)

    imported = import_monaco(lines(tmp_path / "release.jsonl", {**MONACO, "validated_answer": "x"}))

    first = imported.problems[0]
    assert (first.line, first.field, first.severity) == (1, field, "warning")
    assert words in first.problem


def test_traces_that_are_missing_broken_or_for_some_questions_only_are_said(tmp_path: Path) -> None:
    without = import_monaco(lines(tmp_path / "a" / "release.jsonl", MONACO))
    trace(tmp_path / "b", 8, {})
    (tmp_path / "b" / "execution_traces" / "dataset_ex_9.json").write_text("{", "utf-8")
    rows: list[Row] = [{**MONACO, "validated_answer": [1], "ex_num": number} for number in (7, 8, 9)]
    some = import_monaco(
        lines(tmp_path / "b" / "release.jsonl", *rows, {**rows[0], "ex_num": 10, "validated_answer": []})
    )

    assert said(without)[0] == (0, "path", "warning")
    assert "has no dataset_ex_7.json" in some.problems[0].problem
    assert any("is not JSON" in problem.problem for problem in some.problems)
    assert (len(some.questions), some.problems[-1].field) == (3, "validated_answer")


# --- written and read again


@pytest.mark.parametrize(
    ("form", "folder"),
    [
        ("hotpotqa", "hotpotqa"),
        ("2wiki", "multihop_contexts"),
        ("qampari", "qampari_examples"),
        ("fanoutqa", "fanoutqa"),
    ],
)
def test_what_is_imported_survives_being_written_checked_and_read(
    tmp_path: Path, shared: Path, form: str, folder: str
) -> None:
    imported = IMPORTERS[form](shared / folder)

    write_imported(imported, tmp_path)
    again = import_jsonl(tmp_path)

    assert again.questions == imported.questions
    assert again.documents == imported.documents
    assert again.scopes == imported.scopes
    assert check_file(tmp_path / "bench.jsonl") == []
