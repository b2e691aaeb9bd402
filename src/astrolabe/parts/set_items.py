"""An answer's items, cut out of its text as a reader would."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue

from astrolabe.parts.item_forms import MARKUP, item_form
from astrolabe.parts.plain_numbers import DATE, shown_number

_LEAD: Final = re.compile(r"\banswers?(?:\s+(?:is|are))?[\s*_]*:[*_]*", re.IGNORECASE)
_FENCE: Final = re.compile(r"^```[a-z]*\s*|\s*```$", re.IGNORECASE)
_BULLET: Final = re.compile(r"\s*(?:[-*+\u2022\u2013\u2014]|\(?\d{1,3}[.)])\s+(?=\S)")
_COMMA: Final = re.compile(r"(?<!\d),|,(?!\d{3}(?!\d))")
_AND: Final = re.compile(r"\s+(?:and|&)\s+", re.IGNORECASE)
_SEPARATORS: Final = (";", "#", "|")
_COMMA_AND: Final = ", and "
_LEADING_AND: Final = re.compile(r"^(?:and|&)\s+", re.IGNORECASE)
_TITLE_AFTER_COMMA: Final = re.compile(r"^(?:jr|sr|inc|ltd|llc|d\.?c|ph\.?d|m\.?d|esq|i{2,3}|iv)\b\.?$", re.IGNORECASE)
_OPENING: Final = {"(": ")", "[": "]", "{": "}", "\u201c": "\u201d", "\u00ab": "\u00bb"}


def set_items(text: str, known: Iterable[str] = ()) -> list[str]:
    r"""Return the items of an answer, each once by its form, in order.

    What follows the last `Answer:` or `Answers:` counts, all of the text where there is none. A JSON list (or an
    object) gives its members; a list with bullets or numbers its points, without the lines around it; else lines, or
    within a line `;`, `#` and `|`, part items, and where there is none of those, commas do. No comma parts a number
    with thousands, a date, brackets, quotes or a title such as "Jr." from its name. "And" parts the last two of a list
    with commas.

    Args:
        text: The answer.
        known: Names that are one item though they hold a comma or an "and", and that tell where "A and B" are two:
            the question's gold names. An unknown name with a comma falls apart; it is wrong either way.

    Examples:
        >>> set_items("Sure. Answers: Paris, 1,000, and Washington, D.C.")
        ['Paris', '1,000', 'Washington, D.C.']
        >>> set_items("The cities:\n1. Paris\n2. **Rome**")
        ['Paris', 'Rome']
        >>> set_items("Earth, Wind & Fire, Queen", known=["Earth, Wind & Fire"])
        ['Earth, Wind & Fire', 'Queen']
    """
    names = _Known.of(known)
    left = text
    for lead in _LEAD.finditer(text):
        left = text[lead.end() :] if text[lead.end() :].strip() else left
    left = _FENCE.sub("", left.strip())
    members = _json_members(left)
    pieces = members if members is not None else [piece for line in _lines(left) for piece in _parted(line, names)]
    unique: dict[str, str] = {}
    for piece in pieces:
        if bare := _bare(piece):
            unique.setdefault(item_form(bare), bare)
    return list(unique.values())


class _Piece(NamedTuple):
    """A stretch of a line, and the separator before it."""

    text: str
    before: str


class _Known(NamedTuple):
    """The forms of the names that are one item, the most commas and "and" of one, and what else they hold."""

    forms: frozenset[str]
    separators: int
    marks: frozenset[str]

    @classmethod
    def of(cls, names: Iterable[str]) -> "_Known":
        """Return what is known of some names."""
        given = list(names)
        most = max((name.count(",") + len(_AND.findall(name)) for name in given), default=0)
        return cls(frozenset(map(item_form, given)), most, frozenset("".join(given)))


def written(value: JsonValue) -> str:
    """Return a JSON value as the text of one item: true is Yes, a list is its members, an object its pairs.

    Examples:
        >>> written(True), written(4.0), written(["Bonn", 1949]), written({"a": None})
        ('Yes', '4', 'Bonn, 1949', 'a:')
    """
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, int | float):
        return shown_number(value)
    if isinstance(value, list):
        return ", ".join(map(written, value))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {written(member)}".strip() for key, member in value.items())
    return value.strip() if value else ""


def _json_members(text: str) -> list[str] | None:
    """Return the members of a text that is a JSON list or object; null where it is neither."""
    if not text.startswith(("[", "{")):
        return None
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        lists = [member for member in value.values() if isinstance(member, list)]
        if len(value) == 1 and lists:
            value = lists[0]
        else:
            return [f"{key}: {written(member)}" for key, member in value.items()]
    return [written(member) for member in value] if isinstance(value, list) else None


def _lines(text: str) -> list[str]:
    """Return the lines that hold items: a list's points where there are any; wrapped lines as one."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    points = [line for line in lines if _BULLET.match(line)]
    if points and (len(points) > 1 or len(lines) == 1 or lines[-1] == points[0]):
        return [f"\0{_BULLET.sub('', line, count=1)}" for line in points]
    if any(line.endswith((",", ";")) for line in lines[:-1]):
        return [" ".join(lines)]
    return [line for line in lines if not line.endswith(":")] or lines


