import pytest

from astrolabe.documents.extract import Unreadable
from astrolabe.documents.sniff import Format, sniff
from tests.made_files import make_docx, make_epub, make_pdf, make_zip


@pytest.mark.parametrize(
    ("content", "name", "format_"),
    [
        (make_pdf([[]]), "paper.txt", "pdf"),
        (make_docx(""), "letter", "docx"),
        (make_epub([], title="", date=""), "book.zip", "epub"),
        (b"<!DOCTYPE html><html>", "page.txt", "html"),
        (b"<p>part of a page", "page.html", "html"),
        (b'<?xml version="1.0"?><article>', "paper.html", "jats"),
        (b'{"text": "a"}\n', "records", "jsonl"),
        (b'[{"text": "a"}]', "records", "json"),
        (b'{"text": "a"}\n', "records.jsonl", "jsonl"),
        (b"# Title\n", "notes.md", "markdown"),
        (b"plain words", "notes.pdf", "text"),
        (b"plain words", "notes", "text"),
        (b"\xff\xfe<\0h\0t\0m\0l\0>\0", "page.txt", "html"),
    ],
)
def test_the_content_decides_before_the_name(content: bytes, name: str, format_: Format) -> None:
    assert sniff(content, name) == format_


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xd0\xcf\x11\xe0" + bytes(100), "old .doc"),
        (make_zip({"a.csv": "1,2"}), "application/zip"),
        (b"PK\x03\x04 and then nothing", "damaged zip"),
        (bytes(range(1, 32)) * 10, "application/octet-stream"),
        (b'<?xml version="1.0"?><rss/>', "application/xml"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_can(content: bytes, named: str) -> None:
    with pytest.raises(Unreadable, match=named):
        sniff(content, "file.bin")
