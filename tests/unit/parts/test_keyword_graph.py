"""Words that lead to pieces: their vectors, their postings, and the walk."""

from pathlib import Path

import numpy as np
import pytest

from astrolabe.core.protocols import Vectors
from astrolabe.embed.hashed import HashedEmbedder
from astrolabe.parts.keyword_graph import KeywordGraph, KeywordIndex
from tests.six_passages import TracedKit, passage

HELD = [
    passage("p1", "The Moon pulls water. Nets rot."),
    passage("p2", "A moon is seen."),
    passage("p3", "Salt dries in the sun."),
]


async def built(held: list[str] | None = None) -> KeywordIndex:
    texts = [passage(f"p{number}", text) for number, text in enumerate(held or [], 1)] if held else HELD
    return await TracedKit(held=texts).built(KeywordGraph())


async def row(text: str) -> Vectors:
    vectors: Vectors = (await HashedEmbedder().embed([text], side="query"))[0]
    return vectors


def held_by(index: KeywordIndex, word: str) -> list[str]:
    place = index.words.index(word)
    return [piece.id for number, piece in enumerate(index.pieces) if index.has(number, place)]


# K4, K7
async def test_a_word_has_one_list_of_pieces_however_it_is_written() -> None:
    index = await built()

    assert index.words == ("moon", "pulls", "water", "nets", "rot", "seen", "salt", "dries", "sun")
    assert (held_by(index, "moon"), held_by(index, "salt")) == (["p1", "p2"], ["p3"])
    assert index.postings.shape == (9, 3)


# K7
async def test_a_words_vector_is_the_mean_of_its_sentences_at_norm_1() -> None:
    index = await built()

    for word, sentences in {"moon": ["The Moon pulls water.", "A moon is seen."], "rot": ["Nets rot."]}.items():
        mean = sum(await HashedEmbedder().embed(sentences, side="passage"))
        expected = mean / np.linalg.norm(mean)
        assert index.word_vectors[index.words.index(word)] == pytest.approx(expected, abs=1e-6)


async def test_many_sentences_are_added_up_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = await built()
    monkeypatch.setattr("astrolabe.parts.keyword_graph._SENTENCES", 1)

    blocks = await built()

    assert blocks.word_vectors == pytest.approx(whole.word_vectors, abs=1e-6)


async def test_the_walk_goes_from_the_nearest_word_and_its_nearest_piece_on() -> None:
    index = await built()

    walked = index.walk(await row("moon water"), words=2, tokens=100, oversample=2)

    assert [index.words[near.place] for near in walked.words] == ["pulls", "water"]
    assert [index.pieces[place].id for place in walked.pieces] == ["p1"]


# K9
async def test_fewer_words_than_asked_for_are_all_walked() -> None:
    index = await built()

    walked = index.walk(await row("moon water"), words=1_000, tokens=100, oversample=2)

    assert len(walked.words) == 9
    assert [index.pieces[place].id for place in walked.pieces] == ["p1", "p2", "p3"]


async def test_what_is_gathered_is_twice_the_budget_and_what_is_kept_fits_it() -> None:
    index = await built([f"moon tide number{place} a1b." for place in range(9)])
    cost = index.pieces[0].tokens

    walked = index.walk(await row("moon"), words=1_000, tokens=2 * cost, oversample=2)
    none = index.walk(await row("moon"), words=1_000, tokens=0, oversample=2)
    first = index.walk(await row("moon"), words=1_000, tokens=1, oversample=2)

    assert walked.pieces == (0, 1)
    assert len(walked.words) == 1
    assert (none.words, none.pieces) == ((), ())
    assert first.pieces == (0,)


@pytest.mark.parametrize("text", ["...", "42 7", "the of and"])
async def test_pieces_without_a_word_of_content_are_led_to_by_none(text: str) -> None:
    index = await built([text])

    assert (index.words, index.word_vectors.shape[0]) == ((), 0)
    assert index.walk(await row("moon"), words=5, tokens=10, oversample=2).pieces == ()


async def test_no_pieces_have_no_words() -> None:
    index = await TracedKit(held=()).built(KeywordGraph())

    assert (index.pieces, index.words) == ((), ())


async def test_words_are_kept_and_opened_again(tmp_path: Path) -> None:
    kit = TracedKit(held=HELD)
    index = await kit.built(KeywordGraph())

    KeywordGraph().save(index, tmp_path)

    opened = KeywordGraph().load(tmp_path, HELD, kit)
    assert (opened.pieces, opened.words) == (index.pieces, index.words)
    assert (opened.word_vectors == index.word_vectors).all()
    assert (opened.postings.toarray() == index.postings.toarray()).all()
    asked = await row("moon")
    assert opened.walk(asked, words=9, tokens=50, oversample=2) == index.walk(asked, words=9, tokens=50, oversample=2)
