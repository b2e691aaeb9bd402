"""Ids made of content: never of a position, a counter or a file's base name."""

import hashlib
from typing import Final

ID_DIGITS: Final = 16


def text_hash(text: str) -> str:
    """Return the SHA-256 of the UTF-8 form of `text`, 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def content_id(prefix: str, *parts: str) -> str:
    """Return `prefix-` and 16 hexadecimal digits that depend on every part and its borders.

    Args:
        prefix: A short word that says what is named, such as `p` for a passage.
        parts: The content. With a single part the digits are those of its SHA-256; with several,
            each part's length goes into the hash, so that ("ab", "c") and ("a", "bc") differ.
    """
    joined = parts[0] if len(parts) == 1 else "".join(f"{len(part)}:{part}" for part in parts)
    return f"{prefix}-{text_hash(joined)[:ID_DIGITS]}"


def document_id(text: str) -> str:
    """Return a document's id: `d-` and 16 digits of its text's SHA-256."""
    return content_id("d", text)


def passage_id(document: str, start: int, end: int, context: str = "") -> str:
    """Return a passage's id, made of its document, its half-open character range and the context in front, if any."""
    return content_id("p", document, str(start), str(end), *filter(None, [context]))
