"""Search by vectors and by words at once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Cut, Index, Kit
from astrolabe.core.records import Hit, Passage
from astrolabe.parts.bm25 import BM25
from astrolabe.parts.dense import Dense
from astrolabe.parts.rank import check_k, ranked

_DEPTH: Final = 100
"""How far down each ranking is read, where fewer results are asked for."""


def fuse(rankings: Sequence[Sequence[Hit]], *, smoothing: int = 60) -> dict[str, float]:
    """Return passages with their fused scores, best first, by reciprocal ranks (Cormack et al., 2009).

    A passage scores the sum of 1 / (smoothing + rank) over the rankings that have it. Ties stand in the order in which
    the rankings, read one after the other, name the passages.

    Examples:
        >>> def hits(*passages: str) -> list[Hit]:
        ...     return [Hit(passage_id=p, rank=r, score=0.0, source="x") for r, p in enumerate(passages, 1)]
        >>> list(fuse([hits("a", "b", "c"), hits("b", "d")]))
        ['b', 'a', 'd', 'c']
    """
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for hit in ranking:
            scores[hit.passage_id] += 1.0 / (smoothing + hit.rank)
    return dict(sorted(scores.items(), key=lambda scored: -scored[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedIndex:
    """Both searches over the same passages.

    Attributes:
        spec: What is fused and how.
        kit: Opens the two indexes.
    """

    spec: "Fused"
    kit: Kit

    async def search(self, query: str, *, k: int) -> Sequence[Hit]:
        """Return the `k` passages with the highest fused scores, best first; see `fuse`.

        Each search gives its first 100 passages, or its first `k` where that is more.

        Raises:
            ConfigError: `k` is below 1.
        """
        check_k(k)
        depth = max(k, _DEPTH)
        near = await (await self.kit.open(self.spec.dense)).search(query, k=depth)
        worded = await (await self.kit.open(self.spec.bm25)).search(query, k=depth)
        scores = fuse([near, worded], smoothing=self.spec.smoothing)
        return ranked(list(scores)[:k], list(scores.values())[:k], source=Fused.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """Dense and BM25 search over the same passages, fused by reciprocal ranks.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        smoothing: The larger, the less the first ranks stand out; 0 or more.
    """

    name: ClassVar[str] = "fused"
    prompts: ClassVar[tuple[str, ...]] = ()

    size: int = 512
    overlap: int = 0
    smoothing: int = 60

    def __post_init__(self) -> None:
        """Refuse what cannot be computed."""
        _ = self.cut
        if self.smoothing < 0:
            msg = f"fused needs smoothing >= 0, got smoothing={self.smoothing!r}; choose smoothing=60"
            raise ConfigError(msg)

    @property
    def cut(self) -> Cut:
        """The passages that are searched."""
        return Cut(size=self.size, overlap=self.overlap)

    @property
    def dense(self) -> Dense:
        """The search by vectors."""
        return Dense(size=self.size, overlap=self.overlap)

    @property
    def bm25(self) -> BM25:
        """The search by words."""
        return BM25(size=self.size, overlap=self.overlap)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> FusedIndex:  # noqa: ARG002 - the two indexes hold them
        """Build both indexes where they are not built yet."""
        await kit.open(self.dense)
        await kit.open(self.bm25)
        return FusedIndex(spec=self, kit=kit)

    def save(self, index: Index, folder: Path) -> None:
        """Write nothing: the two indexes are kept under keys of their own."""

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> FusedIndex:  # noqa: ARG002 - see `save`
        """Return the pair; each opens at the first search."""
        return FusedIndex(spec=self, kit=kit)
