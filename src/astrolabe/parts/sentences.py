"""Where sentences begin and end, in scripts with and without spaces between words."""

# ruff: noqa: RUF001 - the marks of other scripts look like our own and are not

import re
from typing import Final

_CLOSERS: Final = "\"'”’»›)\\]}」』）】》*_"
_BREAK: Final = re.compile(
    rf"(?P<stop>[.!?…؟۔।॥։።။។]+)[{_CLOSERS}]*(?P<gap>\s*)|(?P<wide>[。！？｡]+)[{_CLOSERS}]*|(?P<line>\n\s*)"
)
_BLOCK_START: Final = re.compile(r"#{1,6}\s|[-*+•–]\s|\||>|\d{1,3}[.)]\s|```")
_MARKER: Final = re.compile(r"(?:[-*+•–]\s+)?(?:\d{1,3}|[A-Za-z])")
_LAST_WORD: Final = re.compile(r"[^\s(\[\"“‘'«]+\Z")
_ABBREVIATION: Final = re.compile(
    r"mr|mrs|ms|dr|prof|sr|jr|st|rev|gen|col|lt|sgt|capt|hon|pres|gov|sen|rep|dept|univ|inst|inc|ltd|co|corp"
    r"|vs|cf|e\.g|i\.e|eg|ie|viz|approx|ca|al|figs?|eqs?|secs?|ch|vols?|pp?|nos?|refs?|eds?"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|u\.s|u\.k|u\.n|d\.c|ph\.d|[mb]\.[ad]|z\.b|d\.h|bzw|nr|mme|mlle",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION: Final = 12
_WRAPPED_LINE: Final = 40
"""A line shorter than this many characters that does not go on in lower case was ended on purpose."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the half-open range of each sentence of `text`, in order.

    Together the ranges cover every character that is not white space; none is empty, and none begins
    or ends with white space. A sentence ends at a mark of its script (`.` needs white space behind it,
    `。` does not), at an empty line, and at the border of a heading, a list item or a table row. A line
    break inside running text ends none. Abbreviations, initials and list numbers do not either. Takes
    time linear in the text's length.

    Examples:
        >>> [text[a:b] for text in ["Dr. Ode came. Why?"] for a, b in sentence_spans(text)]
        ['Dr. Ode came.', 'Why?']
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for found in _BREAK.finditer(text):
        if _ends_here(text, start, found):
            _keep(text, start, found.end(), spans)
            start = found.end()
    _keep(text, start, len(text), spans)
    return spans


def _keep(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    piece = text[start:end]
    bare = piece.strip()
    if bare:
        begin = start + len(piece) - len(piece.lstrip())
        spans.append((begin, begin + len(bare)))


def _ends_here(text: str, start: int, found: re.Match[str]) -> bool:
    if found["wide"]:
        return True
    gap = found["line"] if found["line"] is not None else found["gap"]
    if gap.count("\n") > 1 or found.end() == len(text):
        return True
    if "\n" in gap and _is_block_border(text, start, found):
        return True
    if found["line"] is not None:
        return _is_short_line(text, found.start(), found.end())
    return bool(gap) and not _goes_on(text, start, found)


def _is_block_border(text: str, start: int, found: re.Match[str]) -> bool:
    if _BLOCK_START.match(text, found.end()):
        return True
    line = text.rfind("\n", start, found.start()) + 1 or start
    return text[line : line + 8].lstrip().startswith(("#", "|"))


def _is_short_line(text: str, end: int, following: int) -> bool:
    line = text.rfind("\n", max(0, end - _WRAPPED_LINE), end)
    short = line >= 0 or end <= _WRAPPED_LINE
    return short and not text[following].islower()


def _goes_on(text: str, start: int, found: re.Match[str]) -> bool:
    """Return whether the mark belongs to an abbreviation, an initial, a list number or a quoted aside."""
    if text[found.end()].islower():
        return True
    if found["stop"] != ".":
        return False
    before = text[max(start, found.start() - _LONGEST_ABBREVIATION) : found.start()]
    if found.start() - start <= _LONGEST_ABBREVIATION and _MARKER.fullmatch(before.strip()):
        return True
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    return _ABBREVIATION.fullmatch(word[0]) is not None or (len(word[0]) == 1 and word[0].isupper())
