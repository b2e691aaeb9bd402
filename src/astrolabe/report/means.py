"""Means looked up by metric, part, method and scope, as cells of a table."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from astrolabe.core.records import Estimate
from astrolabe.report.material import OVERALL, Material
from astrolabe.report.table import DASH, Cell
from astrolabe.report.titles import PART_TITLES, score_title

ANSWER: Final = "answer"
"""The metric under which stands what answers took; see `Material.taken`."""
_PRECISION_RECALL: Final = (("precision", "recall"), ("t_prec", "t_rec"))


class Figure(NamedTuple):
    """What a column of means is of, and how it is shown; `part` is null for a score's own value."""

    metric: str
    part: str | None
    title: str
    scale: float = 1.0
    digits: int = 1


TAKEN: Final = (
    Figure(ANSWER, None, "Calls"),
    Figure(ANSWER, "tokens", "Tokens", digits=0),
    Figure(ANSWER, "seconds", "Seconds"),
)
"""What an answer costs."""
SHAPE: Final = (Figure(ANSWER, "depth", "Depth", digits=2), Figure(ANSWER, "breadth", "Breadth", digits=2))
"""How its tree looks."""


class Means:
    """Means over questions of all kinds."""

    def __init__(self, estimates: Iterable[Estimate]) -> None:
        """Take those of all kinds together."""
        self._found = {(one.metric, one.part, one.method, one.scope): one for one in estimates if one.kind is None}
        self._scopes: dict[str, list[str | None]] = {}
        for metric, _, _, scope in self._found:
            self._scopes.setdefault(metric, []).append(scope)

    def scope(self, metric: str, order: Sequence[str | None] = ()) -> str | None:
        """Return the scope that stands for all: `overall` where there is one, else the first of an order."""
        seen = self._scopes.get(metric, [])
        return next((scope for scope in (OVERALL, *order) if scope in seen), seen[0] if seen else None)

    def find(self, metric: str, part: str | None, method: str, scope: str | None) -> Estimate | None:
        """Return a mean, or null where there is none."""
        return self._found.get((metric, part, method, scope))

    def has(self, figure: Figure) -> bool:
        """Tell whether any method has a number there."""
        return any(key[:2] == figure[:2] and one.value is not None for key, one in self._found.items())

    def cell(self, figure: Figure, method: str, order: Sequence[str | None] = ()) -> Cell:
        """Return a method's mean in the scope that stands for all, or a dash."""
        found = self.find(figure.metric, figure.part, method, self.scope(figure.metric, order))
        return Cell(text=DASH) if found is None else Cell(estimate=found, scale=figure.scale, digits=figure.digits)


def precision_recall(means: Means, metric: str) -> list[Figure]:
    """Return the precision and recall of a metric; empty where it has none."""
    pairs = [[Figure(metric, part, PART_TITLES[part], 100.0) for part in pair] for pair in _PRECISION_RECALL]
    none: list[Figure] = []
    return next((pair for pair in pairs if all(map(means.has, pair))), none)


def value_of(material: Material, metric: str) -> Figure:
    """Return the own value of a metric."""
    percent = material.percent(metric)
    return Figure(metric, None, score_title(material, metric, None), 100.0 if percent else 1.0, 1 if percent else 2)


def evidence(metrics: Iterable[str]) -> list[Figure]:
    """Return how much of the gold evidence was found, and of how many pages; empty where nobody scored it."""
    metric = next((one for one in metrics if one.partition("(")[0] == "evidence_recall"), None)
    if metric is None:
        return []
    return [Figure(metric, "page_recall", "Page recall", 100.0), Figure(metric, "documents_retrieved", "Pages")]
