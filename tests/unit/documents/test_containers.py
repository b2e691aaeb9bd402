import pytest

from astrolabe.documents import containers
from astrolabe.documents.containers import read_docx, read_epub
from astrolabe.documents.extract import Unreadable
from tests.made_files import make_docx, make_epub, make_zip


def cell(text: str) -> str:
    return f"<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"


def test_a_word_document_keeps_headings_and_tables() -> None:
    heading = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Tides</w:t></w:r></w:p>'
    row = f"<w:tr>{cell('Mon')}{cell('low')}</w:tr>"
    body = f"{heading}<w:p><w:r><w:t>It floods.</w:t></w:r></w:p><w:tbl>{row}</w:tbl>"

    extract = read_docx(make_docx(body))

    assert extract.text == "# Tides\n\nIt floods.\n\n| Mon | low |\n| --- | --- |"
    assert extract.title == "Tides"


def test_a_word_documents_own_title_wins_and_an_empty_one_has_no_text() -> None:
    extract = read_docx(make_docx("", title="Report"))

    assert (extract.title, extract.text) == ("Report", "")


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    chapters = ["<html><body><h1>One</h1><p>a</p></body></html>", "<html><body><p>b</p></body></html>"]

    extract = read_epub(make_epub(chapters, title="The Sea", date="1999-02-03"))

    assert (extract.text, extract.title, extract.date) == ("# One\n\na\n\nb", "The Sea", "1999-02-03")


def test_a_container_that_unpacks_to_far_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "_MOST_UNPACKED", 10)

    with pytest.raises(Unreadable, match="more than the 10"):
        read_docx(make_docx(""))


def test_a_book_without_its_list_of_chapters_is_damaged() -> None:
    with pytest.raises(Unreadable, match="damaged"):
        read_epub(make_zip({"META-INF/container.xml": "<container/>"}))
