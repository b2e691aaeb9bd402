"""Which texts share the most words, beside all pairs counted one by one."""

from typing import cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.parts.cooccurrence import most_shared, worded

WORDS = st.sampled_from(["moon", "Moon", "tide", "salt", "SALT", "net", "the", "42"])


def brute(texts: list[str]) -> list[int]:
    """Return for each text the first other one with which it shares the most words, by comparing all pairs."""
    held = [set(text.casefold().split()) - {"the", "42"} for text in texts]
    found: list[int] = []
    for one, own in enumerate(held):
        counts = [(len(own & other), -place) for place, other in enumerate(held) if place != one]
        most, place = max(counts, default=(0, 1))
        found.append(-place if most else -1)
    return found


# K2, K7
@given(st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=12))
def test_the_product_of_blocks_is_the_count_of_all_pairs(texts: list[str]) -> None:
    assert most_shared(worded(texts).held).tolist() == brute(texts)


# K2, acceptance of methods.md 15.2: co-occurrence top-1 equals brute force on 200 pieces.
def test_on_two_hundred_pieces_over_two_blocks_it_is_the_same() -> None:
    rng = np.random.default_rng(3)
    texts = [" ".join(f"w{word}x" for word in rng.zipf(1.4, size=30) % 300) for _ in range(200)]

    assert most_shared(worded(texts).held).tolist() == brute(texts)


# K7
def test_words_are_case_folded_of_any_script_and_say_what_a_text_is_about() -> None:
    known = worded(["The Moon in 1969", "MOON; Straße", "数据库 strasse", "..."])

    assert known.words == ("moon", "strasse", "数据", "据库")
    assert cast("list[list[int]]", known.held.toarray().tolist()) == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1], [0] * 4]


def test_texts_without_words_share_none() -> None:
    assert most_shared(worded(["", "...", "moon"]).held).tolist() == [-1, -1, -1]
    assert most_shared(worded([]).held).tolist() == []


def test_a_text_that_comes_again_is_another_text() -> None:
    assert most_shared(worded(["moon tide"] * 3).held).tolist() == [1, 0, 0]
