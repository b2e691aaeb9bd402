"""Search by vectors: exact, over the scope's own passages."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from astrolabe.core.protocols import Cut, Index, Kit
from astrolabe.core.records import Hit, Passage
from astrolabe.parts.rank import ranked
from astrolabe.parts.vectors import TextVectors

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseIndex:
    """The vectors of the passages.

    Attributes:
        passages: Passage ids, by document and place.
        vectors: Theirs, in the same order.
    """

    passages: tuple[str, ...]
    vectors: TextVectors

    async def search(self, query: str, *, k: int) -> Sequence[Hit]:
        """Return the `k` passages whose best window is nearest to the query by cosine, best first.

        Ties stand in the order of the passages. A passage without content scores 0 and stands last. A blank query
        finds nothing and is not embedded; a query without content for the embedder finds nothing either.

        Raises:
            ConfigError: `k` is below 1.
        """
        near = await self.vectors.nearest(query, k=k)
        return ranked([self.passages[place] for place, _ in near], [score for _, score in near], source=Dense.name)


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
        vectors = await TextVectors.over([passage.text for passage in passages], kit.embedder)
        without = vectors.contentless
        if without.any():
            names = [passage.id for passage, lacks in zip(passages, without, strict=True) if lacks]
            _log.warning(
                "%d of %d passages have no content for %s and come last in every search, such as %s",
                len(names),
                len(passages),
                kit.embedder.id,
                ", ".join(names[:5]),
            )
        return DenseIndex(passages=tuple(passage.id for passage in passages), vectors=vectors)

    def save(self, index: Index, folder: Path) -> None:
        """Write the vectors."""
        if not isinstance(index, DenseIndex):
            msg = f"{self!r} saves dense indexes, not {type(index).__name__}"
            raise TypeError(msg)
        index.vectors.save(folder)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> DenseIndex:
        """Open the vectors."""
        vectors = TextVectors.load(folder, kit.embedder)
        return DenseIndex(passages=tuple(passage.id for passage in passages), vectors=vectors)
