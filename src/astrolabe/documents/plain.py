"""Text and Markdown files: kept as they are, read for their title and date."""

import re
from typing import Final

from astrolabe.documents.encoding import decode
from astrolabe.documents.extract import Extract
from astrolabe.documents.sniff import MEDIA_TYPES

_HEADING: Final = re.compile(r"^#{1,6}[ \t]+(\S.*?)[ \t#]*$", re.MULTILINE)
_FIELD: Final = re.compile(r"^[ \t>*_]*(title|date)[*_]*[ \t]*:[*_ \t]*(\S.*?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_DAY: Final = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_TOP: Final = 2000
"""A title or a date further down than this many characters is not the document's."""
_LONGEST_TITLE: Final = 120


def read_text(content: bytes, *, markdown: bool) -> Extract:
    """Return the whole text of a file, decoded and otherwise unchanged."""
    decoded = decode(content)
    top = decoded.text[:_TOP]
    front, _, _ = top.removeprefix("---\n").partition("\n---\n") if top.startswith("---\n") else ("", "", "")
    fields = {name.lower(): value for name, value in reversed(_FIELD.findall(front or top))}
    heading = _HEADING.search(top)
    title = fields.get("title", "").strip("\"'") if front else ""
    if not title:
        title = heading[1] if heading else "" if markdown else _first_line(top)
    return Extract(
        text=decoded.text,
        media_type=MEDIA_TYPES["markdown" if markdown else "text"],
        title=title or None,
        date=iso_date(fields.get("date")),
    ).warned(decoded.warning)


def iso_date(text: str | None) -> str | None:
    """Return the first date of the form year-month-day as YYYY-MM-DD, null where there is none.

    Examples:
        >>> iso_date("2021/4/9, evening")
        '2021-04-09'
        >>> iso_date("2021-13-01") is None
        True
    """
    found = _DAY.search(text or "")
    if found is None:
        return None
    year, month, day = map(int, found.groups())
    valid = 1 <= month <= 12 and 1 <= day <= 31  # noqa: PLR2004 - months of a year, days of a month
    return f"{year:04}-{month:02}-{day:02}" if valid else None


def _first_line(text: str) -> str:
    line = text.lstrip().partition("\n")[0].strip()
    return line if len(line) <= _LONGEST_TITLE else ""
