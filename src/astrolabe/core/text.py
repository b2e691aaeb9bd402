"""Making any text storable: valid UTF-8 without NUL and without surrogates."""

from typing import Annotated, Final, NamedTuple

from pydantic import AfterValidator

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
_FIRST_SURROGATE: Final = "\ud800"
_LAST_SURROGATE: Final = "\udfff"


class CleanText(NamedTuple):
    """A storable text, and how many characters had to be replaced to make it so."""

    text: str
    nuls: int
    surrogates: int


def clean_text(text: str) -> CleanText:
    r"""Return `text` with NULs and lone surrogates replaced by U+FFFD.

    Two surrogates that form a pair become the one character that they stand for.

    Examples:
        >>> clean_text("a\ud83db").text
        'a�b'
        >>> clean_text("a\ud83d\ude80b").text == "a\N{ROCKET}b"
        True
        >>> clean_text("a\x00b").nuls
        1
    """
    nuls = text.count("\0")
    broken = _has_surrogate(text)
    joined = _pair(text) if broken else text
    surrogates = sum(map(_is_surrogate, joined)) if broken else 0
    if surrogates:
        joined = "".join(_REPLACEMENT if _is_surrogate(character) else character for character in joined)
    return CleanText(joined.replace("\0", _REPLACEMENT), nuls, surrogates)


def _pair(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _is_surrogate(character: str) -> bool:
    return _FIRST_SURROGATE <= character <= _LAST_SURROGATE


def _has_surrogate(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _storable(text: str) -> str:
    if "\0" in text:
        msg = f"holds a NUL character at offset {text.index(chr(0))}; remove it"
        raise ValueError(msg)
    if _has_surrogate(text):
        msg = "holds half a surrogate pair, which is not valid UTF-8; remove it"
        raise ValueError(msg)
    return text


Text = Annotated[str, AfterValidator(_storable)]
"""A string that every file, table and request can hold."""
