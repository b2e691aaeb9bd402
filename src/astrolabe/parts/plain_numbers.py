"""Numbers and dates as people write them, brought to one form."""

import re
from typing import Final

_SMALL: Final = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_NUMBER: Final = re.compile(
    r"(?P<sign>[-\u2212+]?)\s*[$\u20ac\u00a3\u00a5]?\s*(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<rest>\.\d+)?"
    r"(?:e(?P<power>[-+]?\d{1,3}))?\s*(?P<scale>thousand|million|billion|trillion)?\s*(?:%|percent|per cent)?\.?",
    re.IGNORECASE,
)
_MONTHS: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
DATE: Final = re.compile(
    rf"\b(?:(?P<month>{_MONTHS})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})"
    rf"|(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month2>{_MONTHS})\.?,?\s+(?P<year2>\d{{4}}))\b",
    re.IGNORECASE,
)
"""A day written in English, its month before or after it."""


def number_of(text: str) -> float | None:
    """Return the number that a text is, as a whole; null where it is anything else.

    Thousands separators, a currency sign before, a percent sign and thousand to trillion after it are read; the words
    zero to twelve are numbers. Finite always.

    Examples:
        >>> number_of("1,590,152"), number_of("$572.8 billion"), number_of("three"), number_of("52.5%")
        (1590152.0, 572800000000.0, 3.0, 52.5)
        >>> number_of("3 of them") is None, number_of("12,34") is None
        (True, True)
    """
    plain = text.strip()
    if plain.casefold() in _SMALL:
        return float(_SMALL.index(plain.casefold()))
    found = _NUMBER.fullmatch(plain)
    if found is None:
        return None
    digits = found["digits"].replace(",", "") + (found["rest"] or "") + (f"e{found['power']}" if found["power"] else "")
    value = round(float(digits) * _SCALES.get((found["scale"] or "").casefold(), 1.0), 9)
    negative = found["sign"] in {"-", "\u2212"} and bool(value)
    return (-value if negative else value) if value != float("inf") else None


def shown_number(value: float) -> str:
    """Return a number in the one form in which numbers are compared: 4.0 is 4, nothing is rounded.

    Examples:
        >>> shown_number(4.0), shown_number(61.6), shown_number(-0.0)
        ('4', '61.6', '0')
    """
    return str(int(value)) if value == int(value) else repr(float(value))


def iso_dates(text: str) -> str:
    """Return the text with every day that is written in English as YYYY-MM-DD.

    Examples:
        >>> iso_dates("born March 5th, 2020"), iso_dates("5 Mar 2020")
        ('born 2020-03-05', '2020-03-05')
    """
    return DATE.sub(_iso, text)


def _iso(found: re.Match[str]) -> str:
    names = _MONTHS.split("|")
    name = (found["month"] or found["month2"]).casefold()[:3]
    month = next(number for number, full in enumerate(names[:12], start=1) if full.startswith(name))
    day, year = found["day"] or found["day2"], found["year"] or found["year2"]
    return f"{year}-{month:02d}-{int(day):02d}"
