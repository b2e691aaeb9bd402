"""One file to its text, by whatever parser its content asks for; runs in the parsing process."""

from collections.abc import Iterator
from pathlib import Path

from astrolabe.documents.extract import Extract, Unreadable
from astrolabe.documents.fields import RecordFields
from astrolabe.documents.sniff import MEDIA_TYPES, Format, sniff


def parse_file(path: Path, fields: RecordFields) -> Iterator[Extract]:
    """Yield what a file holds: one extract, or one a record. Faults become extracts with a reason."""
    format_: Format | None = None
    try:
        content = path.read_bytes()
        if not content:
            yield Extract(media_type="application/x-empty", emptiness="the file is empty: 0 bytes")
            return
        format_ = sniff(content, path.name)
        yield from _extracts(content, format_, fields)
    except OSError as error:
        yield failed(f"cannot be read: {error.strerror}", format_)
    except Unreadable as error:
        yield failed(str(error), format_)
    except Exception as error:  # noqa: BLE001 - one bad file stops no other; parsers raise whatever they like
        yield failed(f"the parser of {format_ or 'the format'} failed: {type(error).__name__}: {error}", format_)


def failed(reason: str, format_: Format | None = None) -> Extract:
    """Return the extract of a file that could not be read."""
    media_type = MEDIA_TYPES[format_] if format_ else "application/octet-stream"
    return Extract(media_type=media_type, failure=reason)


def _extracts(content: bytes, format_: Format, fields: RecordFields) -> Iterator[Extract]:
    if format_ in {"json", "jsonl"}:
        from astrolabe.documents.json_records import read_json, read_json_lines

        yield from (read_json if format_ == "json" else read_json_lines)(content, fields)
        return
    yield _extract(content, format_)


def _extract(content: bytes, format_: Format) -> Extract:
    # Each parser's libraries are loaded only where a file asks for them.
    match format_:
        case "pdf":
            from astrolabe.documents.pdf import read_pdf

            return read_pdf(content)
        case "html":
            from astrolabe.documents.web_page import read_page

            return read_page(content)
        case "docx":
            from astrolabe.documents.containers import read_docx

            return read_docx(content)
        case "epub":
            from astrolabe.documents.containers import read_epub

            return read_epub(content)
        case "jats":
            from astrolabe.documents.jats import read_jats

            return read_jats(content)
        case _:
            from astrolabe.documents.plain import read_text

            return read_text(content, markdown=format_ == "markdown")
