import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from astrolabe.parts.item_forms import item_form, item_forms
from astrolabe.parts.official_items import official_form, official_items
from astrolabe.parts.plain_numbers import iso_dates, number_of, shown_number
from astrolabe.parts.set_items import set_items, written

# --- as the field's scorer cuts


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Answers: a, b, a", ["a", "b"]),
        ("answer: a\nb", ["a", "b"]),
        ("a#b", ["a", "b"]),
        ("alone", ["alone"]),
        ("ANSWERS:", []),
        ("  ", []),
        ("x, y\nz", ["x", "y\nz"]),
    ],
)
def test_the_compatible_cut_takes_commas_else_lines_else_hashes(text: str, items: list[str]) -> None:
    assert official_items(text) == items


def test_the_compatible_cut_breaks_names_and_keeps_preambles_as_published() -> None:  # D18
    assert official_items("Earth, Wind & Fire, Washington, D.C.") == ["Earth", "Wind & Fire", "Washington", "D.C."]
    assert official_items("I think so. Answers: a, b") == ["I think so. Answers: a", "b"]
    assert official_items("- a\n- b") == ["- a", "- b"]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("The Beatles", "beatles"),
        ("an  A-Team!", "ateam"),
        ("Beyonc\u00e9", "beyonc\u00e9"),
        ("Group A", "group"),
        ("...", ""),
    ],
)
def test_the_compatible_form_drops_ascii_punctuation_and_articles(text: str, form: str) -> None:
    assert official_form(text) == form


# --- as a reader would cut


@pytest.mark.parametrize(
    "text",
    [
        "Answers: Paris, Rome, Oslo",
        "Paris, Rome and Oslo",
        "Paris, Rome, and Oslo.",
        "The capitals are listed here.\nAnswers: Paris, Rome, Oslo",
        "**Answer:** Paris; Rome; Oslo",
        "Here they are:\n1. Paris\n2. Rome\n3. Oslo\nI hope this helps.",
        "- **Paris**\n- Rome\n* Oslo",
        "Paris\nRome\nOslo",
        "Paris,\nRome,\nOslo",
        '["Paris", "Rome", "Oslo"]',
        '```json\n{"answers": ["Paris", "Rome", "Oslo"]}\n```',
        "Paris#Rome#Oslo",
        "Paris, paris, Rome, Oslo, ROME",
        "\u201cParis\u201d, \u201cRome\u201d, \u201cOslo\u201d",
    ],
)
def test_one_list_in_many_guises_gives_the_same_items(text: str) -> None:
    assert set_items(text) == ["Paris", "Rome", "Oslo"]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("1,590,152, 20 and 3.5", ["1,590,152", "20", "3.5"]),
        ("March 5, 2020, 6 May 2021", ["March 5, 2020", "6 May 2021"]),
        ("John M. Walker, Jr., Guido Calabresi", ["John M. Walker, Jr.", "Guido Calabresi"]),
        ("Queen, and Simon and Garfunkel", ["Queen", "Simon and Garfunkel"]),
        ("Stone and Gravel", ["Stone and Gravel"]),
        ("Washington, D.C., Paris", ["Washington, D.C.", "Paris"]),
        ("Grand Prix (1966, film), Warlock", ["Grand Prix (1966, film)", "Warlock"]),
        ('"Good, Bad", Ugly', ["Good, Bad", "Ugly"]),
        ('[1, true, null, [2, "b"]]', ["1", "Yes", "2, b"]),
        ('{"Oslo": 3, "Rome": 4.0}', ["Oslo: 3", "Rome: 4"]),
        ("[not json", ["[not json"]),
        ("", []),
        (",,;", []),
    ],
)
def test_commas_within_numbers_dates_titles_brackets_and_quotes_part_nothing(text: str, items: list[str]) -> None:
    assert set_items(text) == items


def test_known_names_hold_together_and_tell_where_and_parts_two() -> None:
    known = ["Earth, Wind & Fire", "Simon and Garfunkel", "Queen", "Abba"]

    assert set_items("Queen, Earth, Wind and Fire, Abba", known) == ["Queen", "Earth, Wind and Fire", "Abba"]
    assert set_items("Queen and Abba", known) == ["Queen", "Abba"]
    assert set_items("Simon & Garfunkel", known) == ["Simon & Garfunkel"]
    assert set_items("Stone and Gravel", known) == ["Stone and Gravel"]


@given(st.text(max_size=200))
def test_any_text_gives_distinct_items_that_are_not_blank(text: str) -> None:
    for items in (set_items(text), set_items(text, known=[text])):
        assert len({item_form(item) for item in items}) == len(items)
        assert all(item.strip() for item in items)
    assert len(set(official_items(text))) == len(official_items(text))


@given(st.lists(st.from_regex(r"[A-Za-z]{2,8}( [A-Za-z]{2,8})?", fullmatch=True), min_size=1, max_size=8))
def test_a_json_list_gives_its_members_back(names: list[str]) -> None:
    assert [item_form(item) for item in set_items(json.dumps(names))] == list(dict.fromkeys(map(item_form, names)))


# --- forms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Beyonc\u00e9", "BEYONCE"),
        ("I-Pace", "i pace"),
        ("The Story of Qiu Ju", "story of Qiu Ju"),
        ("J. D. Drew", "JD Drew"),
        ("U.S.", "US"),
        ("O\u2019Neil", "O'Neil"),
        ("1,590,152", "1590152"),
        ("4", "four"),
        ("4.0", "4"),
        ("52.5%", "52.5"),
        ("July 4, 1776", "4th of July 1776"),
        ("1776-07-04", "4 July 1776"),
        ("Pat Burrell: Right", "Pat Burrell \u2013 right"),
        ("\uff21\uff22", "ab"),
        ("**Oslo**", "oslo"),
        ("R&B", "R and B"),
    ],
)
def test_two_spellings_of_one_thing_have_one_form(one: str, other: str) -> None:
    assert item_form(one) == item_form(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Group A", "Group"), ("61.6", "616"), ("-3", "3"), ("\u0915\u093f", "\u0915"), ("?", "!")]
)
def test_two_things_have_two_forms(one: str, other: str) -> None:
    assert item_form(one) != item_form(other)


def test_what_stands_in_brackets_at_the_end_may_be_left_out() -> None:
    assert item_forms("Mercury (planet)") == ("mercury planet", "mercury")
    assert item_forms("(all)") == ("all", "all")


# --- numbers and JSON values


@pytest.mark.parametrize("text", ["", "3 cats", "1,2", "12,34,567", "1e999", "nan", "inf", "--3", "a"])
def test_what_is_no_number_gives_none(text: str) -> None:
    assert number_of(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("-1,000.5", -1000.5), ("\u22123", -3.0), ("\u20ac2 million", 2e6), ("1e3", 1000.0), ("-0", 0.0)],
)
def test_numbers_are_read_with_sign_currency_scale_and_power(text: str, value: float) -> None:
    assert number_of(text) == value
    assert shown_number(value) == shown_number(number_of(text) or 0.0)


def test_dates_in_both_orders_become_one() -> None:
    assert iso_dates("Sept. 3rd, 1999; 3 September 1999") == "1999-09-03; 1999-09-03"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "Yes"),
        (False, "No"),
        (4, "4"),
        (61.6, "61.6"),
        (None, ""),
        (["a", ["b", 1]], "a, b, 1"),
        ({"a": False}, "a: No"),
    ],
)
def test_any_json_value_is_written_as_an_item(value: JsonValue, text: str) -> None:
    assert written(value) == text
