"""Search by words: BM25 with the scope's own statistics."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Cut, Index, Kit
from astrolabe.core.records import Hit, Passage
from astrolabe.core.words import stems
from astrolabe.parts.rank import best, check_k, ranked

if TYPE_CHECKING:
    import bm25s

_PARAMETERS: Final = "params.index.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class BM25Index:
    """The word statistics of a scope's passages.

    Attributes:
        passages: Passage ids, by document and place.
        scorer: Knows the words; null where no passage has any.
    """

    passages: tuple[str, ...]
    scorer: "bm25s.BM25 | None"

    async def search(self, query: str, *, k: int) -> Sequence[Hit]:
        """Return the `k` passages with the highest scores, best first, only such as share a word with the query.

        A word that stands twice in the query counts twice. Ties stand in the order of the passages. A query of blanks,
        stop words or unknown words finds nothing.

        Raises:
            ConfigError: `k` is below 1.
        """
        check_k(k)
        return await asyncio.to_thread(self._best, query, k)

    def _best(self, query: str, k: int) -> list[Hit]:
        if self.scorer is None:
            return []
        known: list[int] = self.scorer.get_tokens_ids(stems(query))
        if not known:
            return []
        scores = self.scorer.get_scores_from_ids(known)
        order = [place for place in best(scores, k) if scores[place] > 0.0]
        return ranked([self.passages[place] for place in order], scores[order].tolist(), source=BM25.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class BM25:
    """The passages that share the rarest words with the query (Robertson and Zaragoza 2009, as Lucene computes it).

    Words are `astrolabe.core.words.stems`: stemmed by English rules, whatever the language of the text; both sides are
    cut alike, and other scripts than Latin are left as they are.

    Attributes:
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
        k1: How much a word's repetition counts; 0 or more, 0 for not at all.
        b: How much longer passages are held back; in [0, 1].
    """

    name: ClassVar[str] = "bm25"
    prompts: ClassVar[tuple[str, ...]] = ()

    size: int = 512
    overlap: int = 0
    k1: float = 1.5
    b: float = 0.75

    def __post_init__(self) -> None:
        """Refuse what cannot be computed."""
        _ = self.cut
        if not (self.k1 >= 0.0 and 0.0 <= self.b <= 1.0):
            msg = f"bm25 needs k1 >= 0 and 0 <= b <= 1, got k1={self.k1!r}, b={self.b!r}; choose k1=1.5, b=0.75"
            raise ConfigError(msg)

    @property
    def cut(self) -> Cut:
        """The passages that are searched."""
        return Cut(size=self.size, overlap=self.overlap)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> BM25Index:  # noqa: ARG002 - words need no model
        """Count the words of every passage."""
        scorer = await asyncio.to_thread(self._count, [passage.text for passage in passages])
        return BM25Index(passages=tuple(passage.id for passage in passages), scorer=scorer)

    def _count(self, texts: Sequence[str]) -> "bm25s.BM25 | None":
        import bm25s

        numbers: dict[str, int] = {}
        counted = [[numbers.setdefault(stem, len(numbers)) for stem in stems(text)] for text in texts]
        if not numbers:  # bm25s cannot index this
            return None
        scorer = bm25s.BM25(k1=self.k1, b=self.b, method="lucene")
        scorer.index((counted, numbers), create_empty_token=False, show_progress=False)
        return scorer

    def save(self, index: Index, folder: Path) -> None:
        """Write the arrays and the vocabulary; nothing where no passage has a word."""
        if not isinstance(index, BM25Index):
            msg = f"{self!r} saves BM25 indexes, not {type(index).__name__}"
            raise TypeError(msg)
        if index.scorer is not None:
            index.scorer.save(folder, params_name=_PARAMETERS, show_progress=False)

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> BM25Index:  # noqa: ARG002 - likewise
        """Map the arrays into memory; they are read when they are searched."""
        import bm25s

        written = (folder / _PARAMETERS).exists()
        scorer = bm25s.BM25.load(folder, params_name=_PARAMETERS, mmap=True, show_progress=False) if written else None
        return BM25Index(passages=tuple(passage.id for passage in passages), scorer=scorer)
