from pathlib import Path

import pytest

from astrolabe.documents.extract import Extract
from astrolabe.documents.fields import RecordFields
from astrolabe.documents.parse import parse_file
from tests.made_files import Printed, make_docx, make_epub, make_pdf

WORDS = "The harbour floods twice a day and the ships wait outside until the water is low enough."


def parse(path: Path, content: bytes) -> list[Extract]:
    path.write_bytes(content)
    return list(parse_file(path, RecordFields()))


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (WORDS.encode(), "text/plain"),
        (f"<html><body><p>{WORDS}</p></body></html>".encode(), "text/html"),
        (make_pdf([[Printed(WORDS, 72, 700)]]), "application/pdf"),
        (
            make_docx(f"<w:p><w:r><w:t>{WORDS}</w:t></w:r></w:p>"),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (make_epub([f"<html><body><p>{WORDS}</p></body></html>"], title="", date=""), "application/epub+zip"),
        (f'{{"text": "{WORDS}"}}\n'.encode(), "application/jsonl"),
        (f'[{{"text": "{WORDS}"}}]'.encode(), "application/json"),
        (f"<article><body><p>{WORDS}</p></body></article>".encode(), "application/jats+xml"),
    ],
)
def test_every_format_is_known_by_its_content(tmp_path: Path, content: bytes, media_type: str) -> None:
    (extract,) = parse(tmp_path / "file", content)

    assert (extract.media_type, extract.text, extract.failure) == (media_type, WORDS, None)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"%PDF-1.4 nothing", "PDF cannot be read: "),
        (b"\x7fELF" + bytes(20), "application/x-executable is not supported; supported are "),
        (b"[" * 200_000, "the parser of json failed: RecursionError: "),
    ],
)
def test_a_fault_becomes_a_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    (extract,) = parse(tmp_path / "file.json", content)

    assert extract.failure is not None
    assert extract.failure.startswith(reason)


def test_an_empty_file_is_empty_and_a_missing_one_has_failed(tmp_path: Path) -> None:
    (empty,) = parse(tmp_path / "file", b"")
    (missing,) = parse_file(tmp_path / "nothing", RecordFields())

    assert (empty.failure, empty.emptiness) == (None, "the file is empty: 0 bytes")
    assert missing.failure == "cannot be read: No such file or directory"
