"""Windows, batches, the record: what stands between a text and the model."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.errors import ModelError, NotRecorded
from astrolabe.core.protocols import Side, Vectors
from astrolabe.core.tokens import count_tokens
from astrolabe.embed.batched import Batched
from astrolabe.embed.recorded import RecordedEmbedder
from astrolabe.embed.whole import Whole
from astrolabe.embed.windows import windowing, windows
from astrolabe.store.calls import CallRecord


@dataclass
class Letters:
    """An embedder whose row is the counts of a, b and c; it remembers its batches and can be made to fail."""

    id: str = "letters"
    window_tokens: int = 8
    batches: list[list[str]] = field(default_factory=list[list[str]])
    fails_on: str | None = None
    waits: asyncio.Event | None = None
    began: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:  # noqa: ARG002
        self.batches.append(list(texts))
        self.began.release()
        if self.waits:
            await self.waits.wait()
        if self.fails_on in texts:
            raise ModelError("failed", "no vector for this")
        assert all(count_tokens(text) <= self.window_tokens for text in texts)
        rows: Vectors = np.array([[text.count(c) for c in "abc"] for text in texts], dtype=np.float32).reshape(-1, 3)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)

    @property
    def asked(self) -> list[str]:
        return [text for batch in self.batches for text in batch]


def test_a_text_that_fits_is_one_window() -> None:
    assert windows("a calm sea", 3) == ["a calm sea"]
    assert windows("", 3) == [""]


def test_windows_overlap_and_reach_the_last_word() -> None:
    text = " ".join(f"{letter}{letter}" for letter in "abcdefghijk")

    cut = windows(text, 4 * count_tokens("aa"))

    assert len(cut) > 2
    assert cut[0].startswith("aa bb")
    assert cut[-1].endswith("jj kk")
    assert all(set(left.split()) & set(right.split()) for left, right in pairwise(cut))


@given(st.lists(st.sampled_from(["sea", "flooding", "数据库", "<|endoftext|>", "é", "한국어", ".", "🚀"]), max_size=60))
def test_windows_lose_no_word_and_are_never_too_long(pieces: list[str]) -> None:
    text = " ".join(pieces)

    cut = windows(text, 20)

    for window in cut:
        assert count_tokens(window) <= 20
        assert window in text
    for piece in set(pieces):
        assert any(piece.strip("<|>") in window for window in cut)
    assert text.startswith(cut[0])
    assert text.endswith(cut[-1])


def test_a_word_longer_than_a_window_is_cut_inside() -> None:
    text = "abcdefghijklmnopqrstuvwxyz" * 2

    cut = windows(text, 6)

    assert len(cut) > 1
    assert text.startswith(cut[0])
    assert text.endswith(cut[-1])


def test_how_long_texts_are_cut_is_told_for_the_index_key() -> None:
    assert windowing(254) == "window=254,overlap=63"


async def test_a_long_text_is_the_mean_of_all_its_windows() -> None:
    inner = Letters()

    rows = await Whole(inner).embed(["a " * 20 + "b " * 20, "a"], side="passage")

    assert 0.4 < rows[0][1] < 0.9
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0)
    assert rows[1].tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("texts", [["", " \n"], ["a", "", "b"]])
async def test_a_blank_text_is_zeros_and_not_sent(texts: list[str]) -> None:
    inner = Letters()

    rows = await Whole(inner).embed(texts, side="passage")

    assert rows.shape == (len(texts), 3)
    assert [not row.any() for row in rows] == [not text.strip() for text in texts]
    assert all(text.strip() for text in inner.asked)


async def test_batches_are_small_and_each_text_is_asked_for_once() -> None:
    inner = Letters()
    texts = [letter * (number % 7) for number in range(200) for letter in "abc"]

    rows = await Batched(inner).embed(texts, side="passage")

    assert sorted(inner.asked) == sorted(set(texts))
    assert np.array_equal(rows, await inner.embed(texts, side="passage"))


async def test_no_batch_is_longer_than_thirty_two() -> None:
    inner = Letters()

    await Batched(inner).embed([f"a{number}" for number in range(100)], side="passage")

    assert [len(batch) for batch in inner.batches] == [32, 32, 32, 4]


async def test_no_texts_are_no_rows() -> None:
    assert (await Batched(Whole(Letters())).embed([], side="query")).shape == (0, 3)


async def test_an_error_comes_out_as_itself() -> None:
    with pytest.raises(ModelError, match="no vector for this"):
        await Batched(Letters(fails_on="a7")).embed([f"a{number}" for number in range(100)], side="passage")


async def test_a_text_is_embedded_once_ever(tmp_path: Path) -> None:
    first, second = Letters(), Letters()
    with CallRecord(tmp_path / "calls.sqlite") as record:
        before = await RecordedEmbedder(first, record).embed(["a", "ab", "a"], side="passage")

    with CallRecord(tmp_path / "calls.sqlite") as record:
        after = await RecordedEmbedder(second, record).embed(["ab", "a"], side="passage")

    assert first.asked == ["a", "ab"]
    assert second.asked == []
    assert np.array_equal(after, before[[1, 0]])


async def test_another_side_and_another_embedder_have_vectors_of_their_own(tmp_path: Path) -> None:
    inner, other = Letters(), Letters(id="others")
    with CallRecord(tmp_path / "calls.sqlite") as record:
        await RecordedEmbedder(inner, record).embed(["a"], side="passage")
        await RecordedEmbedder(inner, record).embed(["a"], side="query")
        await RecordedEmbedder(other, record).embed(["a"], side="passage")

    assert inner.asked == ["a", "a"]
    assert other.asked == ["a"]


async def test_a_text_wanted_twice_at_the_same_time_is_embedded_once() -> None:
    inner = Letters(waits=asyncio.Event())
    with CallRecord(None) as record:
        embedder = RecordedEmbedder(inner, record)
        first = asyncio.create_task(embedder.embed(["a", "b"], side="query"))
        second = asyncio.create_task(embedder.embed(["b", "c"], side="query"))
        for _ in range(2):
            await inner.began.acquire()
        assert inner.waits
        inner.waits.set()
        rows = np.concatenate([await first, await second])

    assert sorted(inner.asked) == ["a", "b", "c"]
    assert rows.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


async def test_who_waits_for_a_vector_of_somebody_who_gave_up_computes_it() -> None:
    inner = Letters(waits=asyncio.Event())
    with CallRecord(None) as record:
        embedder = RecordedEmbedder(inner, record)
        gives_up = asyncio.create_task(embedder.embed(["a"], side="query"))
        await inner.began.acquire()
        waits = asyncio.create_task(embedder.embed(["a"], side="query"))
        await asyncio.sleep(0.02)
        gives_up.cancel()
        inner.waits = None
        rows = await waits

    assert rows.tolist() == [[1.0, 0.0, 0.0]]
    assert inner.asked == ["a", "a"]


async def test_who_stops_waiting_for_a_vector_leaves_the_one_who_computes_it_alone() -> None:
    inner = Letters(waits=asyncio.Event())
    with CallRecord(None) as record:
        embedder = RecordedEmbedder(inner, record)
        computes = asyncio.create_task(embedder.embed(["a"], side="query"))
        await inner.began.acquire()
        stops = asyncio.create_task(embedder.embed(["a"], side="query"))
        await asyncio.sleep(0.02)
        stops.cancel()
        await asyncio.wait([stops])
        assert inner.waits
        inner.waits.set()
        rows = await computes

    assert stops.cancelled()
    assert rows.tolist() == [[1.0, 0.0, 0.0]]
    assert inner.asked == ["a"]


async def test_a_text_that_another_process_embeds_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    inner = Letters(waits=asyncio.Event())
    with CallRecord(path) as here, CallRecord(path) as there:
        first = asyncio.create_task(RecordedEmbedder(inner, there).embed(["a", "b"], side="query"))
        await inner.began.acquire()
        second = asyncio.create_task(RecordedEmbedder(inner, here).embed(["b", "c"], side="query"))
        await inner.began.acquire()
        assert inner.waits
        inner.waits.set()
        rows = np.concatenate([await first, await second])

    assert sorted(inner.asked) == ["a", "b", "c"]
    assert rows.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


async def test_a_text_that_another_process_gave_up_is_embedded_here(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    inner = Letters(waits=asyncio.Event())
    with CallRecord(path) as here, CallRecord(path) as there:
        gives_up = asyncio.create_task(RecordedEmbedder(inner, there).embed(["a"], side="query"))
        await inner.began.acquire()
        waits = asyncio.create_task(RecordedEmbedder(inner, here).embed(["a"], side="query"))
        await asyncio.sleep(0.02)
        gives_up.cancel()
        inner.waits = None
        rows = await waits

    assert rows.tolist() == [[1.0, 0.0, 0.0]]
    assert inner.asked == ["a", "a"]


async def test_a_replay_takes_recorded_vectors_and_names_the_step_that_lacks_one() -> None:
    inner = Letters()
    with CallRecord(None) as record:
        before = await RecordedEmbedder(inner, record).embed(["a"], side="passage")
        replaying = RecordedEmbedder(inner, record, replay=True)
        after = await replaying.embed(["a"], side="passage")
        with pytest.raises(NotRecorded, match=r"replay: the step 'embed\.query' needs the vector of 'a' "):
            await replaying.embed(["a"], side="query")

    assert np.array_equal(before, after)
    assert inner.asked == ["a"]


async def test_what_was_finished_before_an_error_is_kept(tmp_path: Path) -> None:
    texts = [f"a{number}" for number in range(300)]
    inner = Letters(fails_on="a9")
    with CallRecord(tmp_path / "calls.sqlite") as record:
        with pytest.raises(ModelError):
            await Batched(RecordedEmbedder(inner, record)).embed(texts, side="passage")
        inner.fails_on = None
        inner.batches.clear()
        await Batched(RecordedEmbedder(inner, record)).embed(texts, side="passage")

    assert "a9" in inner.asked
    assert len(inner.asked) < 300


async def test_the_record_is_written_on_after_somebody_stopped_waiting() -> None:
    with CallRecord(None) as record:
        for number in range(20):
            task = asyncio.create_task(RecordedEmbedder(Letters(), record).embed([f"a{number}"], side="query"))
            for _ in range(number % 5 + 1):
                await asyncio.sleep(0)
            task.cancel()
        rows = await asyncio.wait_for(RecordedEmbedder(Letters(), record).embed(["b"], side="query"), 10)

    assert rows.tolist() == [[0.0, 1.0, 0.0]]


async def test_a_put_that_nobody_waits_for_any_more_does_not_stop_the_next(tmp_path: Path) -> None:
    with CallRecord(tmp_path / "calls.sqlite") as record:
        record.put_vectors({b"one": b"1"}).cancel()
        await asyncio.wait_for(asyncio.wrap_future(record.put_vectors({b"two": b"2"})), 10)

        assert record.get_vectors([b"one", b"two"]) == {b"one": b"1", b"two": b"2"}
