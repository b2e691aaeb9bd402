"""Questions and answers that a model is shown together: none is lost where they are more than it may be shown."""

from collections.abc import Sequence
from typing import Final

from astrolabe.core.tokens import count_tokens, first_tokens
from astrolabe.parts.tree_node import Pair

_CUT: Final = "(cut)"
_TOKENS_A_PAIR: Final = 12
"""What a pair's numbers, and the word that its answer was cut, take."""


def within(pairs: Sequence[Pair], tokens: int) -> list[Pair]:
    """Return pairs that take at most `tokens`: where they take more, the longest answers are cut, all to one length.

    So none is lost. Of questions nothing is cut; an answer that is cut says so.

    Args:
        pairs: In any order.
        tokens: The most that their questions and answers may take.
    """
    answers = [count_tokens(pair.answer or "") for pair in pairs]
    room = tokens - sum(count_tokens(pair.question) + _TOKENS_A_PAIR for pair in pairs)
    most = _most_each(answers, room)
    return [pair._replace(answer=_cut(pair.answer, most)) if pair.answer else pair for pair in pairs]


def _most_each(sizes: Sequence[int], room: int) -> int:
    """Return the length to which the longest are cut so that all fit; 1 at least."""
    left = room
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return max(share, 1)
        left -= size
    return max(sizes, default=1)


def _cut(answer: str, tokens: int) -> str:
    kept = first_tokens(answer, tokens)
    return kept if kept == answer else f"{kept} {_CUT}"
