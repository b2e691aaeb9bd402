"""An answer's items: cut out of a text, and brought into the forms in which two items are compared.

Each job stands here twice: as the field's scorer does it (`official_...`), so that published numbers can be compared
with, and corrected.
"""

import json
import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue

from astrolabe.parts.plain_numbers import DATE, iso_dates, number_of, shown_number

_OFFICIAL_LEAD: Final = ("answers:", "answer:")
_OFFICIAL_SEPARATORS: Final = (",", "\n", "#")
_OFFICIAL_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)

_LEAD: Final = re.compile(r"\banswers?(?:\s+(?:is|are))?[\s*_]*:[*_]*", re.IGNORECASE)
_FENCE: Final = re.compile(r"^```[a-z]*\s*|\s*```$", re.IGNORECASE)
_BULLET: Final = re.compile(r"\s*(?:[-*+\u2022\u2013\u2014]|\(?\d{1,3}[.)])\s+(?=\S)")
_COMMA: Final = re.compile(r"(?<!\d),|,(?!\d{3}(?!\d))")
_AND: Final = re.compile(r"\s+(?:and|&)\s+", re.IGNORECASE)
_LAST_AND: Final = re.compile(r"(?:^|\s+)and\s+", re.IGNORECASE)
_LEADING_AND: Final = re.compile(r"^(?:and|&)\s+", re.IGNORECASE)
_TITLE_AFTER_COMMA: Final = re.compile(r"^(?:jr|sr|inc|ltd|llc|d\.?c|ph\.?d|m\.?d|esq|i{2,3}|iv)\b\.?$", re.IGNORECASE)
_OPENING: Final = {"(": ")", "[": "]", "{": "}", "\u201c": "\u201d", "\u00ab": "\u00bb"}

_MARKUP: Final = re.compile(r"\*{1,3}|__|`")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_POINT: Final = re.compile(r"(?<!\d)\.|\.(?!\d)|['\u2019\u2018\u02bc]")
_TAIL: Final = re.compile(r"\s*\([^()]*\)\s*$")
_ARTICLE: Final = re.compile(r"\b(?:a|an|the)\s+(?=\S)")
_LETTERS: Final = re.compile(r"\b\w(?: \w\b)+")


def official_items(text: str) -> list[str]:
    """Return the items of a text as the scorer of QAMPARI takes them from a model's reply, each once, in order.

    One leading `Answers:` or `Answer:` goes; what is left is cut at commas if it holds any, else at line ends, else at
    `#`. So a name with a comma falls apart: that is part of the published numbers. Empty for an empty text.

    Examples:
        >>> official_items("Answers: Paris, Washington, D.C.")
        ['Paris', 'Washington', 'D.C.']
    """
    left = text.strip()
    for lead in _OFFICIAL_LEAD:
        if left.lower().startswith(lead):
            left = left[len(lead) :].strip()
            break
    separator = next((one for one in _OFFICIAL_SEPARATORS if one in left), None)
    parts = left.split(separator) if separator else [left]
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


