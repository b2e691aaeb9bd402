"""Bytes to text, in whatever encoding they are."""

# ruff: noqa: RUF001 - typographic marks are what is looked for

import codecs
import re
import unicodedata
from typing import Final, NamedTuple

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_RARE: Final = ["cp437", "cp737", "cp775", "cp850", "cp852", "cp855", "cp857", "cp858", "cp860", "cp861", "cp862"]
_RARER: Final = [
    "cp863",
    "cp864",
    "cp865",
    "cp866",
    "cp869",
    "cp1125",
    "cp037",
    "cp500",
    "cp1026",
    "cp1140",
    "hp_roman8",
]
_MULTIBYTE: Final = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
_TYPOGRAPHIC: Final = frozenset("’‘“”„‚…–—•™€‰†‡‹›«»·©®°§£¥¢½¼¾²³¹µ¿¡ªº¶\N{NO-BREAK SPACE}")
_FEW: Final = 40
"""Up to this many bytes beyond ASCII, statistics of letters say nothing."""
_READ: Final = 500_000
"""A detector that looks at this many bytes has seen enough."""
_NUL_SHARE: Final = 0.3


class Decoded(NamedTuple):
    """A text, and what people should know about how it was decoded."""

    text: str
    warning: str | None


def decode(content: bytes, *, declared: str | None = None) -> Decoded:
    """Return the text of `content` with LF line ends and without a byte-order mark.

    A byte-order mark decides; then UTF-8; then the encoding that the content declares, where it fits;
    then what charset-normalizer finds, named in the warning. Bytes that fit nowhere become U+FFFD, and
    the warning counts them.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _lenient(content[len(mark) :], encoding)
    if wide := _utf16_without_mark(content):
        return _lenient(content, wide, f"decoded as {wide}: every second byte is NUL")
    if shifted := _shifted(content):
        return _lenient(content, shifted, f"decoded as {shifted}: its shift marks")
    try:
        return _finished(content.decode("utf-8"), None)
    except UnicodeDecodeError as error:
        if declared and (text := _strict(content, declared)) is not None:
            return _finished(text, None)
        return _not_utf8(content, error)


def _strict(content: bytes, encoding: str) -> str | None:
    # Browsers read these two names as the Windows encoding, and so do those who write them.
    windows = {"iso-8859-1": "cp1252", "us-ascii": "cp1252", "gb2312": "gb18030"}
    try:
        return content.decode(windows.get(encoding.lower(), encoding))
    except (UnicodeDecodeError, LookupError):
        return None


def _not_utf8(content: bytes, error: UnicodeDecodeError) -> Decoded:
    lenient = content.decode("utf-8", "replace")
    broken = lenient.count("\N{REPLACEMENT CHARACTER}")
    is_cut_off = error.reason == "unexpected end of data" and error.end == len(content)
    if is_cut_off or broken * 10 < len(_MULTIBYTE.findall(content)):
        return _lenient(content, "utf-8")
    encoding = _detect(content)
    if encoding is None:
        return _lenient(content, "utf-8")
    return _lenient(
        content, encoding, f"not UTF-8 at byte {error.start}; decoded as {encoding}, a guess from its bytes"
    )


def _utf16_without_mark(content: bytes) -> str | None:
    head = content[:4000]
    if head.count(0) < _NUL_SHARE * len(head) or len(head) < 4:  # noqa: PLR2004 - two characters
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    return "utf-16-le" if odd > even else "utf-16-be"


def _shifted(content: bytes) -> str | None:
    """Return the encoding of a text that is ASCII to the eye and switches to other scripts by marks."""
    encoding = "iso2022_jp" if b"\x1b$" in content else "hz" if b"~{" in content and b"~}" in content else None
    if encoding is None or not content.isascii():
        return None
    try:
        return encoding if not content.decode(encoding).isascii() else None
    except UnicodeDecodeError:
        return None


def _detect(content: bytes) -> str | None:
    high = sum(byte > 127 for byte in content[:_READ])  # noqa: PLR2004 - the last byte of ASCII
    if _has_wide_marks(content):
        return "big5"
    if high <= _FEW and _reads_as_western(content):
        return "cp1252"
    from charset_normalizer import from_bytes

    for excluded in ([*_RARE, *_RARER], []):
        if best := from_bytes(content[:_READ], cp_exclusion=excluded).best():
            return best.encoding
    return None


def _reads_as_western(content: bytes) -> bool:
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        return False
    return all(
        character < "\x80" or character in _TYPOGRAPHIC or unicodedata.category(character) in {"Lu", "Ll"}
        for character in text
    )


def _has_wide_marks(content: bytes) -> bool:
    """Return whether this is English whose quotation marks and dashes alone are Big5 characters."""
    try:
        beyond = [character for character in content.decode("big5") if character >= "\x80"]
    except UnicodeDecodeError:
        return False
    return all("\u2010" <= character < "\u2070" or "\u3000" <= character < "\u3040" for character in beyond)


def _lenient(content: bytes, encoding: str, warning: str | None = None) -> Decoded:
    try:
        return _finished(content.decode(encoding), warning)
    except UnicodeDecodeError as error:
        text = content.decode(encoding, "replace")
        lost = f"not valid {encoding} at byte {error.start}; {_count_lost(content, encoding)} place(s) became U+FFFD"
        return _finished(text, f"{warning}; {lost}" if warning else lost)


def _count_lost(content: bytes, encoding: str) -> int:
    before = content.decode(encoding, "ignore").count("\N{REPLACEMENT CHARACTER}")
    return content.decode(encoding, "replace").count("\N{REPLACEMENT CHARACTER}") - before


def _finished(text: str, warning: str | None) -> Decoded:
    unmarked = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    return Decoded(unmarked.replace("\r\n", "\n").replace("\r", "\n"), warning)
