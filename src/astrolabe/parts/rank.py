"""The best of many scores."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from astrolabe.core.errors import ConfigError
from astrolabe.core.records import Hit

_DECIMALS: Final = 6


def best(scores: npt.NDArray[np.float32], k: int) -> list[int]:
    """Return the places of the `k` highest scores, best first; of equal ones the first place first.

    Scores that differ by less than what single precision can tell (the sixth decimal) are equal, so that the order
    does not hang on the order in which a processor adds. All places where `k` is larger than their number.
    """
    rounded = np.round(scores, _DECIMALS)
    if k < len(rounded):
        worst = np.partition(rounded, len(rounded) - k)[len(rounded) - k]
        candidates = np.flatnonzero(rounded >= worst)
    else:
        candidates = np.arange(len(rounded))
    order: list[int] = candidates[np.argsort(-rounded[candidates], kind="stable")[:k]].tolist()
    return order


def scaled(scores: npt.NDArray[np.floating], *, floor: float = 0.0) -> npt.NDArray[np.float32]:
    """Return scores moved to [floor, 1]: the least becomes `floor`, the highest 1; equal scores all become 1."""
    if not len(scores):
        return scores.astype(np.float32)
    least, most = scores.min(), scores.max()
    if least == most:
        return np.ones(len(scores), dtype=np.float32)
    return (floor + (1.0 - floor) * (scores - least) / (most - least)).astype(np.float32)


def ranked(passages: Sequence[str], scores: Sequence[float], *, source: str) -> list[Hit]:
    """Return passages that are already in order as hits, ranks counted from 1."""
    pairs = zip(passages, scores, strict=True)
    return [
        Hit(passage_id=passage, rank=rank, score=score, source=source) for rank, (passage, score) in enumerate(pairs, 1)
    ]


def in_order(passages: Iterable[str], *, source: str) -> list[Hit]:
    """Return passages that have an order and no scores as hits, each once; the score is one over the rank."""
    distinct = list(dict.fromkeys(passages))
    return ranked(distinct, [1 / rank for rank in range(1, len(distinct) + 1)], source=source)


def check_k(k: int) -> None:
    """Refuse a number of results below 1.

    Raises:
        ConfigError: `k` is 0 or negative.
    """
    if k < 1:
        msg = f"a search needs k >= 1 results, got k={k!r}; choose for example k=10"
        raise ConfigError(msg)
