"""Scores, evidence and cost by how many gold pages questions need."""

from astrolabe.report.material import Bucket, Material
from astrolabe.report.means import SHAPE, TAKEN, Figure, Means, evidence, value_of
from astrolabe.report.spent_tables import recorded_note
from astrolabe.report.table import Cell, Column, Table
from astrolabe.report.titles import method_cell


def by_gold_pages(material: Material) -> Table:
    """Return every method in every bucket: score, retrieval recall, pages found, shape of the tree, and cost."""
    figures = [value_of(material, metric) for metric in material.scoring_metrics]
    figures += [*evidence(material.metrics), *SHAPE, *TAKEN]
    means = [Means(bucket.estimates) for bucket in material.buckets]
    shown = [figure for figure in figures if any(one.has(figure) for one in means)]
    rows = [
        row for bucket, own in zip(material.buckets, means, strict=True) for row in _rows(material, bucket, own, shown)
    ]
    return Table(
        name="by_gold_pages",
        caption="By the number of gold pages that questions need: mean [interval], scored/asked",
        columns=tuple(
            Column(title=title) for title in ("Gold pages", "Method", "Questions", *(f.title for f in shown))
        ),
        rows=tuple(rows),
        notes=(
            "Each bucket is over its own questions; those without a gold page stand last.",
            "Scores and recall are in percent; pages: all that were found anywhere, each once; the rest is per answer.",
            *recorded_note(material),
        ),
        folded=True,
    )


def _rows(material: Material, bucket: Bucket, means: Means, shown: list[Figure]) -> list[tuple[Cell, ...]]:
    order = material.scope_names(material.metric)
    here = {one.method for one in bucket.estimates}
    methods = [*dict.fromkeys([*material.methods(material.metric), *sorted(here)])]
    return [
        (
            Cell(text=bucket.pages, header=True),
            method_cell(material, method),
            Cell(number=bucket.questions, digits=0),
            *(means.cell(figure, method, order) for figure in shown),
        )
        for method in methods
        if method in here
    ]
