import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from astrolabe.parts.mmr import select_diverse

Vectors = npt.NDArray[np.float32]

# The query lies along the first axis. Rows 0 and 1 are nearly the same; row 2 is less near and unlike both.
ROWS = np.array([[0.9, 0.436, 0.0], [0.89, 0.456, 0.0], [0.6, 0.0, 0.8], [0.0, 1.0, 0.0]], dtype=np.float32)
QUERY = np.array([1.0, 0.0, 0.0], dtype=np.float32)


@pytest.mark.parametrize(
    ("diversity", "chosen"),
    [
        (0.0, [0, 1, 2, 3]),  # similarity alone
        (0.5, [0, 2, 1, 3]),  # row 1: 0.5*0.89 - 0.5*1.0 = -0.055; row 2: 0.5*0.6 - 0.5*0.54 = 0.03
    ],
)
def test_diversity_puts_what_is_new_before_what_is_alike(diversity: float, chosen: list[int]) -> None:
    assert select_diverse(ROWS, QUERY, count=4, diversity=diversity) == chosen


def test_of_equal_rows_the_first_is_chosen() -> None:
    assert select_diverse(ROWS[[2, 2, 2]], QUERY, count=1, diversity=0.3) == [0]


def test_rows_without_content_are_chosen_last() -> None:
    rows = np.vstack([np.zeros(3, dtype=np.float32), ROWS[0]])

    assert select_diverse(rows, QUERY, count=2, diversity=0.3) == [1, 0]


def test_no_rows_are_no_choice() -> None:
    assert select_diverse(np.zeros((0, 3), dtype=np.float32), QUERY, count=3, diversity=0.3) == []


@given(
    arrays.arrays(np.float32, st.tuples(st.integers(0, 9), st.just(3)), elements=st.floats(-1, 1, width=32)),
    st.integers(1, 12),
    st.floats(0, 1),
)
def test_every_row_is_chosen_at_most_once(rows: Vectors, count: int, diversity: float) -> None:
    chosen = select_diverse(rows, QUERY, count=count, diversity=diversity)

    assert len(chosen) == len(set(chosen)) == min(count, len(rows))
    assert set(chosen) <= set(range(len(rows)))
