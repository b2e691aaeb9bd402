"""Wikitext to Markdown: what a reader sees stays, what stands around it goes, and broken pages take linear time."""

import time

import pytest

from astrolabe.documents.wiki_page import page_text
from astrolabe.documents.wikitext import read_wikitext


def blocks(text: str) -> list[str]:
    return list(read_wikitext(text).blocks)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Val {{convert|5|km}} and {{birth date|1990|1|2}}.", "Val 5 km and January 2, 1990."),
        ("{{convert|5|to|10|km}} and {{cvt|6|ft|2|in}}", "5 to 10 km and 6 ft 2 in"),
        (
            "{{start date|1852|3|9|df=y}}, {{death date and age|2000|1|1|1950|6|1}}",
            "9 March 1852, January 1, 2000 (aged 49)",
        ),
        ("{{lang|fr|la mer}}, {{nowrap|a {{circa|1190}}}}", "la mer, a c. 1190"),
        ("{{frac|1|2}} of {{US$|5 million}}; {{val|5|u=km}}", "1/2 of US$5 million; 5 km"),
        ("'''B''' is [[a|the]] [[thing]]s in [[Foo (bar)|]].", "B is the things in Foo."),
        ("[https://x.example/a b c] and [[File:a.jpg|thumb|of [[x]]]]it", "b c and it"),
        ("a<ref name=x>no {{cite|t=1}}</ref><ref name=y />, b<!-- c --> &amp; <nowiki>[[d]]</nowiki>", "a, b & [[d]]"),
        ("[[Category:X]]an end [[fr:Y]]", "an end"),
        ("<math>a|b = [c]</math>", "a|b = [c]"),
        ("{{ubl|a|b}}<br>next", "a; b next"),
        ("#hashed is text", "1. hashed is text"),
        ("<nowiki># not a heading</nowiki>", "\\# not a heading"),
    ],
)
def test_what_a_reader_sees_of_a_line_stays(written: str, read: str) -> None:
    assert blocks(written) == [read]


def test_an_infobox_is_lines_of_keys_and_values_without_pictures() -> None:
    text = (
        "{{Infobox person\n| name = Ada\n| image = a.jpg\n| birth_date = {{birth date|1815|12|10|df=y}}\n| empty =\n}}"
    )

    assert blocks(text) == ["- name: Ada\n- birth date: 10 December 1815"]


def test_lists_keep_their_levels_and_numbers() -> None:
    assert blocks("* a\n** b\n* c\n# one\n# two") == ["- a\n  - b\n- c\n1. one\n2. two"]


def test_a_table_has_spans_filled_headers_joined_and_empty_columns_left_out() -> None:
    text = (
        "{| class=x\n|+ Cap\n! rowspan=2 | A\n! colspan=2 | B\n! Z\n|-\n! c !! c\n! z\n|-\n"
        "| rowspan=2 | 1 || 2<br>3 || 4 ||\n|-\n| 5 || {{convert|6|m}} ||\n|}"
    )

    assert blocks(text) == ["Table: Cap\n| A | B c | B c (2) |\n| --- | --- | --- |\n| 1 | 2; 3 | 4 |\n| 1 | 5 | 6 m |"]


def test_a_table_around_another_is_layout() -> None:
    assert blocks("{|\n|\nLeft text\n|\n{|\n! h\n|-\n| v\n|}\n|}") == ["Left text", "| h |\n| --- |\n| v |"]


def test_templates_that_are_left_out_are_counted() -> None:
    assert read_wikitext("a {{Odd thing|x}} b {{odd thing}}").left_out == {"odd thing": 2}


def test_sections_that_point_elsewhere_go_with_those_below_them() -> None:
    read = blocks(
        "Lead.\n== See also ==\n* x\n=== Deeper ===\n* y\n== Kept ==\nText.\n== References ==\n=== Books ===\nz"
    )

    assert page_text("P", read) == "# P\n\nLead.\n\n## Kept\n\nText."


def test_a_page_of_headings_alone_is_empty() -> None:
    assert page_text("P", blocks("== A ==\n== See also ==\n* b")) == ""


def test_what_is_never_closed_takes_nothing_else_with_it() -> None:
    read = blocks("{{Infobox x|a=1\n{| \n| cell\n'''bold [[link|words\n== After ==\nStill here.")

    assert read[-2:] == ["## After", "Still here."]


@pytest.mark.parametrize(
    "piece",
    ["{| \n| a\n", "[[ {{ ", "{{a|", "[http://a b ", "<ref>", "<nowiki>", "<!--", "(, ", "\n|", "{{a|[[b|", "==a"],
)
def test_broken_wikitext_takes_linear_time(piece: str) -> None:
    began = time.process_time()

    read_wikitext(piece * 20_000)

    assert time.process_time() - began < 5
