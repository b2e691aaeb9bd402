import pytest

from astrolabe.documents.plain import read_text


def test_a_text_is_kept_as_it_is() -> None:
    text = "# Tides\n\n  indented\n\n| a | b |\n\n\n"

    assert read_text(text.encode(), markdown=True).text == text


@pytest.mark.parametrize(
    ("text", "title", "date"),
    [
        ("# Tides\n\nDate: 2017-08-08\n", "Tides", "2017-08-08"),
        ("---\ntitle: 'The Sea'\ndate: 2020-01-05T10:00\n---\n# Other\n", "The Sea", "2020-01-05"),
        ("Minutes of May\nWe met on 2019-01-01.\n", "Minutes of May", None),
        ("**Date:** 1999-1-2\n", "**Date:** 1999-1-2", "1999-01-02"),
        ("Date: tomorrow\n", "Date: tomorrow", None),
    ],
)
def test_title_and_date_are_read_from_the_top(text: str, title: str, date: str | None) -> None:
    extract = read_text(text.encode(), markdown=False)

    assert (extract.title, extract.date) == (title, date)


def test_a_markdown_file_without_a_heading_has_no_title_of_its_own() -> None:
    assert read_text(b"Just words.\n", markdown=True).title is None


def test_a_date_far_below_is_not_the_documents() -> None:
    text = "word " * 1000 + "\nDate: 2020-01-01\n"

    assert read_text(text.encode(), markdown=False).date is None
