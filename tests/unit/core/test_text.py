import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from astrolabe.core.text import Text, clean_text


def test_a_lone_surrogate_is_replaced_and_a_pair_becomes_one_character() -> None:
    assert clean_text("a\ud83db").text == "a\N{REPLACEMENT CHARACTER}b"
    assert clean_text("a\ud83d\ude80b") == ("a\N{ROCKET}b", 0, 0)


def test_nuls_are_replaced_and_counted_not_glued() -> None:
    assert clean_text("a\0b\0") == ("a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}", 2, 0)


@given(st.text(st.characters(codec=None, exclude_categories=[])))
def test_any_text_is_storable_once_it_is_cleaned(text: str) -> None:
    cleaned = clean_text(text).text

    assert TypeAdapter(Text).validate_python(cleaned) == cleaned
    assert "\0" not in cleaned.encode("utf-8").decode("utf-8")


@pytest.mark.parametrize(("text", "fault"), [("a\0", "NUL character at offset 1"), ("\udc00", "surrogate")])
def test_a_record_refuses_what_no_file_can_hold(text: str, fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        TypeAdapter(Text).validate_python(text)
