"""Words and the pieces of text that hold them: the half of KET-RAG's index that asks no model."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, cast

import numpy as np

from astrolabe.core.protocols import Cut, Embedder, Kit, Vectors
from astrolabe.core.records import Passage
from astrolabe.parts.cooccurrence import Places, Worded, content_words, worded
from astrolabe.parts.rank import best
from astrolabe.parts.sentences import sentence_spans
from astrolabe.parts.vectors import Near, TextVectors
from astrolabe.store.files import write_whole

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_SENTENCES: Final = 4_096
"""How many sentences are embedded at a time: their vectors are added up, not kept."""


class Walked(NamedTuple):
    """Words in the order in which they were walked, and the pieces that came of it (by their places), best first."""

    words: tuple[Near, ...]
    pieces: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class KeywordIndex:
    """Pieces of text, words, and which piece holds which word.

    Attributes:
        pieces: The pieces, by document and place.
        vectors: Theirs.
        words: In the order of their first occurrence.
        word_vectors: For each word the mean of the vectors of the sentences that hold it, at L2 norm 1.
        held: Which piece has which word: 0 or 1, shape (pieces, words).
        postings: The same the other way round, shape (words, pieces).
    """

    pieces: tuple[Passage, ...]
    vectors: TextVectors
    words: tuple[str, ...]
    word_vectors: Vectors
    held: "csr_array"
    postings: "csr_array"

    def walk(self, asked: Vectors, *, words: int, tokens: int, oversample: int) -> Walked:
        """Return the pieces of the words nearest to a question, as many as the budget takes.

        Words are walked from the nearest on, each word's pieces likewise, until `oversample` times the budget is
        gathered; the gathered pieces nearest to the question fill it. A piece counts once. The first word walked and
        the first piece of either list are always taken.

        Args:
            asked: The question's vector.
            words: How many words are walked at most; there may be fewer.
            tokens: The budget; nothing is walked where it is 0.
            oversample: At least 1.
        """
        if not tokens:
            return Walked((), ())
        similar = np.vecdot(self.word_vectors, asked) if self.words else np.zeros(0, dtype=np.float32)
        near = np.round(self.vectors.similar(asked), 6)
        starts, columns = cast("Places", self.postings.indptr), cast("Places", self.postings.indices)
        walked: list[Near] = []
        gathered: dict[int, None] = {}
        spent = 0
        for word in best(similar, words):
            walked.append(Near(word, float(similar[word])))
            own = columns[starts[word] : starts[word + 1]]
            ordered: list[int] = own[np.argsort(-near[own], kind="stable")].tolist()
            for place in (one for one in ordered if one not in gathered):
                spent += self.pieces[place].tokens
                if gathered and spent > oversample * tokens:
                    return Walked(tuple(walked), self._filled(gathered, near, tokens))
                gathered[place] = None
        return Walked(tuple(walked), self._filled(gathered, near, tokens))

    def has(self, piece: int, word: int) -> bool:
        """Tell whether a piece holds a word, both by their places."""
        starts, columns = cast("Places", self.postings.indptr), cast("Places", self.postings.indices)
        return bool((columns[starts[word] : starts[word + 1]] == piece).any())

    def _filled(self, gathered: dict[int, None], near: Vectors, tokens: int) -> tuple[int, ...]:
        """Return the nearest of the pieces that were gathered, up to the first that does not fit."""
        kept: list[int] = []
        spent = 0
        for place in sorted(gathered, key=lambda place: (-near[place], place)):
            spent += self.pieces[place].tokens
            if kept and spent > tokens:
                break
            kept.append(place)
        return tuple(kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordGraph:
    """The words of a scope's pieces, with vectors, and the pieces with theirs.

    Attributes:
        piece: Tokens a piece; pieces do not overlap.
    """

    name: ClassVar[str] = "keyword_graph"
    prompts: ClassVar[tuple[str, ...]] = ()

    piece: int = 150

    def __post_init__(self) -> None:
        """Refuse a cut that cannot be made."""
        _ = self.cut

    @property
    def cut(self) -> Cut:
        """The pieces."""
        return Cut(size=self.piece)

    async def build(self, passages: Sequence[Passage], kit: Kit) -> KeywordIndex:
        """Embed pieces and sentences."""
        texts = [passage.text for passage in passages]
        vectors = await TextVectors.over(texts, kit.embedder)
        known = await asyncio.to_thread(worded, texts)
        word_vectors = await _word_vectors(texts, known.words, kit.embedder, dimensions=vectors.rows.shape[1])
        return _index(passages, vectors, known, word_vectors)

    def save(self, index: KeywordIndex, folder: Path) -> None:
        """Write `words.json`, `held.npz` and the vectors."""
        write_whole(folder / "words.json", json.dumps(index.words, ensure_ascii=False))
        starts, columns = cast("Places", index.held.indptr), cast("Places", index.held.indices)
        np.savez(folder / "held.npz", allow_pickle=False, starts=starts, words=columns)
        np.save(folder / "words.npy", index.word_vectors, allow_pickle=False)
        index.vectors.save(folder, "pieces")

    def load(self, folder: Path, passages: Sequence[Passage], kit: Kit) -> KeywordIndex:
        """Open what `save` wrote."""
        from scipy.sparse import csr_array

        words: list[str] = json.loads((folder / "words.json").read_bytes())
        with np.load(folder / "held.npz", allow_pickle=False) as arrays:
            starts, columns = arrays["starts"], arrays["words"]
        ones = np.ones(len(columns), dtype=np.int32)
        held = csr_array((ones, columns, starts), shape=(len(passages), len(words)))
        word_vectors: Vectors = np.load(folder / "words.npy", mmap_mode="r", allow_pickle=False)
        vectors = TextVectors.load(folder, kit.embedder, "pieces")
        return _index(passages, vectors, Worded(tuple(words), held), word_vectors)


def _index(passages: Sequence[Passage], vectors: TextVectors, known: Worded, word_vectors: Vectors) -> KeywordIndex:
    return KeywordIndex(
        pieces=tuple(passages),
        vectors=vectors,
        words=known.words,
        word_vectors=word_vectors,
        held=known.held,
        postings=cast("csr_array", known.held.T.tocsr()),
    )


async def _word_vectors(texts: Sequence[str], words: Sequence[str], embedder: Embedder, *, dimensions: int) -> Vectors:
    """Return the words' vectors, shape (words, dimensions); zeros where no sentence with a word has content."""
    places = {word: place for place, word in enumerate(words)}
    sentences = [text[start:end] for text in texts for start, end in sentence_spans(text)]
    sums: Vectors = np.zeros((len(words), dimensions), dtype=np.float32)
    for first in range(0, len(sentences), _SENTENCES):
        block = sentences[first : first + _SENTENCES]
        vectors = (await TextVectors.over(block, embedder)).pooled
        await asyncio.to_thread(_add, sums, block, vectors, places)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.divide(sums, norms, out=sums, where=norms > 0)


def _add(sums: Vectors, sentences: Sequence[str], vectors: Vectors, places: dict[str, int]) -> None:
    """Add each sentence's vector to those of its words, once a word; at norm 1 the mean is the sum."""
    from scipy.sparse import csr_array

    held = [sorted({places[word] for word in content_words(sentence) if word in places}) for sentence in sentences]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in held], dtype=np.int64)])
    columns = np.fromiter((place for row in held for place in row), dtype=np.int64, count=int(starts[-1]))
    some, local = np.unique(columns, return_inverse=True)
    rows = csr_array((np.ones(len(columns), dtype=np.float32), local, starts), shape=(len(held), len(some)))
    sums[some] += cast("Vectors", rows.T @ vectors)
