"""Texts as vectors, and the nearest of them: exact, over every window of every text."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from astrolabe.core.protocols import Embedder, Vectors
from astrolabe.embed.windows import windows
from astrolabe.parts.rank import best, check_k


class Near(NamedTuple):
    """A text by its place, and the cosine of its best window."""

    place: int
    score: float


@dataclass(frozen=True, kw_only=True)
class TextVectors:
    """The vectors of every window of some texts.

    A text longer than the embedder reads has a vector for each of its windows and is as near as its nearest one.

    Attributes:
        rows: One row a window, the windows of a text side by side.
        starts: Each text's first row.
        embedder: Embeds the queries.
    """

    rows: Vectors
    starts: npt.NDArray[np.int64]
    embedder: Embedder

    @classmethod
    async def over(cls, texts: Sequence[str], embedder: Embedder) -> Self:
        """Embed every window of every text, in their order; none may be given."""
        cut = await asyncio.to_thread(lambda: [windows(text, embedder.window_tokens) for text in texts])
        rows = await embedder.embed([window for of_one in cut for window in of_one], side="passage")
        ends = np.cumsum([len(of_one) for of_one in cut], dtype=np.int64)
        return cls(rows=rows, starts=np.concatenate([[0], ends[:-1]])[: len(texts)], embedder=embedder)

    def __len__(self) -> int:
        """Return how many texts there are."""
        return len(self.starts)

    @cached_property
    def contentless(self) -> npt.NDArray[np.bool_]:
        """Which texts have no content for the embedder: their rows are zeros."""
        if not len(self):
            return np.zeros(0, dtype=np.bool_)
        return ~np.logical_or.reduceat(self.rows.any(axis=1), self.starts)

    @property
    def pooled(self) -> Vectors:
        """One row a text, shape (texts, dimensions): the mean of its windows at L2 norm 1; zeros without content."""
        if not len(self):
            return self.rows[:0]
        sums = np.add.reduceat(self.rows, self.starts, axis=0)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        pooled: Vectors = (sums / np.where(norms > 0, norms, 1.0)).astype(np.float32)
        return pooled

    def similar(self, query: Vectors) -> Vectors:
        """Return the cosine of each text's best window to a query's vector, shape (texts,)."""
        if not len(self):
            return np.zeros(0, dtype=np.float32)
        # Not `@`: that waits for a second thread, which on a busy machine takes ten times as long as the product.
        similar: Vectors = np.maximum.reduceat(np.vecdot(self.rows, query), self.starts)
        return similar

    async def embed(self, query: str) -> Vectors | None:
        """Return a query's vector; null for one that is blank (it is not embedded) or has no content."""
        if not query.strip():
            return None
        row: Vectors = (await self.embedder.embed([query], side="query"))[0]
        return row if row.any() else None

    async def nearest(self, query: str, *, k: int) -> list[Near]:
        """Return the `k` texts nearest to a query by cosine, best first, ties in their order.

        A text without content scores 0 and stands last. A query without content finds nothing.

        Raises:
            ConfigError: `k` is below 1.
        """
        check_k(k)
        row = await self.embed(query) if len(self) else None
        return [] if row is None else await asyncio.to_thread(self.near, row, k)

    def near(self, query: Vectors, k: int) -> list[Near]:
        """Return the `k` texts nearest to a query's vector, as `nearest` does; none where there are none."""
        similar = self.similar(query)
        order = best(np.where(self.contentless, -np.inf, similar), k)
        scores: list[float] = similar[order].tolist()
        return [Near(place, score) for place, score in zip(order, scores, strict=True)]

    def save(self, folder: Path, name: str = "vectors") -> None:
        """Write `<name>.npy` and `<name>-starts.npy`."""
        np.save(folder / f"{name}.npy", self.rows, allow_pickle=False)
        np.save(folder / f"{name}-starts.npy", self.starts, allow_pickle=False)

    @classmethod
    def load(cls, folder: Path, embedder: Embedder, name: str = "vectors") -> Self:
        """Map what `save` wrote into memory; it is read when it is searched."""
        rows: Vectors = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        starts: npt.NDArray[np.int64] = np.load(folder / f"{name}-starts.npy", allow_pickle=False)
        return cls(rows=rows, starts=starts, embedder=embedder)
