"""Reading a list of topics from a JSON list or from a string in brackets, without silent guesses."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from astrolabe.core.text import clean_text

_OPENING: Final = "([{"
_CLOSING: Final = ")]}"
_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}
_LAST_CODE_POINT: Final = 0x10FFFF


class TopicList(NamedTuple):
    """The topics read, and why another reading is possible (empty where there is only one)."""

    topics: tuple[str, ...]
    doubt: str = ""


def parse_topics(value: Sequence[str] | str) -> TopicList:
    r"""Return the topics that a release writes as a list or as a string in brackets.

    A list is taken as it is. A string may hold a JSON list, a list of quoted items (`['a', 'b; c']`)
    or bare items (`[a, b]`). Bare items part at `;` or at `,` outside round, square and curly brackets.
    Where both signs are used, the reading with fewer topics is taken, `;` where they are level, and
    `doubt` says so; a string without brackets that holds either sign stays one topic, with a doubt.
    Topics keep their inner text exactly; outer white space and empty topics go, and an escaped NUL or
    half surrogate becomes U+FFFD.

    Examples:
        >>> parse_topics("['Costs; rents', 'Policy: phase two']").topics
        ('Costs; rents', 'Policy: phase two')
        >>> parse_topics("[costs (rents, fees), policy]").topics
        ('costs (rents, fees)', 'policy')
        >>> parse_topics("[rents, fees; policy; trade]").doubt
        "both ',' (2 topics) and ';' (3 topics) part its topics; read as 2 topics"
    """
    if not isinstance(value, str):
        return TopicList(_kept(value))
    text = value.strip()
    if not (text.startswith("[") and text.endswith("]") and len(text) > 1):
        doubt = "it is a text without brackets; read as one topic" if re.search("[,;]", text) else ""
        return TopicList(_kept([text]), doubt)
    listed = _json_list(text)
    if listed is not None:
        return TopicList(_kept(listed))
    inner = text[1:-1].strip()
    if inner[:1] in {"'", '"'}:
        quoted = _quoted_items(inner)
        if quoted is not None:
            return TopicList(_kept(quoted))
        return TopicList(_kept([inner]), "its quotation marks do not pair up; read as one topic")
    return _bare_items(inner)


def _kept(topics: Sequence[str]) -> tuple[str, ...]:
    return tuple(clean_text(topic.strip()).text for topic in topics if topic.strip())


def _json_list(text: str) -> list[str] | None:
    try:
        read: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(read, list) and all(isinstance(item, str) for item in read):  # pyright: ignore[reportUnknownVariableType] - json has no types
        return [str(item) for item in read]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - likewise
    return None


def _quoted_items(inner: str) -> list[str] | None:
    """Return the items of `'a', "b"`, or null where the quotation marks do not pair up.

    A mark ends its item only where the end, or a separator and the next mark, follows: the apostrophe
    in `'buyers' costs'` is text.
    """
    items: list[str] = []
    place = 0
    while place < len(inner):
        mark = inner[place]
        if mark not in "'\"":
            return None
        closing = re.compile(rf"""(?:[^{mark}\\]|\\.|{mark}(?!\s*(?:$|[,;]\s*(?:['"]|$))))*{mark}""", re.DOTALL)
        found = closing.match(inner, place + 1)
        if found is None:
            return None
        items.append(_ESCAPE.sub(_unescaped, inner[place + 1 : found.end() - 1]))
        gap = re.compile(r"\s*[,;]?\s*").match(inner, found.end())
        place = gap.end() if gap else len(inner)
    return items


def _unescaped(found: re.Match[str]) -> str:
    escape = found[1]
    if len(escape) > 1:
        code = int(escape[1:], 16)
        return chr(code) if code <= _LAST_CODE_POINT else found[0]
    return _ESCAPED.get(escape, escape if escape in "'\"\\" else found[0])


def _bare_items(inner: str) -> TopicList:
    inner = inner.strip(" \t\r\n,;")
    by_comma = _kept(list(_parted(inner, ",")))
    by_semicolon = _kept(list(_parted(inner, ";")))
    if len(by_comma) <= 1 or len(by_semicolon) <= 1:
        return TopicList(max(by_comma, by_semicolon, key=len))
    fewer = by_comma if len(by_comma) < len(by_semicolon) else by_semicolon
    return TopicList(
        fewer,
        f"both ',' ({len(by_comma)} topics) and ';' ({len(by_semicolon)} topics) part its topics; "
        f"read as {len(fewer)} topics",
    )


def _parted(text: str, separator: str) -> Iterator[str]:
    """Yield the parts of `text` between separators that stand outside brackets, if brackets pair up."""
    balanced = all(text.count(a) == text.count(b) for a, b in zip(_OPENING, _CLOSING, strict=True))
    depth = 0
    start = 0
    for place, character in enumerate(text):
        if balanced:
            depth += (character in _OPENING) - (character in _CLOSING)
        if character == separator and depth <= 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]
