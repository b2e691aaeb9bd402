"""Mending broken JSON without inventing anything."""

import json
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from pydantic import JsonValue

from astrolabe.llm.candidates import parsed

LONGEST: Final = 64_000
"""Longer texts, in characters, are not mended: the time grows with the square of the length."""
DEEPEST: Final = 32
"""Texts whose brackets nest deeper are not mended: that time grows faster still."""
_QUOTES: Final = (
    '""',
    "''",
    "``",
    "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}",
    "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}",
)


def mended(text: str) -> JsonValue:
    """Return the value of broken JSON, or null where mending it would mean inventing.

    Quotes, commas and brackets may be mended. A string that stands in no quotes in the text is the repair's
    invention (code, prose, half a word at a cut), so then nothing is returned. Nothing is run as code.

    Examples:
        >>> mended("{'topics': ['tax',]}")
        {'topics': ['tax']}
        >>> mended("{'topics': [os.getcwd()]}") is None
        True
    """
    from json_repair import repair_json

    if len(text) > LONGEST or _depth(text) > DEEPEST:
        return None
    try:
        value = parsed(repair_json(text))
    except (ValueError, RecursionError):
        return None
    return value if all(_quoted(string, text) for string in _strings(value)) else None


def _depth(text: str) -> int:
    steps = ((character in "{[") - (character in "}]") for character in text)
    return max(accumulate(steps), default=0)


def _quoted(string: str, text: str) -> bool:
    written = {string, json.dumps(string, ensure_ascii=False)[1:-1], json.dumps(string)[1:-1]}
    written.add(string.replace("'", "\\'"))
    return any(f"{opening}{form}{closing}" in text for opening, closing in _QUOTES for form in written)


def _strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)
