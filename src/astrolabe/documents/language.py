"""Which language a text is in."""

# py3langid has no types:
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from typing import Final

_SHORTEST: Final = 40
"""Fewer letters than this say too little."""
_READ: Final = 4000


def language_of(text: str) -> str | None:
    """Return the language's ISO 639-1 code, judged by the text's first 4,000 characters; null for short texts."""
    head = text[:_READ]
    if sum(map(str.isalpha, head)) < _SHORTEST:
        return None
    from py3langid import classify

    language: str = classify(head)[0]
    return None if language == "und" else language