def official_form(text: str) -> str:
    """Return an item as the field compares it: lower case, without ASCII punctuation and the words a, an, the.

    Examples:
        >>> official_form("The  Beatles!"), official_form("Group A")
        ('beatles', 'group')
    """
    return " ".join(_OFFICIAL_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def item_form(text: str) -> str:
    """Return an item as we compare it: what is said, not how it is written.

    Unicode is folded (NFKC, case, accents of Latin letters), markup goes, `&` is `and`, and an article counts only
    where nothing follows it ("Group A"). Points and apostrophes go, other punctuation parts words, initials are drawn
    together. Numbers lose their thousands separators, currency and percent signs, the words zero to twelve are numbers,
    and dates become YYYY-MM-DD. A text of punctuation alone is itself.

    Examples:
        >>> item_form("Earth, Wind & Fire") == item_form("earth wind and fire")
        True
        >>> item_form("J. D. Drew") == item_form("JD Drew"), item_form("Beyonc\u00e9")
        (True, 'beyonce')
        >>> item_form("1,590,152.0"), item_form("5 March 2020"), item_form("Group A")
        ('1590152', '2020 03 05', 'group a')
    """
    plain = _MARKUP.sub("", unicodedata.normalize("NFKC", text)).strip()
    number = number_of(plain)
    if number is not None:
        return shown_number(number)
    folded = _without_accents(iso_dates(plain).casefold()).replace("&", " and ")
    spaced = "".join(map(_word_character, _POINT.sub("", _THOUSANDS.sub("", folded))))
    joined = _LETTERS.sub(lambda found: found[0].replace(" ", ""), " ".join(spaced.split()))
    return " ".join(_ARTICLE.sub("", joined).split()) or plain.casefold()


def item_forms(text: str) -> tuple[str, str]:
    """Return an item's form, and its form without what it says in brackets at its end.

    Two items are the same where the whole form of one is either form of the other: "Mercury (planet)" is "Mercury",
    but not "Mercury (element)".
    """
    whole = item_form(text)
    bare = _TAIL.sub("", text)
    return whole, item_form(bare) if bare.strip() and bare != text else whole


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


class _Known(NamedTuple):
    """The forms of the names that are one item, and the most commas that one of them holds."""

    forms: frozenset[str]
    commas: int

    @classmethod
    def of(cls, names: Iterable[str]) -> "_Known":
        """Return what is known of some names."""
        given = list(names)
        return cls(frozenset(map(item_form, given)), max((name.count(",") for name in given), default=0))


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
    for separator in (";", "#", "|"):
        if separator in line:
            return line.split(separator)
    pieces = list(_joined(list(_at_commas(line)), known))
    last = _LAST_AND.split(pieces[-1]) if len(pieces) > 1 and item_form(pieces[-1]) not in known.forms else []
    if len(last) == 2 and all(last):  # noqa: PLR2004 - "a, b and c": an unknown "b and c" ends a list
        pieces[-1:] = last
    return [part for piece in pieces for part in _at_and(_LEADING_AND.sub("", piece), known)]


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


def _joined(pieces: Sequence[str], known: _Known) -> Iterator[str]:
    """Yield the pieces, those together that make a known name (the longest first) or a name and its title."""
    place = 0
    while place < len(pieces):
        ends = range(min(len(pieces), place + 1 + known.commas), place + 1, -1)
        end = next((end for end in ends if _made(pieces[place:end]) in known.forms), place + 1)
        if end == place + 1 and end < len(pieces) and _TITLE_AFTER_COMMA.match(pieces[end]):
            end += 1
        yield ", ".join(pieces[place:end])
        place = end


def _made(pieces: Sequence[str]) -> str:
    return item_form(_LEADING_AND.sub("", ", ".join(pieces)))


def _at_and(piece: str, known: _Known) -> list[str]:
    """Return "A and B" as two where either is known and both together are not."""
    parts = _AND.split(piece)
    if (
        len(parts) > 1
        and item_form(piece) not in known.forms
        and any(item_form(_bare(part)) in known.forms for part in parts)
    ):
        return parts
    return [piece]


def _bare(piece: str) -> str:
    plain = _MARKUP.sub("", piece).strip(" \t\r\n,;").strip('"\u201c\u201d\u00ab\u00bb').strip()
    return plain[:-1].strip() if plain.endswith(".") and not _ends_short(plain) else plain


def _ends_short(text: str) -> bool:
    """Tell whether a text ends in an abbreviation, whose point belongs to it."""
    last = text.rsplit(maxsplit=1)[-1] if text.strip() else ""
    return last.endswith(".") and (last.count(".") > 1 or bool(_TITLE_AFTER_COMMA.match(last)))


def _word_character(character: str) -> str:
    category = unicodedata.category(character)
    return character if category[0] in "LMN" or character == "." else " "


def _without_accents(text: str) -> str:
    """Return the text without the marks on Latin letters; other scripts write words with theirs."""
    if text.isascii():
        return text
    kept: list[str] = []
    latin = False
    for character in unicodedata.normalize("NFD", text):
        marks = unicodedata.combining(character) != 0
        if not marks:
            latin = "LATIN" in unicodedata.name(character, "")
        if not (marks and latin):
            kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept))
