"""Words are cut alike in documents and queries, whatever the script."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.words import STOP_WORDS, stems, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t", []),
        ("!? -- _ __", []),
        ("The QUICK fox_2!", ["the", "quick", "fox", "2"]),
        ("Straße, STRASSE", ["strasse", "strasse"]),
        ("ﬁle ｆｕｌｌ ①", ["file", "full", "1"]),
        ("état e\u0301tat", ["état", "état"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("data\u00adbase", ["database"]),
        ("می\u200cخواهم", ["میخواهم"]),
        ("数据库", ["数据", "据库"]),
        ("猫", ["猫"]),
        ("GPT模型2号", ["gpt", "模型", "2", "号"]),
        ("東京タワー・大阪", ["東京", "京タ", "タワ", "ワー", "大阪"]),
        ("ﾃﾞｰﾀ", ["デー", "ータ"]),
        ("한국어 처리", ["한국", "국어", "처리"]),
        ("äöü🚀数据。", ["äöü", "数据"]),
        ("The marker <|endoftext|> ends", ["the", "marker", "endoftext", "ends"]),
    ],
)
def test_a_text_is_cut_into_the_words_that_are_compared(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(st.text())
def test_words_hold_no_space_no_punctuation_and_no_capital(text: str) -> None:
    for word in words(text):
        assert word == word.casefold()
        assert not any(unicodedata.category(character)[0] in "ZPS" for character in word)


@given(st.text(), st.text())
def test_a_space_between_two_texts_parts_their_words(first: str, second: str) -> None:
    assert words(f"{first} {second}") == words(first) + words(second)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_is_cut_as_any_other_text(text: str) -> None:
    assert words(text) == words(f"{text} é")[:-1]


def test_forms_of_a_word_share_a_stem() -> None:
    assert stems("flooding floods flooded") == ["flood", "flood", "flood"]


def test_stop_words_have_no_stem() -> None:
    assert stems("What is the and of") == []


def test_negation_is_content() -> None:
    assert stems("not safe") == ["not", "safe"]
    assert "not" not in STOP_WORDS


def test_another_language_has_its_stemmer() -> None:
    assert stems("Katzen", "german") == stems("Katze", "german")


def test_a_language_without_a_stemmer_is_refused() -> None:
    with pytest.raises(KeyError, match="klingon"):
        stems("word", "klingon")
