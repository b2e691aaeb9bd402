"""One method with different parameters: what each changes, in score and cost (the form of an ablation table)."""

from collections.abc import Mapping
from typing import NamedTuple

from astrolabe.core.errors import ConfigError
from astrolabe.core.records import Comparison, Estimate
from astrolabe.core.spelling import Scalar, read_spelled, slug, written
from astrolabe.report.material import Material
from astrolabe.report.means import TAKEN, Means, precision_recall, value_of
from astrolabe.report.pair_table import flipped
from astrolabe.report.spent_tables import recorded_note
from astrolabe.report.table import DASH, Cell, Column, Table
from astrolabe.report.titles import method_cell, scope_title


class _Variant(NamedTuple):
    method: str
    parameters: Mapping[str, Scalar]


def variants(material: Material) -> list[Table]:
    """Return a table for each method that stands beside itself with more parameters changed.

    The plain one is the one whose changed parameters all the others share: `apt` beside `apt(breadth=2)`, `apt(k=5)`
    beside `apt(k=5, lateral=false)`. Methods of one class that share no such one are compared as pairs only.
    """
    groups: dict[str, list[_Variant]] = {}
    for method in material.methods(material.metric):
        try:
            name, preset, parameters = read_spelled(method, what="method")
        except ConfigError:  # a system of somebody's own, under whatever name
            continue
        groups.setdefault(f"{name}@{preset}" if preset else name, []).append(_Variant(method, parameters))
    return [
        _table(material, name, plain, own) for name, own in groups.items() if len(own) > 1 and (plain := _plain(own))
    ]


def _plain(group: list[_Variant]) -> _Variant | None:
    fewest = min(group, key=lambda one: len(one.parameters))
    shared = fewest.parameters.items()
    return fewest if all(shared <= one.parameters.items() for one in group) else None


def _table(material: Material, name: str, plain: _Variant, group: list[_Variant]) -> Table:
    means = Means([*material.estimates, *material.taken])
    order = material.scope_names(material.metric)
    scope = material.widest_scope(material.metric)
    own = value_of(material, material.metric)
    figures = [*precision_recall(means, material.metric), own]
    taken = [figure for figure in TAKEN if means.has(figure)]
    rows = [
        (
            method_cell(material, one.method),
            Cell(text=_changed(one, plain)),
            *(means.cell(figure, one.method, order) for figure in figures),
            *_difference(material, one.method, plain.method, own.scale),
            *(means.cell(figure, one.method, order) for figure in taken),
        )
        for one in sorted(group, key=lambda one: one is not plain)
    ]
    difference = (f"{own.title} - plain", "p corrected")
    titles = ("Method", "Changed", *(f.title for f in figures), *difference, *(f.title for f in taken))
    return Table(
        name=slug(f"variants_{name}"),
        caption=f"Variants of {name}, {material.metric}, scope {scope_title(scope)}: mean [interval], scored/asked",
        columns=tuple(Column(title=title) for title in titles),
        rows=tuple(rows),
        notes=(
            f"Each row is {plain.method} with the named parameters changed.",
            f"Differences are over the questions scored for both, p corrected over all pairs ({material.correction}).",
            *recorded_note(material),
        ),
        folded=True,
    )


def _changed(one: _Variant, plain: _Variant) -> str:
    if one is plain:
        return "nothing"
    new = {key: value for key, value in one.parameters.items() if key not in plain.parameters}
    return ", ".join(f"{key}={written(value)}" for key, value in new.items())


def _difference(material: Material, method: str, plain: str, scale: float) -> tuple[Cell, Cell]:
    scope = material.widest_scope(material.metric)
    pair = next(
        (
            one if one.first == method else flipped(one)
            for one in material.comparisons
            if (one.metric, one.scope) == (material.metric, scope) and {one.first, one.second} == {method, plain}
        ),
        None,
    )
    if pair is None:
        return Cell(text=DASH), Cell(text=DASH)
    return Cell(estimate=_as_mean(pair), scale=scale), Cell(text=DASH, number=pair.p_adjusted, digits=4)


def _as_mean(pair: Comparison) -> Estimate:
    """Return the mean difference of a pair as a table shows means."""
    return Estimate(
        metric=pair.metric,
        method=pair.first,
        scope=pair.scope,
        value=pair.difference,
        low=pair.low,
        high=pair.high,
        n_scored=pair.n,
        n_asked=pair.n,
    )
