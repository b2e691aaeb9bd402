"""How deep and how wide traces are."""

import pytest

from astrolabe.core.records import Step
from astrolabe.parts.trace_shape import Shape, shape


def node(name: str, parent: str | None = None, mode: str = "external") -> Step:
    return Step(id=name, parent=parent, stage="node", mode=mode)


def test_no_trace_has_no_shape() -> None:
    assert shape([]) == Shape(steps=0, depth=0, breadth=0.0, widest=0)


def test_breadth_is_the_mean_of_the_children_where_there_are_any() -> None:
    trace = [node("0"), *(node(name, "0") for name in "abc"), node("d", "c"), node("e", "d")]

    assert shape(trace) == Shape(steps=6, depth=4, breadth=5 / 3, widest=3)


# D5
def test_depth_comes_from_parents_and_never_from_how_ids_are_written() -> None:
    plan = [node("Q"), node("Q1.1", "Q"), node("Q2.1", "Q1.1"), node("Q3.1", "Q2.1")]

    assert shape(plan).depth == 4


# D20
def test_what_was_planned_and_never_done_is_not_counted() -> None:
    trace = [node("0", mode="vertical"), node("1", "0"), node("2", "1", mode="")]

    assert shape(trace) == Shape(steps=2, depth=2, breadth=1.0, widest=1)


def test_steps_side_by_side_have_a_depth_of_one_and_no_breadth() -> None:
    assert shape([Step(id="s1", stage="search"), Step(id="s2", stage="write")]) == Shape(2, 1, 0.0, 2)


@pytest.mark.parametrize("parent", ["1", "nobody"])
def test_a_step_under_itself_or_nobody_stands_alone(parent: str) -> None:
    assert shape([node("1", parent)]).depth == 1
