"""The forms in which two items are compared: what is said, not how it is written."""

import re
import unicodedata
from typing import Final

from astrolabe.parts.plain_numbers import iso_dates, number_of, shown_number

MARKUP: Final = re.compile(r"\*{1,3}|__|`")
"""Marks of bold, italics and code."""
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_POINT: Final = re.compile(r"(?<!\d)\.|\.(?!\d)|['\u2019\u2018\u02bc]")
_TAIL: Final = re.compile(r"\s*\([^()]*\)\s*$")
_ARTICLE: Final = re.compile(r"\b(?:a|an|the)\s+(?=\S)")
_LETTERS: Final = re.compile(r"\b\w(?: \w\b)+")


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
    plain = MARKUP.sub("", unicodedata.normalize("NFKC", text)).strip()
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
