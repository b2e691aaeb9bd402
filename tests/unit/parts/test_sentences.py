import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.parts.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def test_sentences_end_at_marks_followed_by_white_space() -> None:
    assert sentences("One is here. Two (really!) is too! Three?") == [
        "One is here.",
        "Two (really!) is too!",
        "Three?",
    ]


def test_abbreviations_initials_and_decimals_end_no_sentence() -> None:
    text = "Dr. A. Turing et al. measured 3.5 V, i.e. Enough power. See Fig. 3 for more."

    assert sentences(text) == [
        "Dr. A. Turing et al. measured 3.5 V, i.e. Enough power.",
        "See Fig. 3 for more.",
    ]


def test_a_closing_quote_belongs_to_its_sentence() -> None:
    assert sentences('She said "Stop." Then she left.') == ['She said "Stop."', "Then she left."]


def test_scripts_without_spaces_end_sentences_without_spaces() -> None:
    assert sentences("数据很多。真的吗？是的！") == ["数据很多。", "真的吗？", "是的！"]


def test_other_scripts_have_their_own_marks() -> None:
    assert sentences("यह एक है। वह दो है।") == ["यह एक है।", "वह दो है।"]


def test_a_line_break_inside_running_text_ends_no_sentence() -> None:
    text = "The committee met on the first of May and\nDecided to go on with the work of the\nyear before."

    assert sentences(text) == [text]


def test_an_empty_line_ends_a_sentence_without_a_mark() -> None:
    assert sentences("A heading\n\nand its text") == ["A heading", "and its text"]


def test_headings_list_items_and_table_rows_stand_alone() -> None:
    text = "# Title\nSome text here\n- first item\n- second item\n1. third\n| a | b |\n| c | d |\nText after."

    assert sentences(text) == [
        "# Title",
        "Some text here",
        "- first item",
        "- second item",
        "1. third",
        "| a | b |",
        "| c | d |",
        "Text after.",
    ]


def test_short_lines_are_sentences_of_their_own() -> None:
    assert sentences("Minutes of the meeting\nPresent: Ann, Bob\nand others") == [
        "Minutes of the meeting",
        "Present: Ann, Bob\nand others",
    ]


def test_nothing_has_no_sentences() -> None:
    assert sentences("") == []
    assert sentences(" \n\n\t ") == []


@pytest.mark.parametrize("piece", [".", "x", "\n", " ", '."', "a. ", ". a", "A.", "|\n", "。", "\n#", ".\n"])
def test_hostile_repetitions_take_linear_time(piece: str) -> None:
    text = piece * (100_000 // len(piece))

    began = time.process_time()
    sentence_spans(text)

    assert time.process_time() - began < 3.0


@given(st.text(alphabet="aB1 .!?\n\t\"')。#|-…", max_size=80))
def test_the_spans_cover_all_but_white_space_in_order(text: str) -> None:
    spans = sentence_spans(text)

    borders = [0, *(place for span in spans for place in span), len(text)]
    assert borders == sorted(borders)
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in spans)
    outside = [text[a:b] for a, b in zip(borders[::2], borders[1::2], strict=True)]
    assert "".join(outside).strip() == ""
