"""Whole texts, however long, and texts of nothing."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from astrolabe.core.protocols import Embedder, Side, Vectors
from astrolabe.embed.windows import windows


@dataclass(frozen=True, slots=True)
class Whole:
    """An embedder that reads every text to its end.

    A text longer than the embedder's window is the mean of its windows, of L2 norm 1; an index keeps the windows
    apart (`astrolabe.embed.windows.windows`). A blank text is zeros and is not sent.
    """

    embedder: Embedder

    @property
    def id(self) -> str:
        """That of the embedder."""
        return self.embedder.id

    @property
    def window_tokens(self) -> int:
        """That of the embedder."""
        return self.embedder.window_tokens

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:
        """Return the texts' rows, in their order.

        Where every text is blank, the letter `a` is embedded to learn how long a row is.
        """
        cut = await asyncio.to_thread(self._cut, texts)
        asked = [window for of_one in cut for window in of_one]
        rows = await self.embedder.embed(asked or ["a"], side=side)
        means: Vectors = np.zeros((len(texts), rows.shape[1]), dtype=np.float32)
        for mean, (start, end) in zip(means, pairwise(accumulate(map(len, cut), initial=0)), strict=True):
            if end - start == 1:
                mean[:] = rows[start]
            elif end > start:
                total = rows[start:end].sum(axis=0)
                mean[:] = total / max(float(np.linalg.norm(total)), np.finfo(np.float32).tiny)
        return means

    def _cut(self, texts: Sequence[str]) -> list[list[str]]:
        return [windows(text, self.window_tokens) if text.strip() else [] for text in texts]
