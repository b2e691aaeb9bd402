"""The main table of a paper: precision, recall, F1 and retrieval recall by benchmark, model and method."""

from collections.abc import Mapping, Sequence
from typing import Final

from astrolabe.core.records import Estimate
from astrolabe.report.material import Material
from astrolabe.report.means import Figure, Means, evidence, precision_recall
from astrolabe.report.table import DASH, Cell, Column, Table
from astrolabe.report.titles import method_cell

_TITLES: Final = ("Precision", "Recall", "F1", "Retrieval recall")
NO_MODEL: Final = "none"
"""Stands where a method asks no model."""
APART: Final = "Figures of different questions stand beside each other and are not compared."


def overview(material: Material) -> Table:
    """Return P, R, F1 and retrieval recall of every method, beside those of other studies where there are some.

    There are no rows where it would say nothing new: for a metric without precision and recall, or where neither
    evidence was scored nor another study stands beside this one.
    """
    order = material.scope_names(material.metric)
    rows = _rows(material, material.title, (material.metric, material.estimates), models=material.models, order=order)
    for other in material.elsewhere:
        rows += _rows(material, other.benchmark, (other.metric, other.estimates), models=other.models, order=())
    own = evidence(material.metrics) and precision_recall(Means(material.estimates), material.metric)
    new = material.elsewhere or own
    return Table(
        name="overview",
        caption="Precision, recall, F1 and retrieval recall by benchmark and model, in percent: mean [interval], "
        "scored/asked",
        columns=tuple(Column(title=title) for title in ("Benchmark", "Model", "Method", "Metric", *_TITLES)),
        rows=tuple(rows) if new else (),
        notes=(
            "Retrieval recall: the share of the gold pages of which a passage was found anywhere, in whatever search.",
            *((APART,) if material.elsewhere else ()),
        ),
        folded=not material.elsewhere,
    )


def _rows(
    material: Material,
    benchmark: str,
    scored: tuple[str, Sequence[Estimate]],
    *,
    models: Mapping[str, str],
    order: Sequence[str | None],
) -> list[tuple[Cell, ...]]:
    metric, estimates = scored
    means = Means(estimates)
    parts = precision_recall(means, metric)
    f1 = Figure(metric, None, "F1", 100.0)
    found = [*evidence(one.metric for one in estimates)][:1]
    methods = sorted({one.method for one in estimates if one.metric == metric})
    methods.sort(key=lambda method: -_value(means.cell(f1, method, order)))
    return [
        (
            Cell(text=benchmark, header=True),
            Cell(text=models.get(method, NO_MODEL)),
            method_cell(material, method),
            Cell(text=metric),
            *([means.cell(part, method, order) for part in parts] or [Cell(text=DASH)] * 2),
            means.cell(f1, method, order),
            means.cell(found[0], method, order) if found else Cell(text=DASH),
        )
        for method in methods
    ]


def _value(cell: Cell) -> float:
    return -1.0 if cell.estimate is None or cell.estimate.value is None else cell.estimate.value
