"""JSON and JSON lines: one document a record."""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from astrolabe.documents.encoding import decode
from astrolabe.documents.extract import Extract, Unreadable
from astrolabe.documents.fields import RecordFields
from astrolabe.documents.plain import iso_date
from astrolabe.documents.sniff import MEDIA_TYPES

if TYPE_CHECKING:
    from pydantic import JsonValue

_TEXT_FIELDS: Final = ("text", "content", "body", "abstract", "meta.content", "contents")
"""The last two are those of pieces of pages, as QAMPARI has them: `{id, contents, meta: {title, content, url}}`."""
_OF_A_PIECE: Final = "meta"


class _Entry(NamedTuple):
    number: int
    value: "JsonValue"
    fault: str | None = None


def read_json_lines(content: bytes, fields: RecordFields) -> Iterator[Extract]:
    """Yield one extract a line; a line that is not a record with a text is a failed one."""
    decoded = decode(content)
    for number, line in enumerate(decoded.text.split("\n"), start=1):
        if line.strip():
            yield _extract(_entry(number, line), "line", fields).warned(decoded.warning)


def read_json(content: bytes, fields: RecordFields) -> Iterator[Extract]:
    """Yield one extract a record of a JSON file: a list of records, or a single one.

    Raises:
        Unreadable: Not JSON; names line and column.
    """
    decoded = decode(content)
    if not decoded.text.strip():
        return
    try:
        value: JsonValue = json.loads(decoded.text)
    except json.JSONDecodeError as error:
        msg = f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        raise Unreadable(msg) from error
    records = value if isinstance(value, list) else [value]
    for number, record in enumerate(records, start=1):
        yield _extract(_Entry(number, record), "record", fields).warned(decoded.warning)


def _entry(number: int, line: str) -> _Entry:
    try:
        return _Entry(number, json.loads(line))
    except (json.JSONDecodeError, RecursionError) as error:
        return _Entry(number, None, f"not JSON: {error}")


def _extract(entry: _Entry, unit: str, fields: RecordFields) -> Extract:
    where = f"{unit} {entry.number}"
    place = str(entry.number)
    if not isinstance(entry.value, dict):
        fault = entry.fault or f"not a JSON object but {json.dumps(entry.value)[:60]}"
        return _failed(f"{where}: {fault}", entry, unit, place)
    record = entry.value
    place = _scalar(record.get(fields.id)) or place
    name, text = _text(record, fields)
    if text is None:
        wanted = f"field {fields.text!r}" if fields.text else f"any of the fields {', '.join(_TEXT_FIELDS)}"
        has = ", ".join(map(repr, record)) or "none"
        reason = f"{where}: no text in {wanted}; its fields are {has}; name the text's field"
        return _failed(reason, entry, unit, place)
    date = _scalar(_lookup(record, fields.date))
    url = _of_record_or_piece(record, "url")
    return Extract(
        text=text,
        media_type=_media_type(unit),
        title=_of_record_or_piece(record, fields.title),
        date=iso_date(date) or (date if re.fullmatch(r"\d{4}(-\d\d)?", date) else None),
        place=place,
        emptiness=f"{where}: the text in field {name!r} is empty",
        extra={
            unit: entry.number,
            "source": _scalar(_lookup(record, fields.source)) or None,
            **({"url": url} if url else {}),
            "fields": {key: value for key, value in record.items() if key != (name or "").partition(".")[0]},
        },
    )


def _of_record_or_piece(record: "dict[str, JsonValue]", name: str) -> str:
    return _scalar(_lookup(record, name)) or _scalar(_lookup(record, f"{_OF_A_PIECE}.{name}"))


def _failed(reason: str, entry: _Entry, unit: str, place: str) -> Extract:
    return Extract(media_type=_media_type(unit), place=place, failure=reason, extra={unit: entry.number})


def _media_type(unit: str) -> str:
    return MEDIA_TYPES["jsonl" if unit == "line" else "json"]


def _text(record: "dict[str, JsonValue]", fields: RecordFields) -> tuple[str | None, str | None]:
    names = (fields.text,) if fields.text else _TEXT_FIELDS
    found = [(name, _joined(_lookup(record, name))) for name in names]
    usable = [(name, text) for name, text in found if text is not None]
    return next(((name, text) for name, text in usable if text.strip()), usable[0] if usable else (None, None))


def _lookup(record: "dict[str, JsonValue]", name: str) -> "JsonValue":
    if name in record:
        return record[name]
    value: JsonValue = record
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _joined(value: "JsonValue") -> str | None:
    """Return a string, or lists of strings joined by empty lines; null for anything else."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    parts = [_joined(part) for part in value]
    whole = [part for part in parts if part is not None]
    return "\n\n".join(whole) if len(whole) == len(parts) else None


def _scalar(value: "JsonValue") -> str:
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
