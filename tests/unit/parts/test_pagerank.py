"""Personalised PageRank, beside a dense solution of the same equations and numbers worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from astrolabe.parts.pagerank import Numbers, Walk


def path(nodes: int) -> csr_array:
    """Return a path: each node is tied to the next one."""
    return csr_array(np.eye(nodes, k=1) + np.eye(nodes, k=-1))


def solved(weights: Numbers, seeds: Numbers, damping: float) -> Numbers:
    """Return the shares by solving the linear equations, without any iteration."""
    start: Numbers = seeds / seeds.sum()
    away: Numbers = weights.sum(axis=1)
    steps = np.empty_like(weights)  # from column to row
    for node, total in enumerate(away):
        steps[:, node] = weights[node] / total if total > 0 else start
    return np.linalg.solve(np.eye(len(seeds)) - damping * steps, (1 - damping) * start).astype(np.float64)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Numbers, Numbers]:
    """Return a directed weighted graph with loops and nodes that nothing leads away from, and seeds."""
    size = draw(st.integers(1, 8))
    weight = st.sampled_from([0.0, 0.0, 0.5, 1.0, 7.0])
    weights = [draw(st.lists(weight, min_size=size, max_size=size)) for _ in range(size)]
    seeds = draw(st.lists(st.sampled_from([0.0, 0.1, 1.0]), min_size=size, max_size=size).filter(any))
    return np.array(weights), np.array(seeds)


# Acceptance of methods.md 15.2: PPR sums to 1.
@given(graphs(), st.sampled_from([0.0, 0.1, 0.5, 0.85, 0.95]))
def test_the_shares_are_those_of_the_linear_equations_and_sum_to_1(
    graph: tuple[Numbers, Numbers], damping: float
) -> None:
    weights, seeds = graph

    ranked = Walk.over(csr_array(weights)).rank(seeds, damping=damping, tolerance=1e-12)

    assert ranked == pytest.approx(solved(weights, seeds, damping), abs=1e-9)
    assert ranked.sum() == pytest.approx(1.0, abs=1e-12)
    assert (ranked >= 0).all()


# The numbers of methods.md section 3, where igraph's prpack was run: 0.90, 0.09, 0.005.
def test_a_small_damping_leaves_the_time_on_the_seed() -> None:
    ranked = Walk.over(path(6)).rank(np.eye(6)[0], damping=0.1)

    assert ranked[:3] == pytest.approx([0.905, 0.09, 0.005], abs=0.0055)
    assert (np.diff(ranked) < 0).all()


def test_two_tied_nodes_share_as_worked_by_hand() -> None:
    # x = (1 - d) + d y, y = d x: x = (1 - d) / (1 - d^2) = 2 / 3 for d = 1 / 2.
    assert Walk.over(path(2)).rank(np.array([3.0, 0.0]), damping=0.5) == pytest.approx([2 / 3, 1 / 3], abs=1e-9)


def test_heavier_edges_are_followed_more_often() -> None:
    weights = csr_array(np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))

    ranked = Walk.over(weights).rank(np.eye(3)[0], damping=0.5)

    assert ranked[1] == pytest.approx(3 * ranked[2])


# D29
def test_nodes_without_edges_keep_what_the_seeds_give_them() -> None:
    assert Walk.over(csr_array((3, 3))).rank(np.array([1.0, 1.0, 0.0]), damping=0.5) == pytest.approx([0.5, 0.5, 0.0])


def test_what_is_not_tied_to_a_seed_gets_nothing() -> None:
    apart = csr_array(np.kron(np.eye(2), np.array([[0.0, 1.0], [1.0, 0.0]])))

    assert Walk.over(apart).rank(np.eye(4)[0], damping=0.5)[2:].tolist() == [0.0, 0.0]


# D29
def test_a_walk_over_nothing_is_nothing() -> None:
    assert Walk.over(csr_array((0, 0))).rank(np.zeros(0), damping=0.5).tolist() == []


@pytest.mark.parametrize(
    ("seeds", "damping"),
    [([0.0, 0.0], 0.5), ([1.0, -0.5], 0.5), ([1.0], 0.5), ([1.0, 0.0], 1.0), ([1.0, 0.0], -0.1)],
)
def test_seeds_and_dampings_that_give_no_walk_are_refused(seeds: list[float], damping: float) -> None:
    with pytest.raises(ValueError, match="a walk over 2 nodes needs"):
        Walk.over(path(2)).rank(np.array(seeds), damping=damping)
