"""How central pieces are, and what that makes of passages."""

from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.protocols import Vectors
from astrolabe.core.records import Passage
from astrolabe.parts.cooccurrence import worded
from astrolabe.parts.pagerank import Numbers
from astrolabe.parts.piece_ranks import mean_ranks, overlapping, piece_ranks, tied


def stretch(document: str, start: int, end: int) -> Passage:
    text = "x" * (end - start)
    return Passage(id=f"{document}-{start}", document_id=document, text=text, start=start, end=end, tokens=1)


def ranks_of(texts: list[str], vectors: Vectors) -> Numbers:
    known = worded(texts)
    arrays = {
        "vectors": vectors,
        "starts": np.asarray(known.held.indptr),  # pyright: ignore[reportUnknownArgumentType] - of the library
        "words": np.asarray(known.held.indices),  # pyright: ignore[reportUnknownArgumentType] - of the library
        "width": np.array(len(known.words)),
        "damping": np.array(0.85),
    }
    return cast("Numbers", piece_ranks(arrays)["ranks"])


def test_a_piece_to_which_many_are_tied_is_the_most_central() -> None:
    texts = ["moon tide salt net", "moon a1", "tide b1", "salt c1", "net d1"]

    ranks = ranks_of(texts, np.zeros((5, 2), dtype=np.float32))

    # A star of five: hub h, leaves l, h = .03 + .85 * 4 l, l = .03 + .85 * h / 4, worked by hand.
    hub = (0.03 + 0.85 * 4 * 0.03) / (1 - 0.85**2)
    assert ranks == pytest.approx([hub, *[0.03 + 0.85 * hub / 4] * 4], abs=1e-8)
    assert ranks.sum() == pytest.approx(1)


def test_words_and_cosines_tie_pieces_once_each_in_both_directions() -> None:
    graph = tied(np.array([1, 0, -1]), np.array([1, 2, 1]))

    assert cast("list[list[float]]", graph.toarray().tolist()) == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_a_lone_piece_and_no_piece_have_ranks() -> None:
    assert ranks_of(["moon"], np.ones((1, 1), dtype=np.float32)).tolist() == [1.0]
    assert ranks_of([], np.zeros((0, 1), dtype=np.float32)).tolist() == []


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_a_passage_overlaps_the_pieces_that_share_characters_with_it(lengths: list[int], steps: list[int]) -> None:
    ends = np.cumsum(lengths).tolist()
    pieces = [stretch("d", end - length, end) for end, length in zip(ends, lengths, strict=True)]
    starts = [start for start in np.cumsum([0, *steps]).tolist() if start < ends[-1]]
    passages = [stretch("d", start, min(start + 6, ends[-1])) for start in starts]

    shares = overlapping(passages, [*pieces, stretch("other", 0, 5)])

    for passage, own in zip(passages, shares, strict=True):
        assert list(own) == sorted(own)
        assert sum(own.values()) == passage.end - passage.start
        for place, characters in own.items():
            inside = set(range(pieces[place].start, pieces[place].end)) & set(range(passage.start, passage.end))
            assert characters == len(inside)


def test_a_passages_rank_is_the_mean_of_its_pieces_by_what_they_share() -> None:
    shares = overlapping([stretch("d", 0, 4), stretch("none", 0, 4)], [stretch("d", 0, 3), stretch("d", 3, 9)])

    assert mean_ranks(shares, np.array([0.2, 0.6])).tolist() == pytest.approx([0.3, 0.0])
