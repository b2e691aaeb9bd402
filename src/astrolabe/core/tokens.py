"""Counting tokens with the vocabulary that comes with the package, whichever model answers."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tokenizers import Tokenizer

COUNTER: Final = "all-MiniLM-L6-v2 WordPiece"
"""What manifests call the counter."""

_LONGEST_WORD: Final = 100


def count_tokens(text: str) -> int:
    """Count the tokens of `text`, special tokens apart; markers count as ordinary text."""
    return len(token_offsets(text))


def token_offsets(text: str) -> list[tuple[int, int]]:
    """Return each token's half-open character range, in order; several may share a character.

    The vocabulary reads any word of more than 100 characters as one unknown token. Such a run (base64,
    say) is many tokens to every model that answers, so every two of its characters count as one.
    """
    offsets: list[tuple[int, int]] = tokenizer().encode(text, add_special_tokens=False).offsets
    if all(end - start <= _LONGEST_WORD for start, end in offsets):
        return offsets
    return list(chain.from_iterable(_pieces(start, end) for start, end in offsets))


def first_tokens(text: str, tokens: int) -> str:
    """Return the beginning of `text` that takes at most `tokens`, one at least; all of a text that is no longer."""
    offsets, most = token_offsets(text), max(1, tokens)
    return text if len(offsets) <= most else text[: offsets[most - 1][1]]


def _pieces(start: int, end: int) -> Iterator[tuple[int, int]]:
    width = end - start if end - start <= _LONGEST_WORD else 2
    return ((place, min(place + width, end)) for place in range(start, end, width or 1))


@cache
def tokenizer() -> "Tokenizer":
    """Load the vendored tokenizer once, without truncation and padding."""
    from tokenizers import Tokenizer

    loaded = Tokenizer.from_str((files("astrolabe") / "bundled" / "tokenizer" / "tokenizer.json").read_text("utf-8"))
    loaded.no_truncation()
    loaded.no_padding()
    loaded.encode_special_tokens = True
    return loaded
