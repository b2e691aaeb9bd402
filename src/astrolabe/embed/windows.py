"""Texts longer than an embedder reads, as overlapping windows: nothing is cut away."""

from itertools import pairwise
from typing import Final

from astrolabe.core.tokens import tokenizer

_SHARE_THAT_OVERLAPS: Final = 4


def windowing(window_tokens: int) -> str:
    """Return how texts are cut for this limit, as it stands in an embedder's id."""
    return f"window={window_tokens},overlap={window_tokens // _SHARE_THAT_OVERLAPS}"


def windows(text: str, limit: int) -> list[str]:
    """Return the text itself where it has at most `limit` tokens, else windows over all of it, in order.

    Every window but the last is as full as words allow; a quarter of it comes again in the next one, so that what
    stands at a border is read once with what surrounds it. Windows begin and end at words, or inside a word that is
    longer than a window.
    """
    # No token of ASCII text is shorter than a character, so that most sentences need no counting.
    if text.isascii() and len(text) <= limit:
        return [text]
    encoding = tokenizer().encode(text, add_special_tokens=False)
    if len(encoding) <= limit:
        return [text]
    offsets: list[tuple[int, int]] = encoding.offsets
    borders = _word_borders(encoding.word_ids)
    cut: list[str] = []
    first = 0
    while True:
        last = _border_before(borders, first + limit, after=first)
        end = len(text) if last == len(offsets) else offsets[last - 1][1]
        cut.append(text[offsets[first][0] if first else 0 : end])
        if last == len(offsets):
            return cut
        first = _border_before(borders, last - limit // _SHARE_THAT_OVERLAPS, after=first)


def _word_borders(word_ids: list[int | None]) -> list[bool]:
    """Return for each place between tokens, from before the first to behind the last, whether a word ends there."""
    inner = [left != right for left, right in pairwise(word_ids)]
    return [True, *inner, True]


def _border_before(borders: list[bool], place: int, *, after: int) -> int:
    """Return the last word border at or before `place` and behind `after`; `place` itself where there is none."""
    place = max(min(place, len(borders) - 1), after + 1)
    return next((at for at in range(place, after, -1) if borders[at]), place)
