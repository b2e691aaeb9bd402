"""One metric by several judges, side by side."""

from astrolabe.core.spelling import slug
from astrolabe.report.material import Material
from astrolabe.report.means import Means, value_of
from astrolabe.report.table import Column, Table
from astrolabe.report.titles import method_cell, unit


def judges(material: Material) -> list[Table]:
    """Return for each metric that several judges scored its means by each, on the answers that all of them scored."""
    return [_table(material, metric) for metric in dict.fromkeys(one.metric for one in material.judges)]


def _table(material: Material, metric: str) -> Table:
    own = [one for one in material.judges if one.metric == metric]
    means = [Means(one.estimates) for one in own]
    figure = value_of(material, metric)
    order = material.scope_names(metric)
    methods = [method for method in material.methods(metric) if any(means_.has(figure) for means_ in means)]
    return Table(
        name=slug(f"judges_{metric}"),
        caption=f"{metric} by judge, {unit(material, metric)}: mean [interval], scored/asked",
        columns=tuple(Column(title=title) for title in ("Method", *(one.judge for one in own))),
        rows=tuple(
            (method_cell(material, method), *(one.cell(figure, method, order) for one in means)) for method in methods
        ),
        notes=(material.agreements[metric], "Over the answers that all of these judges scored."),
        folded=True,
    )
