"""What stands on top of everything that shows a report's numbers."""

from collections.abc import Iterator

from astrolabe.core.plural import plural
from astrolabe.report.material import Material
from astrolabe.report.score_tables import by_kind, by_scope
from astrolabe.report.table import GAP, Cell
from astrolabe.report.titles import KIND_TITLES, scope_title


def all_banners(material: Material) -> list[str]:
    """Return the study's banners, those of indexes that are not whole, and one for cells that lack 2 % of their scores.

    That one counts such cells of the metrics that score answers, and names the worst: the first of those that lack
    most.
    """
    lacking = [f"An index is not whole: {built.lacks}." for built in material.indexes if built.lacks]
    return [*material.banners, *lacking, *_gaps(material)]


def _gaps(material: Material) -> list[str]:
    cells = [cell for cell in _cells(material) if cell.estimate]
    gaps = [cell for cell in cells if cell.gap]
    if not gaps:
        return []
    worst = max(gaps, key=lambda cell: cell.missing)
    lack = f"{len(gaps)} {plural(len(gaps), 'cell lacks', 'cells lack')}"
    said = (
        f"Scores are missing: {lack} {GAP:.0%} or more, of {len(cells)}; most lacks {_named(worst)}. A mean is of the "
        "scored alone; the round brackets say between what it would lie with all."
    )
    return [said]


def _cells(material: Material) -> Iterator[Cell]:
    for metric in material.scoring_metrics:
        for table in (by_scope(material, metric), by_kind(material, metric)):
            for row in table.rows:
                yield from row


def _named(cell: Cell) -> str:
    one = cell.estimate
    if one is None:
        return ""
    kind = [KIND_TITLES[one.kind]] if one.kind else []
    place = ", ".join([one.metric, one.method, scope_title(one.scope), *kind])
    return f"{place}: {cell.missing:.1%}, {one.n_asked - one.n_scored} of {one.n_asked}"
