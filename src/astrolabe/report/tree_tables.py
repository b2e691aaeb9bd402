"""How reasoning trees look: how their nodes were resolved and why, and how many calls their leaves shared."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from astrolabe.core.records import Answer, Step
from astrolabe.parts.between import Between
from astrolabe.parts.cluster_counts import MOST_EXACT, ClusterCounts, cluster_counts
from astrolabe.parts.trace_shape import NODE, executed, shape
from astrolabe.report.material import Material
from astrolabe.report.spent_tables import answers_by_method
from astrolabe.report.table import DASH, Cell, Column, Table
from astrolabe.report.titles import method_cell

_MODES: Final = ("lateral", "external", "vertical")
_LEAVES: Final = (Between(2, 5), Between(6, 10), Between(11, 20), Between(21))


def trees(material: Material) -> Table:
    """Return by method how many nodes a tree has, how they were resolved, how deep and how wide it is."""
    rows = [
        (method_cell(material, method), Cell(number=len(own), digits=0), *_tree(own))
        for method, own in _trees(material).items()
    ]
    titles = ("Method", "Trees", "Nodes a tree", *(mode.capitalize() for mode in _MODES), "Depth", "Deepest", "Breadth")
    return Table(
        name="trees",
        caption="Reasoning trees: nodes by how they were resolved, in percent of the nodes, and the trees' shape",
        columns=tuple(Column(title=title) for title in titles),
        rows=tuple(rows),
        notes=(
            "Lateral: answered from answers of siblings; external: from a search; vertical: from its own parts.",
            "Depth: the levels of a tree, the root's too, by the parent links of the nodes that were done.",
            "Breadth: the mean number of parts of the nodes that were taken apart. Both are means over the trees.",
        ),
        folded=True,
    )


def reasons(material: Material) -> Table:
    """Return by method how many nodes were resolved as they were for which reason."""
    counted = {
        method: Counter(step.reason for answer in own for step in _nodes(answer) if step.reason)
        for method, own in _trees(material).items()
    }
    order = sorted({reason for counts in counted.values() for reason in counts})
    rows = [
        (method_cell(material, method), *(Cell(number=counts[reason], digits=0) for reason in order))
        for method, counts in counted.items()
        if counts
    ]
    return Table(
        name="reasons",
        caption="Nodes of reasoning trees by why they were resolved as they were",
        columns=tuple(Column(title=title) for title in ("Method", *order)),
        rows=tuple(rows),
        notes=(
            "A cap, a budget or an unreadable plan (parse_fallback) made a search of what might have been taken apart.",
        ),
        folded=True,
    )


def shared_calls(material: Material) -> Table:
    """Return by method and number of neighbouring leaves in how many groups they were answered, and could have been."""
    sizes = {name: passage.tokens for name, passage in material.passages.items()}
    rows: list[tuple[Cell, ...]] = []
    for method, own in _trees(material).items():
        counts = [one for answer in own for one in cluster_counts(answer.trace, sizes)]
        rows += [
            (method_cell(material, method), Cell(text=leaves.title), *_groups(chosen))
            for leaves in _LEAVES
            if (chosen := [one for one in counts if leaves.holds(one.children)])
        ]
    every, few = "Groups", f"Groups, at most {MOST_EXACT} leaves"
    return Table(
        name="shared_calls",
        caption="Groups in which neighbouring leaves of a tree were answered, a call each, by the number of leaves",
        columns=(
            *(Column(title=title) for title in ("Method", "Leaves", "Times")),
            *(Column(title=title, group=every) for title in ("greedy", "relaxed", "difference")),
            *(Column(title=title, group=few) for title in ("times", "greedy", "fewest")),
        ),
        rows=tuple(rows),
        notes=(
            "Greedy: as they were answered; relaxed: the same order without a limit of tokens and questions.",
            "Fewest: the fewest groups within the limits, found by trying all. All are means over the times.",
        ),
        folded=True,
    )


def _trees(material: Material) -> dict[str, list[Answer]]:
    """Return the answers that came of a tree, by method."""
    books = answers_by_method(material)
    found = {method: [answer for answer in own if _nodes(answer)] for method, own in books.items()}
    return {method: own for method, own in found.items() if own}


def _nodes(answer: Answer) -> list[Step]:
    return [step for step in executed(answer.trace) if step.stage == NODE]


def _tree(answers: Sequence[Answer]) -> list[Cell]:
    nodes = [step for answer in answers for step in _nodes(answer)]
    modes = Counter(step.mode for step in nodes)
    shapes = [shape(answer.trace) for answer in answers]
    split = [one.breadth for one in shapes if one.breadth]
    return [
        Cell(number=len(nodes) / len(answers)),
        *(Cell(number=modes[mode] / len(nodes), scale=100.0) for mode in _MODES),
        Cell(number=_mean([one.depth for one in shapes]), digits=2),
        Cell(number=max(one.depth for one in shapes), digits=0),
        Cell(number=_mean(split), digits=2) if split else Cell(text=DASH),
    ]


def _groups(counts: Sequence[ClusterCounts]) -> list[Cell]:
    greedy, relaxed = _mean([one.greedy for one in counts]), _mean([one.relaxed for one in counts])
    known = [(one.greedy, one.exact) for one in counts if one.exact is not None]
    means = [_mean([pair[0] for pair in known]), _mean([pair[1] for pair in known])] if known else []
    return [
        Cell(number=len(counts), digits=0),
        *(Cell(number=value, digits=2) for value in (greedy, relaxed, greedy - relaxed)),
        Cell(number=len(known), digits=0),
        *([Cell(number=value, digits=2) for value in means] or [Cell(text=DASH)] * 2),
    ]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
