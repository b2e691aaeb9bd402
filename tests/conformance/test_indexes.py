"""What every search over passages promises, whatever it searches by."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.errors import ConfigError
from astrolabe.core.ids import passage_id
from astrolabe.core.protocols import LLM, Cut, Embedder, Index, IndexSpec, Side, Vectors
from astrolabe.core.records import Document, Passage
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.core.tokens import count_tokens
from astrolabe.embed.hashed import HashedEmbedder
from astrolabe.parts.bm25 import BM25
from astrolabe.parts.dense import Dense
from astrolabe.parts.fuse import Fused
from tests.scoring_kit import bare_document

T = TypeVar("T")
SPECS: list[IndexSpec[Index]] = [Dense(), BM25(), Fused()]
EVERY = pytest.mark.parametrize("spec", SPECS, ids=spell)


@dataclass
class Counting:
    """An embedder that remembers what it was asked to embed."""

    inner: Embedder
    asked: list[str] = field(default_factory=list[str])

    @property
    def id(self) -> str:
        return self.inner.id

    @property
    def window_tokens(self) -> int:
        return self.inner.window_tokens

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:
        self.asked += texts
        return await self.inner.embed(texts, side=side)


@dataclass
class Given:
    """An embedder whose vectors are given."""

    vectors: dict[str, list[float]]
    id: str = "given"
    window_tokens: int = 100

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:  # noqa: ARG002
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)


@dataclass
class OneScope:
    """A kit over some passages that keeps its indexes in memory."""

    held: list[Passage]
    embedder: Embedder
    scope: str | None = None
    answer_tokens: int = 120
    context_tokens: int = 1000
    opened: dict[str, object] = field(default_factory=dict[str, object])

    @property
    def llm(self) -> LLM:
        raise ConfigError("an index needs no model")

    @property
    def documents(self) -> Sequence[str]:
        return [passage.document_id for passage in self.held]

    async def open(self, spec: IndexSpec[T]) -> T:
        key = spell(spec)
        if key not in self.opened:
            self.opened[key] = await spec.build(self.held, self)
        return cast("T", self.opened[key])

    def passages(self, cut: Cut) -> Sequence[Passage]:  # noqa: ARG002
        return self.held

    def read(self, passage: str) -> Passage:
        return next(held for held in self.held if held.id == passage)

    def has_document(self, document: str) -> bool:
        return any(held.document_id == document for held in self.held)

    def document(self, document: str) -> Document:
        return bare_document(document)


def passages_of(texts: Sequence[str]) -> list[Passage]:
    return [
        Passage(
            id=passage_id(f"d-{place}", 0, len(text)),
            document_id=f"d-{place}",
            text=text,
            start=0,
            end=len(text),
            tokens=count_tokens(text),
        )
        for place, text in enumerate(texts)
    ]


def scope(texts: Sequence[str], embedder: Embedder | None = None) -> OneScope:
    return OneScope(passages_of(texts), embedder or HashedEmbedder())


async def found(spec: IndexSpec[Index], kit: OneScope, query: str, k: int = 10) -> list[str]:
    """Search, and return the texts of the hits after a look at their ranks."""
    hits = await (await kit.open(spec)).search(query, k=k)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    return [kit.read(hit.passage_id).text for hit in hits]


@EVERY
async def test_the_passage_that_answers_comes_first(spec: IndexSpec[Index]) -> None:
    kit = scope(["Whales sing.", "The bridge opened in 1932.", "Rain fell on the bridge."])

    assert (await found(spec, kit, "When was the bridge opened?"))[0] == "The bridge opened in 1932."


@EVERY
async def test_no_passage_comes_twice_and_k_above_the_corpus_gives_all_that_match(spec: IndexSpec[Index]) -> None:
    kit = scope(["quick dog", "quick fox"])

    assert sorted(await found(spec, kit, "quick", k=10)) == ["quick dog", "quick fox"]


@EVERY
async def test_ties_stand_in_the_order_of_the_passages(spec: IndexSpec[Index]) -> None:
    kit = scope(["calm sea", *["quick fox"] * 30, "quick"])

    hits = await (await kit.open(spec)).search("fox", k=5)

    assert [hit.passage_id for hit in hits] == [passage.id for passage in kit.held[1:6]]
    assert len({hit.score for hit in hits}) == (5 if isinstance(spec, Fused) else 1)


@EVERY
async def test_both_quick_documents_come_before_the_sea(spec: IndexSpec[Index]) -> None:
    kit = scope(["quick dog", "quick fox", "calm sea"])

    assert (await found(spec, kit, "quick", k=3))[:2] == ["quick dog", "quick fox"]


@EVERY
@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
async def test_a_blank_query_finds_nothing_and_is_not_embedded(spec: IndexSpec[Index], query: str) -> None:
    embedder = Counting(HashedEmbedder())
    kit = scope(["quick dog", "calm sea"], embedder)
    await kit.open(spec)
    embedder.asked.clear()

    assert await found(spec, kit, query) == []
    assert embedder.asked == []


@EVERY
async def test_a_query_of_stop_words_finds_nothing(spec: IndexSpec[Index]) -> None:
    assert await found(spec, scope(["the quick dog", "the sea"]), "the") == []


@EVERY
@pytest.mark.parametrize("k", [0, -1])
async def test_a_k_below_one_is_refused(spec: IndexSpec[Index], k: int) -> None:
    index = await scope(["quick dog"]).open(spec)

    with pytest.raises(ConfigError, match=f"k={k}"):
        await index.search("quick", k=k)


@EVERY
async def test_an_empty_scope_finds_nothing(spec: IndexSpec[Index]) -> None:
    assert await found(spec, scope([]), "quick") == []


@EVERY
async def test_passages_without_any_word_do_not_stop_a_search(spec: IndexSpec[Index]) -> None:
    kit = scope(["the of", "...", "—"])

    assert len(await found(spec, kit, "quick")) == (0 if isinstance(spec, BM25) else 3)


@EVERY
async def test_a_scope_of_one_passage_is_searched(spec: IndexSpec[Index]) -> None:
    assert await found(spec, scope(["a b"]), "b") == ["a b"]


@EVERY
async def test_what_was_saved_finds_the_same(spec: IndexSpec[Index], tmp_path: Path) -> None:
    kit = scope(["quick dog", "quick fox", "calm sea", "the", "数据库 quick"])
    index = await spec.build(kit.held, kit)

    spec.save(index, tmp_path)
    again = spec.load(tmp_path, kit.held, kit)

    for query in ["quick fox", "sea", "数据", "unknown", ""]:
        assert await again.search(query, k=4) == await index.search(query, k=4)


@EVERY
async def test_an_index_without_words_is_saved_and_opened_too(spec: IndexSpec[Index], tmp_path: Path) -> None:
    for number, texts in enumerate([[], ["the", "..."]]):
        kit = scope(texts)
        folder = tmp_path / str(number)
        folder.mkdir()

        spec.save(await spec.build(kit.held, kit), folder)

        assert len(await spec.load(folder, kit.held, kit).search("quick", k=3)) in {0, len(texts)}


@EVERY
def test_what_is_saved_can_be_read_without_unpickling(spec: IndexSpec[Index], tmp_path: Path) -> None:
    kit = scope(["quick dog", "calm sea"])

    spec.save(asyncio.run(kit.open(spec)), tmp_path)

    assert all(path.suffix in {".npy", ".json"} for path in tmp_path.iterdir())
    assert all(np.load(path, allow_pickle=False) is not None for path in tmp_path.glob("*.npy"))


@EVERY
async def test_scripts_without_spaces_are_searched(spec: IndexSpec[Index]) -> None:
    kit = scope(["天气很好", "这个数据库很大", "한국어 문장"])

    assert (await found(spec, kit, "数据库"))[0] == "这个数据库很大"


@EVERY
def test_a_spec_is_spelled_and_parsed_back(spec: IndexSpec[Index]) -> None:
    kinds: dict[str, type[Dense | BM25 | Fused]] = {kind.name: kind for kind in (Dense, BM25, Fused)}
    other = kinds[spec.name](size=64, overlap=8)

    assert parse_spelled(spell(other), kinds, what="index") == other
    assert spell(other) == f"{spec.name}(size=64, overlap=8)"
    assert other.cut == Cut(size=64, overlap=8)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Dense(size=0),
        lambda: BM25(overlap=512),
        lambda: Fused(size=-1),
        lambda: BM25(k1=-0.1),
        lambda: BM25(b=1.5),
        lambda: BM25(k1=float("nan")),
        lambda: Fused(smoothing=-1),
    ],
)
def test_a_spec_that_cannot_be_built_is_refused_as_it_is_made(make: Callable[[], object]) -> None:
    with pytest.raises(ConfigError):
        make()


async def test_an_unknown_word_finds_nothing_by_words() -> None:
    assert await found(BM25(), scope(["quick dog", "calm sea"]), "zzzz") == []


async def test_a_word_finds_only_passages_that_have_it() -> None:
    assert await found(BM25(), scope(["quick dog", "quick fox", "calm sea"]), "foxes zzzz") == ["quick fox"]


async def test_the_statistics_are_those_of_the_scope() -> None:
    rare = await (await scope(["quick fox", "calm sea", "calm air"]).open(BM25())).search("fox", k=1)
    common = await (await scope(["quick fox", "red fox", "old fox"]).open(BM25())).search("fox", k=1)

    assert rare[0].score > common[0].score


async def test_the_zero_vector_scores_zero_comes_last_and_is_told_at_index_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    vectors = {"none": [0.0, 0.0], "same": [1.0, 0.0], "opposite": [-1.0, 0.0], "query": [1.0, 0.0]}
    kit = scope(["none", "same", "opposite"], Given(vectors))
    with caplog.at_level(logging.WARNING):
        index = await kit.open(Dense())

    hits = await index.search("query", k=10)

    assert [(kit.read(hit.passage_id).text, hit.score) for hit in hits] == [
        ("same", 1.0),
        ("opposite", -1.0),
        ("none", 0.0),
    ]
    assert "1 of 3 passages have no content" in caplog.text
    assert kit.held[0].id in caplog.text


async def test_a_fact_in_the_last_sentence_of_a_long_passage_is_found() -> None:
    filler = "The committee met again and spoke about the budget of the coming year at great length. " * 80
    kit = scope([filler + "The lighthouse keeper was named Orsolya.", filler, filler])

    hits = await (await kit.open(Dense())).search("Who was the lighthouse keeper Orsolya?", k=3)

    assert hits[0].passage_id == kit.held[0].id
    assert hits[0].score > 2 * hits[1].score


async def test_fusion_puts_what_both_searches_find_before_what_one_finds() -> None:
    vectors = {"red fox": [0.8, 0.6], "calm sea": [1.0, 0.0], "old fox": [0.0, 1.0], "fox": [1.0, 0.0]}
    kit = scope(["red fox", "calm sea", "old fox"], Given(vectors))

    assert await found(Fused(), kit, "fox") == ["red fox", "old fox", "calm sea"]


@pytest.mark.parametrize("spec", [Dense(), BM25()], ids=spell)
async def test_searches_at_the_same_time_find_what_they_find_alone(spec: IndexSpec[Index]) -> None:
    kit = scope([f"word{number} and word{number + 1}" for number in range(50)])
    index = await kit.open(spec)
    alone = [await index.search(f"word{number}", k=3) for number in range(50)]

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(index.search(f"word{number}", k=3)) for number in range(50)]

    assert [task.result() for task in tasks] == alone


@given(st.lists(st.text(alphabet="ab c.", max_size=8), max_size=6), st.text(alphabet="ab c.", max_size=5), st.data())
def test_more_results_begin_with_fewer(texts: list[str], query: str, data: st.DataObject) -> None:
    spec = data.draw(st.sampled_from(SPECS))
    kit = scope(texts)

    async def both() -> tuple[list[str], list[str]]:
        return await found(spec, kit, query, k=2), await found(spec, kit, query, k=100)

    few, many = asyncio.run(both())

    assert many[:2] == few
    assert len(many) <= len(texts)
