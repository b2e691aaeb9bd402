"""Search by vectors: exact, over the scope's own passages."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from astrolabe.core.protocols import Cut, Embedder, Index, Kit, Vectors
from astrolabe.core.records import Hit, Passage
from astrolabe.embed.windows import windows
from astrolabe.parts.rank import best, check_k, ranked

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseIndex:
    """The vectors of every window of every passage.

    Attributes:
        passages: Passage ids, by document and place.
        vectors: One row a window, the windows of a passage side by side.
        starts: Each passage's first row.
        contentless: Which passages have no content for the embedder.
        embedder: Embeds the queries.
    """

    passages: tuple[str, ...]
    vectors: Vectors
    starts: npt.NDArray[np.int64]
    contentless: npt.NDArray[np.bool_]
    embedder: Embedder

    @classmethod
    def over(
        cls, passages: Sequence[Passage], vectors: Vectors, starts: npt.NDArray[np.int64], embedder: Embedder
    ) -> Self:
        """Return the index over passages whose windows begin at the given rows."""
        without = ~np.logical_or.reduceat(vectors.any(axis=1), starts) if passages else np.zeros(0, dtype=np.bool_)
        return cls(
            passages=tuple(passage.id for passage in passages),
            vectors=vectors,
            starts=starts,
            contentless=without,
            embedder=embedder,
        )

    async def search(self, query: str, *, k: int) -> Sequence[Hit]:
        """Return the `k` passages whose best window is nearest to the query by cosine, best first.

        Ties stand in the order of the passages. A passage without content scores 0 and stands last. A blank query
        finds nothing and is not embedded; a query without content for the embedder finds nothing either.

        Raises:
            ConfigError: `k` is below 1.
        """
        check_k(k)
        if not query.strip() or not self.passages:
            return []
        row = (await self.embedder.embed([query], side="query"))[0]
        return await asyncio.to_thread(self._nearest, row, k) if row.any() else []

    def _nearest(self, query: Vectors, k: int) -> list[Hit]:
        # Not `@`: that waits for a second thread, which on a busy machine takes ten times as long as the product.
        similar = np.maximum.reduceat(np.vecdot(self.vectors, query), self.starts)
        order = best(np.where(self.contentless, -np.inf, similar), k)
        scores: list[float] = similar[order].tolist()
        return ranked([self.passages[place] for place in order], scores, source=Dense.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dense:
    """Exact nearest passages by cosine of embeddings.

    A passage longer than the embedder reads has a vector for each of its windows and is as near as its nearest one.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
    """

    name: ClassVar[str] = "dense"
    prompts: ClassVar[tuple[str, ...]] = ()

    size: int = 512
    overlap: int = 0

    def __post_init__(self) -> None:
        """Refuse a cut that cannot be made."""
        _ = self.cut

    @property
    def cut(self) -> Cut:
        """The passages that are searched."""
        return Cut(size=self.size, overlap=self.overlap)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> DenseIndex:
        """Embed every window of every passage; a warning counts the passages without content."""
        texts = await asyncio.to_thread(_windows_of, passages, kit.embedder)
        vectors = await kit.embedder.embed([window for of_one in texts for window in of_one], side="passage")
        ends = np.cumsum([len(of_one) for of_one in texts], dtype=np.int64)
        index = DenseIndex.over(passages, vectors, np.concatenate([[0], ends[:-1]])[: len(texts)], kit.embedder)
        if index.contentless.any():
            names = [passage.id for passage, without in zip(passages, index.contentless, strict=True) if without]
            _log.warning(
                "%d of %d passages have no content for %s and come last in every search, such as %s",
                len(names),
                len(passages),
                kit.embedder.id,
                ", ".join(names[:5]),
            )
        return index

    def save(self, index: Index, folder: Path) -> None:
        """Write `vectors.npy` and `starts.npy`."""
        if not isinstance(index, DenseIndex):
            msg = f"{self!r} saves dense indexes, not {type(index).__name__}"
            raise TypeError(msg)
        np.save(folder / "vectors.npy", index.vectors, allow_pickle=False)
        np.save(folder / "starts.npy", index.starts, allow_pickle=False)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> DenseIndex:
        """Map the vectors into memory; they are read when they are searched."""
        vectors: Vectors = np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)
        starts: npt.NDArray[np.int64] = np.load(folder / "starts.npy", allow_pickle=False)
        return DenseIndex.over(passages, vectors, starts, kit.embedder)


def _windows_of(passages: Sequence[Passage], embedder: Embedder) -> list[list[str]]:
    fits = embedder.window_tokens
    return [[passage.text] if passage.tokens <= fits else windows(passage.text, fits) for passage in passages]
