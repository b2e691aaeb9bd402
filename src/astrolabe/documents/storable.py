"""Making what a parser found storable: valid UTF-8, without NUL, without numbers that JSON has not."""

from dataclasses import replace
from math import isfinite

from pydantic import JsonValue

from astrolabe.core.text import clean_text
from astrolabe.documents.extract import Extract


def storable(extract: Extract) -> Extract:
    """Return the extract with all that cannot be stored replaced; warnings count what the text lost."""
    cleaned = clean_text(extract.text)
    nuls = f"{cleaned.nuls} NUL character(s) replaced by U+FFFD" if cleaned.nuls else None
    halves = f"{cleaned.surrogates} half surrogate pair(s) replaced by U+FFFD" if cleaned.surrogates else None
    title = " ".join(clean_text(extract.title or "").text.split())
    return replace(
        extract,
        text=cleaned.text,
        title=title or None,
        place=None if extract.place is None else clean_text(extract.place).text,
        failure=None if extract.failure is None else clean_text(extract.failure).text,
        emptiness=clean_text(extract.emptiness).text,
        warnings=tuple(clean_text(warning).text for warning in extract.warnings),
        extra={key: _storable(value) for key, value in extract.extra.items()},
    ).warned(nuls, halves)


def _storable(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return clean_text(value).text
    if isinstance(value, list):
        return [_storable(part) for part in value]
    if isinstance(value, dict):
        return {clean_text(key).text: _storable(part) for key, part in value.items()}
    # NaN and infinity are no JSON, though Python's parser takes them.
    return None if isinstance(value, float) and not isfinite(value) else value
