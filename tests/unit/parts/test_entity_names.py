import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.parts.entity_names import entity_key, shown_name


# D31
def test_case_spaces_and_quotes_around_a_name_do_not_count() -> None:
    spellings = ["Electrons", "electrons", " ELECTRONS ", "“Electrons”", '"electrons"', "‘electrons’", "«Electrons»"]

    assert {entity_key(name) for name in spellings} == {"electrons"}


# D31, U13
@pytest.mark.parametrize(
    "names",
    [
        ["C", "C++", "C#"],
        ["GPT-3.5", "GPT-35", "GPT 3.5", "GPT-3,5"],
        ["3.5", "35", "3 5", "-3.5", "3.5 %"],
        ["F1 = 0.87", "F1 = 0.86"],
        ["state-of-the-art", "state of the art"],
        ["Müller", "Muller", "Mueller"],
        ["北京", "北京市", "北"],
        ["القاهرة", "القاهره", "قاهرة"],
        ["Москва", "Москве"],
        ["क", "का"],
        ["AT&T", "AT T", "ATT"],
    ],
)
def test_names_that_differ_in_any_other_character_stay_apart(names: list[str]) -> None:
    assert len({entity_key(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("ＧＰＴ－４", "GPT-4"),
        ("e\u0301cole", "École"),
        ("１２３", "123"),
        ("new\u00a0york", "New  York"),
        ("ﬁnance", "Finance"),
        ("＂Moon＂", "moon"),
    ],
)
def test_names_that_differ_in_case_width_or_composition_are_one(one: str, other: str) -> None:
    assert entity_key(one) == entity_key(other)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (" “Electrons” ", "Electrons"),
        ("“the ‘Big Five’”", "the ‘Big Five’"),
        ("the “Big Five”", "the “Big Five”"),
        ("“Hamlet” and “Lear”", "“Hamlet” and “Lear”"),
        ("'s-Hertogenbosch", "'s-Hertogenbosch"),
        ("the Joneses'", "the Joneses'"),
        ('27"', '27"'),
        ("“「月」”", "月"),
        ("  two\n words\t", "two words"),
        ("C++", "C++"),
        ('"', ""),
        ("“ ”", ""),
        ("''''", ""),
        ("", ""),
    ],
)
def test_a_name_is_shown_as_it_is_written_without_the_quotes_around_it(name: str, shown: str) -> None:
    assert shown_name(name) == shown


@given(st.text())
def test_what_names_have_in_common_is_a_name_of_the_same_thing(name: str) -> None:
    assert entity_key(shown_name(name)) == entity_key(name)
    assert shown_name(shown_name(name)) == shown_name(name)
    assert not shown_name(name).startswith(" ")


@given(st.text(alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=8))
def test_a_name_with_a_letter_is_never_empty(name: str) -> None:
    lettered = any(unicodedata.category(character)[0] in "LN" for character in name)

    assert bool(entity_key(name)) or not lettered
