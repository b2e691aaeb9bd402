"""The shape of a trace: how deep and how wide the tree of its steps is, by their parents."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from astrolabe.core.records import Step

NODE = "node"
"""The stage of a step that is a node of a reasoning tree."""


class Shape(NamedTuple):
    """How a trace looks.

    Attributes:
        steps: How many steps were done.
        depth: The longest chain of parents, counted in steps: 1 for steps without parents, 0 without steps.
        breadth: The mean number of steps below one that has any; 0 where none has.
        widest: The most steps of one depth.
    """

    steps: int
    depth: int
    breadth: float
    widest: int


def executed(trace: Sequence[Step]) -> list[Step]:
    """Return the steps that were done: a node that was planned, and never resolved in any mode, is none."""
    return [step for step in trace if step.stage != NODE or step.mode]


def shape(trace: Sequence[Step]) -> Shape:
    """Return the shape of the steps that were done.

    It is read from the parents, never from how an id is written. A step under an unknown parent, or under itself,
    counts as one without a parent.
    """
    steps = executed(trace)
    parents = {step.id: step.parent for step in steps}
    depths = {name: _depth(name, parents) for name in parents}
    children = Counter(parent for parent in parents.values() if parent in parents)
    levels = Counter(depths.values())
    return Shape(
        steps=len(steps),
        depth=max(levels, default=0),
        breadth=children.total() / len(children) if children else 0.0,
        widest=max(levels.values(), default=0),
    )


def _depth(name: str, parents: dict[str, str | None]) -> int:
    """Return how many steps the chain from a step up to one without a parent has."""
    above = {name}
    parent = parents[name]
    while parent in parents and parent not in above:
        above.add(parent)
        parent = parents[parent]
    return len(above)
