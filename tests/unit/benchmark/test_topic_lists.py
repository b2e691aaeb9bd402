import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.benchmark.topic_lists import parse_topics

DELIMITERS = [
    "Costs for buyers; prices, rents and fees",
    "Policy: the second phase",
    "TCP/IP | UDP",
    "Line one\nline two",
]


# D16
@pytest.mark.parametrize(
    "written", [DELIMITERS, json.dumps(DELIMITERS), repr(DELIMITERS)], ids=["list", "json", "repr"]
)
def test_topics_with_separators_in_them_survive(written: list[str] | str) -> None:
    read = parse_topics(written)

    assert list(read.topics) == DELIMITERS
    assert not read.doubt


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"))))
def test_a_list_printed_by_python_is_read_back_whatever_its_items(items: list[str]) -> None:
    wanted = [item.strip() for item in items if item.strip()]

    read = parse_topics(repr(items))

    if not read.doubt:  # a text such as `', '` in an item can pair up marks in two ways
        assert list(read.topics) == wanted


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="'\"\\\0"))))
def test_quoted_items_without_marks_in_them_are_read_without_doubt(items: list[str]) -> None:
    read = parse_topics("[" + ", ".join(f"'{item}'" for item in items) + "]")

    assert list(read.topics) == [item.strip() for item in items if item.strip()]
    assert not read.doubt


@pytest.mark.parametrize(
    ("written", "topics"),
    [
        ("[a, b]", ("a", "b")),
        ("[rents; fees]", ("rents", "fees")),
        ("[Policy: phase two]", ("Policy: phase two",)),
        ("[costs (rents, fees), policy]", ("costs (rents, fees)", "policy")),
        ("[smile :), frown]", ("smile :)", "frown")),
        ("['buyers' costs', 'sellers']", ("buyers' costs", "sellers")),
        ("""["the buyer's view", 'x']""", ("the buyer's view", "x")),
        (r"['it\'s', 'a\\b', 'caf\xe9', 'x\u2028y']", ("it's", "a\\b", "café", "x\u2028y")),
        ("[]", ()),
        ("", ()),
        ("[ , ]", ()),
        ("one topic", ("one topic",)),
        (r"['nul \x00', '\ud800']", ("nul \ufffd", "\ufffd")),
    ],
)
def test_a_bracketed_string_is_read_as(written: str, topics: tuple[str, ...]) -> None:
    assert parse_topics(written).topics == topics


@pytest.mark.parametrize(
    ("written", "topics"),
    [
        ("[rents, fees; policy; trade]", ("rents", "fees; policy; trade")),
        ("[a; b, c; d, e; f]", ("a; b", "c; d", "e; f")),
        ("[a, b, c; d]", ("a, b, c", "d")),
        ("[a, b; c]", ("a, b", "c")),
        ("rents, fees", ("rents, fees",)),
        ("['a, b", ("['a, b",)),
        ("['a', b]", ("'a', b",)),
    ],
)
def test_where_two_readings_are_possible_the_one_with_fewer_topics_is_taken_and_said(
    written: str, topics: tuple[str, ...]
) -> None:
    read = parse_topics(written)

    assert read.topics == topics
    assert "read as" in read.doubt


def test_a_hostile_string_takes_no_time_and_runs_nothing() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    marks = "['" + "a'" * 50_000 + "]"
    call = "[__import__('os').getcwd()]"

    read = [parse_topics(text) for text in (deep, marks, call)]

    assert read[2].topics == ("__import__('os').getcwd()",)