def _parted(line: str, known: _Known) -> list[str]:
    """Return the items of a line; a point of a list, marked with a NUL, is one."""
    if line.startswith("\0"):
        return [line[1:]]
    if item_form(line) in known.forms:
        return [line]
    for separator in _SEPARATORS:
        if separator in line and separator not in known.marks:
            return line.split(separator)
    return _joined(_pieces(line), known)


def _at_commas(line: str) -> Iterator[str]:
    """Yield what stands between commas, except those within numbers, dates, brackets and quotes."""
    inside = {place for found in DATE.finditer(line) for place in range(*found.span())}
    closing: list[str] = []
    start = 0
    for place, character in enumerate(line):
        if closing and character == closing[-1]:
            closing.pop()
        elif character == '"' and line.count('"', place + 1):
            closing.append('"')
        elif character in _OPENING and _OPENING[character] in line[place:]:
            closing.append(_OPENING[character])
        elif character == "," and not closing and place not in inside and _COMMA.match(line, place):
            yield line[start:place].strip()
            start = place + 1
    yield line[start:].strip()


def _pieces(line: str) -> list[_Piece]:
    """Return what stands between commas and "and", each with what parts it from the one before."""
    pieces: list[_Piece] = []
    for between in _at_commas(line):
        bare = _LEADING_AND.sub("", between)
        start, before = 0, ", " if bare == between else _COMMA_AND
        for found in _AND.finditer(bare):
            pieces.append(_Piece(bare[start : found.start()], before))
            start, before = found.end(), found[0]
        pieces.append(_Piece(bare[start:], before))
    return pieces


def _joined(pieces: Sequence[_Piece], known: _Known) -> list[str]:
    """Return the items that the pieces make.

    Pieces that make a known name together are one, the longest first. Of the others, a title belongs to the name
    before it, and "A and B" is one unless it ends a list with commas.
    """
    items: list[_Piece] = []
    settled = False
    place = 0
    while place < len(pieces):
        last = min(len(pieces), place + 1 + known.separators)
        spelled = ((end, name) for end in range(last, place, -1) for name in _spellings(pieces[place:end]))
        end, name = next(((end, name) for end, name in spelled if item_form(name) in known.forms), (0, ""))
        text, before = pieces[place]
        ends_list = place + 1 == len(pieces) and len(items) > 1 and items[-1].before == ", " and "&" not in before
        is_pair = not before.startswith(",") and not settled and not ends_list
        if end:
            items.append(_Piece(name, before))
        elif items and (is_pair or (before == ", " and _TITLE_AFTER_COMMA.match(text))):
            items[-1] = _Piece(f"{items[-1].text}{before}{text}", items[-1].before)
        else:
            items.append(_Piece(text, before))
        settled = bool(end)
        place = end or place + 1
    return [item.text for item in items]


def _spellings(pieces: Sequence[_Piece]) -> Iterator[str]:
    """Yield what the pieces are together: with the "and" before the first, which may be part of a name, and without."""
    text = pieces[0].text + "".join(f"{before}{text}" for text, before in pieces[1:])
    if pieces[0].before == _COMMA_AND:
        yield f"and {text}"
    yield text


def _bare(piece: str) -> str:
    plain = MARKUP.sub("", piece).strip(" \t\r\n,;").strip('"\u201c\u201d\u00ab\u00bb').strip()
    return plain[:-1].strip() if plain.endswith(".") and not _ends_short(plain) else plain


def _ends_short(text: str) -> bool:
    """Tell whether a text ends in an abbreviation, whose point belongs to it."""
    last = text.rsplit(maxsplit=1)[-1] if text.strip() else ""
    return last.endswith(".") and (last.count(".") > 1 or bool(_TITLE_AFTER_COMMA.match(last)))
