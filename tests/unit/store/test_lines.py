import tracemalloc
from pathlib import Path

import pytest
from pydantic import ConfigDict
from pydantic import JsonValue as Json

from astrolabe.core.errors import FileError, UserError
from astrolabe.core.records import Record
from astrolabe.store.lines import (
    append_records,
    check_records,
    read_records,
    recover_records,
    text_lines,
    whole_text,
    write_records,
)

ODD = (
    "\ufeff"
    '{"id": "r1", "text": "first"}\r\n'
    "\r\n"
    '{"id": "r2", "text": "has\u2028separator and \u0085 next"}\r\n'
    '{"id": "r3", "text": "third"}'
)


class Row(Record):
    id: str
    text: str
    more: Json = None


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(ODD.encode("utf-8"))
    return path


def test_a_mark_crlf_blank_lines_and_line_separators_cost_no_record(odd: Path) -> None:
    rows = read_records(odd, Row)

    assert [row.id for row in rows] == ["r1", "r2", "r3"]
    assert rows[1].text == "has\u2028separator and \u0085 next"


def test_the_field_case_file_of_odd_lines_has_three_records(field_cases: Path) -> None:
    rows = read_records(field_cases / "odd-lines.jsonl", Row)

    assert [row.id for row in rows] == ["r1", "r2", "r3"]


def test_writing_odd_lines_and_reading_them_again_gives_the_same(odd: Path, tmp_path: Path) -> None:
    rows = read_records(odd, Row)

    write_records(tmp_path / "again.jsonl", rows)

    assert read_records(tmp_path / "again.jsonl", Row) == rows


def test_a_fault_is_named_by_its_line_in_the_file_blank_lines_counted(odd: Path) -> None:
    odd.write_bytes(ODD.replace('"id": "r2"', '"id": 2').encode("utf-8"))

    checked = check_records(odd, Row)

    assert [(p.line, p.field, p.value) for p in checked.problems] == [(3, "id", "2")]
    assert [line for line, _ in checked.records] == [1, 4]


def test_every_fault_of_a_file_is_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a"}\n{"id": "b", "text": "t", "odd": 1}\nnot json\n["list"]\n', "utf-8")

    with pytest.raises(FileError) as raised:
        read_records(path, Row)

    assert [p.line for p in raised.value.problems] == [1, 2, 3, 4]
    assert [p.field for p in raised.value.problems[:2]] == ["text", "odd"]
    assert "Add the field" in str(raised.value)


def test_a_file_that_is_not_utf8_names_line_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes(b'{"id": "a", "text": "ok"}\n{"id": "b", "text": "caf\xe9"}\n')

    with pytest.raises(FileError, match="not UTF-8 at byte 50") as raised:
        read_records(path, Row)

    assert raised.value.problems[0].line == 2


def test_a_file_that_we_append_to_names_line_and_byte_where_it_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes(b'{"id": "a", "text": "ok"}\n\n{"id": "b", "text": "caf\xe9"}\n{"id": "c", "te')

    with pytest.raises(FileError, match="not UTF-8 at byte 51") as raised:
        recover_records(path, Row)

    assert raised.value.problems[0].line == 3


def test_records_are_read_without_the_whole_file_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"id": "a", {" " * 50_000} "text": "1"}}\n' * 100, "utf-8")
    tracemalloc.start()

    rows = recover_records(path, Row)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(rows) == 100
    assert peak < path.stat().st_size / 4


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        list(text_lines(tmp_path / name))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_json_does_not_have_is_refused_in_free_fields(tmp_path: Path, number: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"id": "a", "text": "NaN", "more": [{number}]}}\n', "utf-8")

    checked = check_records(path, Row)

    assert [(p.line, p.problem) for p in checked.problems] == [(1, "JSON has no such number")]
    assert not checked.records


def test_the_word_nan_in_a_text_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a", "text": "NaN and -Infinity"}\n', "utf-8")

    assert [row.text for row in read_records(path, Row)] == ["NaN and -Infinity"]


def test_a_torn_last_line_is_cut_off_and_the_next_record_stands_alone(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    append_records(path, [Row(id="a", text="1"), Row(id="b", text="2")])
    torn = path.read_bytes()[:-9]
    path.write_bytes(torn)

    recovered = recover_records(path, Row)
    append_records(path, [Row(id="c", text="3")])

    assert [row.id for row in recovered] == ["a"]
    assert [row.id for row in read_records(path, Row)] == ["a", "c"]


@pytest.mark.parametrize("kept", range(1, 30))
def test_wherever_the_last_write_was_torn_the_records_before_it_are_there(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "rows.jsonl"
    append_records(path, [Row(id="a", text="é\u2028")])
    whole = path.read_bytes()
    append_records(path, [Row(id="b", text="é\u2028")])
    path.write_bytes(path.read_bytes()[: len(whole) + kept])

    torn = path.read_bytes()

    assert [row.id for row in recover_records(path, Row)] == ["a"]
    assert path.read_bytes() == torn, "somebody else may be writing it"
    append_records(path, [Row(id="c", text="3")])
    assert path.read_bytes().startswith(whole)
    assert [row.id for row in read_records(path, Row)] == ["a", "c"]


def test_a_fault_before_the_torn_line_is_still_an_error(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a"}\n{"id": "b", "te', "utf-8")

    with pytest.raises(FileError, match="text"):
        recover_records(path, Row)


def test_a_missing_file_that_we_append_to_has_no_records(tmp_path: Path) -> None:
    assert recover_records(tmp_path / "none.jsonl", Row) == []


def test_appending_to_where_a_folder_stands_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot append"):
        append_records(tmp_path, [Row(id="a", text="1")])


def test_appending_nothing_makes_an_empty_file(tmp_path: Path) -> None:
    append_records(tmp_path / "deep" / "rows.jsonl", [])

    assert recover_records(tmp_path / "deep" / "rows.jsonl", Row) == []


def test_a_whole_text_keeps_its_line_ends_and_loses_its_mark(odd: Path) -> None:
    text = whole_text(odd)

    assert text == ODD.removeprefix("\ufeff")


def test_a_long_value_is_shortened_in_the_message(tmp_path: Path) -> None:
    class Number(Record):
        model_config = ConfigDict(frozen=True, extra="forbid")
        n: int

    path = tmp_path / "n.jsonl"
    path.write_text(f'{{"n": "{"x" * 5000}"}}\n', "utf-8")

    problem = check_records(path, Number).problems[0]

    assert len(problem.value) == 80
    assert problem.value.endswith("...")
