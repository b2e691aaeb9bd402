import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astrolabe.core.protocols import Vectors
from astrolabe.parts.soft_clusters import SoftClusters
from astrolabe.parts.tree_layers import grouped


def unit_rows(number: int, *, seed: int = 0) -> Vectors:
    rows = np.random.default_rng(seed).standard_normal((number, 8), dtype=np.float32)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


async def groups_of(vectors: Vectors, tokens: list[int], limit: int = 3500) -> list[list[int]]:
    return await grouped(vectors, tokens, SoftClusters(), limit=limit)


@given(
    tokens=st.lists(st.integers(0, 1750), max_size=60),
    equal=st.sampled_from([1, 2, 60]),
    seed=st.integers(0, 3),
)
@settings(deadline=None, max_examples=40)
async def test_groups_hold_every_row_keep_the_limit_and_make_a_smaller_layer(
    tokens: list[int], equal: int, seed: int
) -> None:
    vectors = unit_rows(len(tokens), seed=seed)[np.arange(len(tokens)) // equal]

    groups = await groups_of(vectors, tokens)

    several = [group for group in groups if len(group) > 1]
    assert {row for group in groups for row in group} == set(range(len(tokens)))
    assert all(sum(tokens[row] for row in group) <= 3500 for group in several)
    assert len(groups) + len(several) <= max(len(tokens), 1)
    assert several or len(tokens) < 2
    assert groups == await groups_of(vectors, tokens)


async def test_rows_of_which_no_two_fit_together_stay_alone() -> None:
    groups = await groups_of(unit_rows(14), [3000] * 14)

    assert groups == [[row] for row in range(14)]


# 15.2
async def test_twenty_one_rows_of_a_published_passages_length_make_one_more_layer_under_the_published_limit() -> None:
    groups = await groups_of(unit_rows(21), [1200] * 21, limit=13_200)

    assert len(groups) <= 11


# D30
@pytest.mark.parametrize("number", [50, 1000])
async def test_equal_rows_end_in_groups_too(number: int) -> None:
    groups = await groups_of(np.repeat(unit_rows(1), number, axis=0), [1200] * number)

    assert {row for group in groups for row in group} == set(range(number))
    assert len(groups) <= number * 0.6
