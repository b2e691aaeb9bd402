"""An embedder without a model: a text is the bag of its stems, folded into a few hundred places."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np

from astrolabe.core.protocols import Side, Vectors
from astrolabe.core.words import stems
from astrolabe.embed.windows import windowing

DIMENSIONS: Final = 512
_WINDOW_TOKENS: Final = 512


class HashedEmbedder:
    """Compares texts by the stems that they share; needs no model and no extra.

    A stem that occurs n times adds 1 + ln n to the place that its hash names, with the hash's sign, so that what
    falls together cancels on average (feature hashing, Weinberger et al., 2009). It knows no synonyms. The same text
    has the same vector in every process, on every machine.
    """

    @property
    def id(self) -> str:
        """The name, the number of dimensions, the version of the hashing and how long texts are cut."""
        return f"hashed;dimensions={DIMENSIONS};v1;{windowing(_WINDOW_TOKENS)}"

    @property
    def window_tokens(self) -> int:
        """A bag has no limit of its own; beyond this many tokens every text looks like every other."""
        return _WINDOW_TOKENS

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:  # noqa: ARG002 - queries and passages are alike
        """Return rows of L2 norm 1; zeros for a text without stems, such as one of stop words alone."""
        vectors: Vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for stem, times in Counter(stems(text)).items():
                place, sign = _place(stem)
                row[place] += sign * (1.0 + np.log(times))
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, norms, out=vectors, where=norms > 0.0)


class _Place(NamedTuple):
    dimension: int
    sign: float


@lru_cache(maxsize=100_000)
def _place(stem: str) -> _Place:
    number = int.from_bytes(blake2b(stem.encode("utf-8"), digest_size=8).digest(), "little")
    return _Place(number // 2 % DIMENSIONS, 1.0 if number % 2 else -1.0)
