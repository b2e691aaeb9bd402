from hypothesis import given
from hypothesis import strategies as st

from astrolabe.study.contexts import Place, passage_of, place_in
from tests.small_study import TEXTS, documents

SALT = TEXTS["salt"]
TIDES = documents()[0]


def text_at(place: Place | None, document: str = SALT) -> str:
    assert place is not None
    return document[place.start : place.end]


def test_a_text_that_stands_there_is_found_word_for_word() -> None:
    assert text_at(place_in("Salt pans along the coast", SALT)) == "Salt pans along the coast"


def test_white_space_may_differ() -> None:
    assert text_at(place_in("Salt   pans\nalong", SALT)) == "Salt pans along"


def test_signs_that_mean_something_to_a_pattern_are_plain_text() -> None:
    assert text_at(place_in("a+b (c) [d]*", "x a+b (c) [d]* y"), "x a+b (c) [d]* y") == "a+b (c) [d]*"


def test_what_was_put_before_or_between_does_not_hide_the_place() -> None:
    made = (
        "Chapter 3 of the book.\nSalt pans along the coast dry sea water in the sun.\n"
        "The crystals are raked into heaps by hand."
    )

    assert text_at(place_in(made, SALT)).startswith("Salt pans along")
    assert text_at(place_in(made, SALT)).endswith("heaps by hand.")


def test_of_scattered_sentences_the_longest_counts() -> None:
    first, last = "The first sentence of this text is here.", "And this is the very last sentence of the whole text."
    document = f"{first} {'Something else entirely. ' * 40}{last}"

    assert text_at(place_in(f"{first} {last}", document), document) == last


def test_a_summary_has_no_place() -> None:
    assert place_in("People traded it for silver in those days.", SALT) is None
    assert place_in("Salt.", "Pepper.") is None
    assert place_in("  ", SALT) is None


def test_a_passage_without_a_place_stands_behind_its_documents_end() -> None:
    passage = passage_of("A summary.", TIDES, named=TIDES.id)

    assert (passage.document_id, passage.text) == (TIDES.id, "A summary.")
    assert passage.start == len(TIDES.text)


def test_a_passage_of_no_document_of_the_study_keeps_the_name_that_it_was_given() -> None:
    assert passage_of("A text.", None, named="theirs").document_id == "theirs"
    assert passage_of("A text.", None, named=None).document_id == ""
    assert passage_of("A text.", None, named="a").id != passage_of("A text.", None, named="b").id


@given(st.integers(0, len(SALT)), st.integers(0, len(SALT)))
def test_every_stretch_of_a_document_is_found_as_it_stands(one: int, other: int) -> None:
    stretch = SALT[min(one, other) : max(one, other)]

    place = place_in(stretch, SALT)

    assert place is None or " ".join(text_at(place).split()) == " ".join(stretch.split())
    assert (place is None) == (not stretch.strip())
