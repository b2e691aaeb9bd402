import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.parts.page_names import names_of, own_name, page_name
from tests.scoring_kit import bare_document


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("https://en.wikipedia.org/wiki/AC/DC", "ac/dc"),
        ("/wiki/Beyonc%C3%A9", "beyonc\u00e9"),
        ("https://en.wikipedia.org/wiki/Paris#History", "paris"),
        ("Paris#History", "paris"),
        ("Star_Trek:_Picard", "star trek: picard"),
        ("  Star   Trek:  Picard ", "star trek: picard"),
        ("C#", "c#"),
        ("Beyonce\u0301", "beyonc\u00e9"),
        ("100% Love", "100% love"),
        ("https://en.wikipedia.org/w/index.php?title=AC%2FDC&oldid=3#x", "ac/dc"),
        ("http://example.org/page?id=3", "http://example.org/page"),
        ("", ""),
    ],
)
def test_titles_and_addresses_of_one_page_have_one_name(text: str, name: str) -> None:  # D10
    assert page_name(text) == name


@given(st.text(st.characters(exclude_characters="%#_?&", exclude_categories=["Cs"]), max_size=40))
def test_a_name_is_its_own_name(title: str) -> None:
    assert page_name(page_name(title)) == page_name(title)


def test_a_document_goes_by_address_title_and_redirects() -> None:
    document = bare_document("d-1", "Paris").model_copy(
        update={"extra": {"url": "https://en.wikipedia.org/wiki/Paris,_France", "aliases": ["Lutetia", 3]}}
    )

    assert names_of(document) == {"paris", "paris, france", "lutetia"}
    assert own_name(document) == "paris, france"
    assert own_name(bare_document("d-2", "Oslo")) == "oslo"
    assert own_name(bare_document("d-3")) == "d-3"


def test_the_address_may_be_the_documents_source() -> None:
    document = bare_document("d-1", "x").model_copy(update={"source": "https://en.wikipedia.org/wiki/Oslo"})

    assert own_name(document) == "oslo"
    assert own_name(document.model_copy(update={"source": "wiki/oslo.md"})) == "x"
