import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Side, Vectors
from astrolabe.embed.hashed import HashedEmbedder
from astrolabe.embed.windows import windows
from astrolabe.parts.vectors import Near, TextVectors

WORDS = ["tide", "moon", "salt", "lamp", "net", "rope", "sail", "keel", "mast", "oar", "reef", "cove"]


@dataclass
class Small(HashedEmbedder):
    """The hashed embedder with windows of eight tokens; it remembers what it embedded."""

    asked: list[tuple[Side, str]] = field(default_factory=list[tuple[Side, str]])

    @property
    def window_tokens(self) -> int:
        return 8

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:
        self.asked.extend((side, text) for text in texts)
        return await super().embed(texts, side=side)


TEXTS = st.lists(st.lists(st.sampled_from([*WORDS, "the", "..."]), max_size=30).map(" ".join), max_size=8)


@given(TEXTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), st.integers(1, 10))
def test_the_nearest_are_those_of_a_search_through_every_window(texts: list[str], query: str, k: int) -> None:
    embedder = Small()

    async def both() -> tuple[list[Near], list[tuple[float, bool]]]:
        near = await (await TextVectors.over(texts, embedder)).nearest(query, k=k)
        row = (await embedder.embed([query], side="query"))[0]
        slow: list[tuple[float, bool]] = []
        for text in texts:
            rows = await embedder.embed(windows(text, 8), side="passage")
            slow.append((round(max(float(np.dot(one, row)) for one in rows), 6), not rows.any()))
        return near, slow

    near, slow = asyncio.run(both())

    order = sorted(range(len(texts)), key=lambda place: (slow[place][1], -slow[place][0], place))[:k]
    assert [one.place for one in near] == order
    assert [one.score for one in near] == pytest.approx([slow[place][0] for place in order], abs=1e-5)


async def test_a_text_is_as_near_as_its_nearest_window() -> None:
    filler = "the rope and the sail " * 6
    vectors = await TextVectors.over([filler, filler + "lighthouse", "keel"], Small())

    near = await vectors.nearest("lighthouse", k=3)

    assert near[0].place == 1
    assert near[0].score > 0.3
    assert len(vectors) == 3
    assert len(vectors.rows) > 6


async def test_pooled_rows_are_the_mean_of_the_windows_at_length_one() -> None:
    vectors = await TextVectors.over(["moon " * 5 + "tide " * 20, "salt", "..."], Small())

    pooled = vectors.pooled

    first = vectors.rows[: vectors.starts[1]].mean(axis=0)
    assert pooled.shape == (3, vectors.rows.shape[1])
    assert pooled.dtype == np.float32
    assert np.allclose(pooled[0], first / np.linalg.norm(first), atol=1e-6)
    assert np.allclose(np.linalg.norm(pooled, axis=1), [1, 1, 0], atol=1e-6)


async def test_a_text_without_content_scores_zero_and_comes_last() -> None:
    vectors = await TextVectors.over(["...", "salt", "", "moon"], Small())

    near = await vectors.nearest("moon", k=9)

    assert vectors.contentless.tolist() == [True, False, True, False]
    assert [(one.place, round(one.score, 6)) for one in near] == [(3, 1), (1, 0), (0, 0), (2, 0)]


@pytest.mark.parametrize("query", ["", "  \n", "..."])
async def test_a_query_without_content_finds_nothing_and_a_blank_one_is_not_embedded(query: str) -> None:
    embedder = Small()
    vectors = await TextVectors.over(["moon"], embedder)
    embedder.asked.clear()

    assert await vectors.nearest(query, k=3) == []
    assert await vectors.embed(query) is None
    assert embedder.asked == ([] if not query.strip() else [("query", query)] * 2)


async def test_over_no_texts_there_is_nothing() -> None:
    embedder = Small()
    row = np.zeros(512, dtype=np.float32)

    vectors = await TextVectors.over([], embedder)

    assert len(vectors) == 0
    assert await vectors.nearest("moon", k=3) == []
    assert embedder.asked == []
    assert [len(vectors.pooled), len(vectors.contentless), len(vectors.similar(row))] == [0, 0, 0]


async def test_texts_are_embedded_as_passages_and_queries_as_queries() -> None:
    embedder = Small()

    vectors = await TextVectors.over(["moon", "salt"], embedder)
    await vectors.nearest("tide", k=1)

    assert embedder.asked == [("passage", "moon"), ("passage", "salt"), ("query", "tide")]


async def test_a_k_below_one_is_refused_also_over_nothing() -> None:
    for texts in ([], ["moon"]):
        with pytest.raises(ConfigError, match="k=0"):
            await (await TextVectors.over(texts, Small())).nearest("moon", k=0)


async def test_similar_gives_every_text_its_number() -> None:
    vectors = await TextVectors.over(["moon", "salt"], Small())
    row = await vectors.embed("moon")

    assert row is not None
    assert vectors.similar(row).tolist() == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize("texts", [[], ["..."], ["moon " * 20, "salt", "tide and net"]])
async def test_what_was_saved_finds_the_same(texts: list[str], tmp_path: Path) -> None:
    vectors = await TextVectors.over(texts, Small())

    vectors.save(tmp_path, "entities")
    again = TextVectors.load(tmp_path, Small(), "entities")

    for query in ("moon", "net", "..."):
        assert await again.nearest(query, k=5) == await vectors.nearest(query, k=5)
    assert np.array_equal(again.pooled, vectors.pooled)
