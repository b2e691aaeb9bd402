"""Near rows, block by block, beside all pairs one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.protocols import Vectors
from astrolabe.parts import neighbours
from astrolabe.parts.neighbours import close_pairs, nearest_others


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest calls it
    monkeypatch.setattr(neighbours, "_CELLS", 60)


@st.composite
def unit_rows(draw: st.DrawFn) -> Vectors:
    """Return rows of few directions, so that many are equal or equally near; some are zeros."""
    number = st.sampled_from([-1.0, 0.0, 0.0, 0.5, 1.0])
    rows = np.array(draw(st.lists(st.tuples(number, number, number), max_size=25)), dtype=np.float32).reshape(-1, 3)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(norms > 0, norms, 1)).astype(np.float32)


def cosine(rows: Vectors, one: int, other: int) -> float:
    return round(float(np.dot(rows[one], rows[other])), 6)


# U17, acceptance of methods.md 15.2: synonym edges = all pairs with cosine >= 0.8, symmetric.
@given(unit_rows(), st.sampled_from([0.3, 0.8, 1.0]))
def test_close_pairs_are_all_pairs_at_or_above_the_floor(rows: Vectors, floor: float) -> None:
    pairs = close_pairs(rows, floor=floor, most=100)

    expected = {
        (one, other): cosine(rows, one, other)
        for one in range(len(rows))
        for other in range(one + 1, len(rows))
        if cosine(rows, one, other) >= np.float32(floor)
    }
    found = dict(zip(zip(pairs.sources.tolist(), pairs.targets.tolist(), strict=True), pairs.scores, strict=True))
    assert list(found) == sorted(expected)
    assert found == pytest.approx(expected, abs=1e-5)


@given(unit_rows(), st.integers(1, 4))
def test_each_row_names_its_nearest_and_no_more(rows: Vectors, most: int) -> None:
    pairs = close_pairs(rows, floor=0.3, most=most)

    expected: set[tuple[int, int]] = set()
    for one in range(len(rows)):
        others = [other for other in range(len(rows)) if other != one and cosine(rows, one, other) >= 0.3]
        named = sorted(others, key=lambda other: (-np.float32(cosine(rows, one, other)), other))[:most]
        expected |= {(min(one, other), max(one, other)) for other in named}
    assert set(zip(pairs.sources.tolist(), pairs.targets.tolist(), strict=True)) == expected


@given(unit_rows())
def test_the_nearest_other_is_the_first_of_the_nearest(rows: Vectors) -> None:
    nearest = nearest_others(rows).tolist()

    for one, found in enumerate(nearest):
        others = [other for other in range(len(rows)) if other != one and cosine(rows, one, other) > 0]
        assert found == (max(others, key=lambda other: cosine(rows, one, other)) if others else -1)


def test_rows_that_are_all_the_same_are_near_each_other() -> None:
    rows = np.tile(np.array([[0.6, 0.8]], dtype=np.float32), (12, 1))

    assert len(close_pairs(rows, floor=0.8, most=100).sources) == 66
    assert nearest_others(rows).tolist() == [1, *[0] * 11]


def test_no_rows_have_no_pairs() -> None:
    rows = np.zeros((0, 4), dtype=np.float32)

    assert [len(part) for part in close_pairs(rows, floor=0.8, most=100)] == [0, 0, 0]
    assert nearest_others(rows).tolist() == []
