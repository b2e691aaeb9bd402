"""What a file holds, by its content first and its name second."""

import io
import zipfile
from pathlib import PurePath
from typing import Final, Literal

from astrolabe.documents.extract import Unreadable

Format = Literal["text", "markdown", "html", "pdf", "docx", "epub", "json", "jsonl", "jats"]
MEDIA_TYPES: Final[dict[Format, str]] = {
    "text": "text/plain",
    "markdown": "text/markdown",
    "html": "text/html",
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "epub": "application/epub+zip",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "jats": "application/jats+xml",
}
SUPPORTED: Final = "text, Markdown, HTML, PDF, DOCX, EPUB, JSON, JSON lines, JATS XML and MediaWiki dumps"
_BY_SUFFIX: Final[dict[str, Format]] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
_BINARY: Final = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"RIFF", "application/x-riff"),
    (b"\xd0\xcf\x11\xe0", "application/x-ole-storage, as of old .doc, .xls and .ppt files"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"7z\xbc\xaf", "application/x-7z-compressed"),
    (b"\xfd7zXZ", "application/x-xz"),
    (b"Rar!", "application/vnd.rar"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ\x90", "application/x-msdownload"),
    (b"SQLite format 3", "application/vnd.sqlite3"),
    (b"PAR1", "application/vnd.apache.parquet"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "application/ogg"),
    (b"{\\rtf", "application/rtf"),
)
_BYTE_ORDER_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_HEAD: Final = 4096
_MOST_CONTROLS: Final = 0.1
"""A larger share of control bytes, NULs apart, than any text has."""


def sniff(content: bytes, name: str) -> Format:
    """Return the format of a file's content; its name decides only what the content leaves open.

    Raises:
        Unreadable: A format that is not supported; names it and those that are.
    """
    head = content[:_HEAD]
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _sniff_zip(content)
    for magic, media_type in _BINARY:
        if head.startswith(magic):
            raise _unsupported(media_type)
    if _is_binary(head):
        raise _unsupported("application/octet-stream")
    return _sniff_text(head, PurePath(name).suffix.lower())


def _sniff_zip(content: bytes) -> Format:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        msg = f"a damaged zip container (DOCX and EPUB are such): {error}"
        raise Unreadable(msg) from error
    if "word/document.xml" in names:
        return "docx"
    if "META-INF/container.xml" in names:
        return "epub"
    raise _unsupported("application/zip")


def _sniff_text(head: bytes, suffix: str) -> Format:
    start = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").lower()
    named = _BY_SUFFIX.get(suffix)
    if named in {"markdown", "json", "jsonl"}:
        return named
    if start.startswith((b"<?xml", b"<!doctype", b"<html", b"<article")):
        return _sniff_markup(start)
    if suffix == ".xml":
        raise _unsupported("application/xml without a JATS article")
    if not suffix and start.startswith((b'{"', b"[{")):
        return "json" if start.startswith(b"[") else "jsonl"
    return named or "text"


def _sniff_markup(start: bytes) -> Format:
    if b"<html" in start or b"<!doctype html" in start:
        return "html"
    if b"<article" in start or b"doctype article" in start:
        return "jats"
    raise _unsupported("application/xml without a JATS article")


def _is_binary(head: bytes) -> bool:
    if head.startswith(_BYTE_ORDER_MARKS) or not head:
        return False
    # NULs are left to the decoder (UTF-16 has many); tab, line ends, form feed and escape occur in texts.
    controls = sum(byte < 32 and byte not in b"\0\t\n\v\f\r\x1b" for byte in head)  # noqa: PLR2004 - below the space
    return controls > _MOST_CONTROLS * len(head)


def _unsupported(media_type: str) -> Unreadable:
    return Unreadable(f"{media_type} is not supported; supported are {SUPPORTED}")
