"""Every two methods side by side."""

from typing import Final

from astrolabe.core.records import Comparison
from astrolabe.report.material import Material
from astrolabe.report.table import Cell, Column, Table
from astrolabe.report.titles import scope_title

DIFFERENT: Final = (
    "Not all methods were asked the same questions: each pair is compared on those scored for both alone."
)
"""Said below pairs where the means in other tables are over different questions."""


def pairs(material: Material) -> Table:
    """Return every pair of methods of the main metric in the widest scope, the one with the better mean first."""
    scope = material.widest_scope(material.metric)
    order = {method: rank for rank, method in enumerate(material.methods(material.metric))}
    chosen = [
        one if order[one.first] < order[one.second] else flipped(one)
        for one in material.comparisons
        if (one.metric, one.scope) == (material.metric, scope) and {one.first, one.second} <= order.keys()
    ]
    chosen.sort(key=lambda one: (order[one.first], order[one.second]))
    titles = ("First", "Second", "Difference", "Low", "High", "Questions", "p", "p corrected", "First is", "Needed")
    percent = 100.0 if material.percent(material.metric) else 1.0
    asked = [*material.asked(material.metric).values()]
    return Table(
        name="pairs",
        caption=f"Pairs of methods, {material.metric}, scope {scope_title(scope)}: difference of the means",
        columns=tuple(Column(title=title) for title in titles),
        rows=tuple(_pair(material, one, percent) for one in chosen),
        notes=(
            *((DIFFERENT,) if any(one != asked[0] for one in asked) else ()),
            f"Paired sign-flip test on the questions scored for both; p corrected: {material.correction}, these pairs.",
            "Low and high: the bootstrap interval; where all differences are equal, what so few equal ones allow for.",
            "Needed: the number of questions at which such a difference would be found in 80 % of studies.",
        ),
    )


def flipped(one: Comparison) -> Comparison:
    """Return the same comparison seen from the other method."""
    swapped = {"better": "worse", "worse": "better"}

    def negated(value: float | None) -> float | None:
        return None if value is None else 0.0 - value

    return one.model_copy(
        update={
            "first": one.second,
            "second": one.first,
            "difference": negated(one.difference),
            "low": negated(one.high),
            "high": negated(one.low),
            "verdict": swapped.get(one.verdict, one.verdict),
        }
    )


def _pair(material: Material, one: Comparison, percent: float) -> tuple[Cell, ...]:
    def number(value: float | None, *, scale: float = 1.0, digits: int = 1) -> Cell:
        return Cell(text="none", number=value, scale=scale, digits=digits)

    either = [(one.first, one.second), (one.second, one.first)]
    needed = next((found for pair in either if (found := material.needed.get((one.metric, one.scope, *pair)))), None)
    return (
        Cell(text=one.first, header=True),
        Cell(text=one.second),
        *(number(value, scale=percent) for value in (one.difference, one.low, one.high)),
        number(one.n, digits=0),
        number(one.p, digits=4),
        number(one.p_adjusted, digits=4),
        Cell(text=one.verdict),
        Cell(text="", number=needed, digits=0),
    )
