"""Counting tokens with the vocabulary that comes with the package, whichever model answers."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tokenizers import Tokenizer

COUNTER: Final = "all-MiniLM-L6-v2 WordPiece"
"""What manifests call the counter."""


def count_tokens(text: str) -> int:
    """Count the tokens of `text`, special tokens apart; markers count as ordinary text."""
    return len(token_offsets(text))


def token_offsets(text: str) -> list[tuple[int, int]]:
    """Return each token's half-open character range, in order."""
    return tokenizer().encode(text, add_special_tokens=False).offsets


@cache
def tokenizer() -> "Tokenizer":
    """Load the vendored tokenizer once, without truncation and padding."""
    from tokenizers import Tokenizer

    loaded = Tokenizer.from_str((files("astrolabe") / "bundled" / "tokenizer" / "tokenizer.json").read_text("utf-8"))
    loaded.no_truncation()
    loaded.no_padding()
    loaded.encode_special_tokens = True
    return loaded
