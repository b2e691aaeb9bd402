"""Finding the JSON that a text holds: whole, among chatter and fences, or broken."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from pydantic import JsonValue

from astrolabe.core.text import clean_text

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_BROKEN_LOOKED_AT: Final = 16
"""How many braces that open nothing are looked into before a text is given up: bounds hostile input."""


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A stretch of a text that may be the reply: its value, or null where it does not parse."""

    text: str
    value: JsonValue = None
    broken: bool = False

    @property
    def is_list(self) -> bool:
        """Whether it is an array, which counts only where there is no object."""
        return self.text.startswith("[")


def parsed(text: str) -> JsonValue:
    """Return a JSON text's value, with every string storable.

    Raises:
        ValueError: It is not JSON (NaN and Infinity are not), or nested without end.
    """
    value, end = _decode(text, 0)
    if text[end:].strip():
        raise ValueError(f"text after the JSON: {text[end : end + 40]!r}")
    return value


def candidates(text: str) -> Iterator[Candidate]:
    """Yield the outermost objects and arrays of a text, in order, broken ones too."""
    at, broken = 0, 0
    while (at := _next_opening(text, at)) >= 0 and broken < _BROKEN_LOOKED_AT:
        try:
            value, end = _decode(text, at)
        except ValueError:
            broken += 1
            end = _closing(text, at)
            yield Candidate(text=text[at:end], broken=True)
            at = end if text[at] == "{" and end < len(text) else at + 1
        else:
            yield Candidate(text=text[at:end], value=value)
            at = end


def _decode(text: str, at: int) -> tuple[JsonValue, int]:
    try:
        value, end = _DECODER.raw_decode(text, at)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    stretch = text[at:end]
    escaped = "\\ud" in stretch or "\\uD" in stretch or "\\u0000" in stretch
    return (_storable(value) if escaped else value), end


def _storable(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return clean_text(value).text
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(key).text: _storable(item) for key, item in value.items()}
    return value


def _next_opening(text: str, start: int) -> int:
    found = [at for at in (text.find("{", start), text.find("[", start)) if at >= 0]
    return min(found, default=-1)


def _closing(text: str, start: int) -> int:
    """Return where the bracket at `start` is balanced, double-quoted strings apart; else the text's end."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
            if not depth:
                return token.end()
    return len(text)
