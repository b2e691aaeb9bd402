import json

import pytest
from pydantic import JsonValue

from astrolabe.documents.extract import Extract, Unreadable
from astrolabe.documents.fields import RecordFields
from astrolabe.documents.json_records import read_json, read_json_lines


def read_lines(*records: JsonValue, fields: RecordFields | None = None) -> list[Extract]:
    content = "\n".join(json.dumps(record) for record in records).encode()
    return list(read_json_lines(content, fields or RecordFields()))


def test_a_line_is_a_document_named_by_its_id() -> None:
    (extract,) = read_lines({"id": "d7", "title": "Tides", "text": "It floods.", "date": "2020-01-02", "tags": [1]})

    assert (extract.place, extract.title, extract.text, extract.date) == ("d7", "Tides", "It floods.", "2020-01-02")
    assert extract.extra == {
        "line": 1,
        "source": None,
        "fields": {"id": "d7", "title": "Tides", "date": "2020-01-02", "tags": [1]},
    }


@pytest.mark.parametrize("name", ["text", "content", "body", "abstract"])
def test_the_usual_names_of_the_text_are_guessed(name: str) -> None:
    assert read_lines({name: "It floods."})[0].text == "It floods."


def test_a_named_field_may_lie_deeper_and_hold_paragraphs() -> None:
    record: JsonValue = {"text": "no", "paper": {"sections": [["One.", "Two."], ["Three."]], "head": "Tides"}}
    fields = RecordFields(text="paper.sections", title="paper.head")

    (extract,) = read_lines(record, fields=fields)

    assert (extract.text, extract.title) == ("One.\n\nTwo.\n\nThree.", "Tides")


def test_a_line_that_is_no_record_or_has_no_text_fails_alone_and_names_its_line() -> None:
    content = b'{"text": "a"}\n\n{"text": \n[1]\n{"title": "x", "texts": "y"}\n{"text": {"a": 1}}\n{"text": "b"}\n'

    extracts = list(read_json_lines(content, RecordFields()))

    assert [extract.text for extract in extracts if extract.failure is None] == ["a", "b"]
    failures = [extract.failure for extract in extracts if extract.failure]
    assert [failure.split(":")[0] for failure in failures] == ["line 3", "line 4", "line 5", "line 6"]
    assert "its fields are 'title', 'texts'" in failures[2]


def test_an_empty_text_is_empty_not_failed() -> None:
    (extract,) = read_lines({"text": "  "})

    assert extract.failure is None
    assert extract.emptiness == "line 1: the text in field 'text' is empty"


def test_a_json_file_holds_a_list_of_records_or_one() -> None:
    many = list(read_json(b'[{"text": "a"}, 3, {"text": "b"}]', RecordFields()))
    one = list(read_json(b'{"text": "a"}', RecordFields()))

    assert [(extract.place, extract.text) for extract in many] == [("1", "a"), ("2", ""), ("3", "b")]
    assert many[1].failure == "record 2: not a JSON object but 3"
    assert [extract.text for extract in one] == ["a"]


def test_a_file_that_is_not_json_names_the_place() -> None:
    with pytest.raises(Unreadable, match="line 2, column 3"):
        list(read_json(b'{"a": 1,\n  b}', RecordFields()))


def test_a_piece_of_a_page_as_qampari_has_them_is_read_as_it_is() -> None:
    row = {
        "id": "Paris__3",
        "contents": "Paris It lies on the Seine.",
        "meta": {
            "title": "Paris",
            "content": "It lies on the Seine.",
            "url": "https://x.example/wiki/Paris",
            "page_id": 7,
        },
    }

    (extract,) = read_json_lines(json.dumps(row).encode(), RecordFields())

    assert (extract.place, extract.title, extract.text) == ("Paris__3", "Paris", "It lies on the Seine.")
    assert extract.extra["url"] == "https://x.example/wiki/Paris"
