"""Score -> Estimate: a mean for every metric, part, method, scope and kind, with how sure it is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from astrolabe.compare.bootstrap import RESAMPLES, Interval, Limits, intervals
from astrolabe.compare.cells import OVERALL, PART_RANGES, Column, Ends, Range, Values, mean_of_all, range_of, tabulate
from astrolabe.core.records import KINDS, Estimate, Kind, Question, Score


def estimate(
    scores: Sequence[Score],
    questions: Mapping[str, Question],
    *,
    rng: np.random.Generator,
    ranges: Mapping[str, Range] | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> list[Estimate]:
    """Return the means over questions of every metric, part, method and scope; of all kinds and of each.

    Where a metric has two or more named scopes, each method also gets the scope `overall`: the mean over
    all those scopes, on the questions that it was scored on in each of them. Parts that are 0 by
    definition for questions without hallucination topics (`h_topic`, `h_resp`) come a second time, over
    the other questions only, under `h_topic+` and `h_resp+`. An unscored answer counts as asked and is in
    no mean; `worst` and `best` say between what the mean over all that were asked lies, whatever its score
    would have been.

    Args:
        scores: In any order; one a question, method, scope and metric.
        questions: By id; every question that a score names.
        rng: One number is drawn from it. An interval depends on that and on its own cell's values: neither
            on the order of the scores nor on what else is estimated.
        ranges: Worst and best value of each metric, such as `(1, 0)` where less is better; without one
            (or with an infinite one) `worst` and `best` are null where answers are unscored, and there is no interval
            where scores are all equal. The parts that are shares are known (`PART_RANGES`).
        confidence: Of the intervals, in (0, 1).
        resamples: Bootstrap samples behind an interval.

    Returns:
        Ordered by metric, part (the value first), method, scope (`overall` last) and kind (all first).

    Raises:
        ValueError: As `tabulate`.
    """
    table = tabulate(scores, questions)
    columns: list[tuple[Column, Values]] = list(table.columns.items())
    for metric, part, method in {column[:3] for column in table.columns}:
        if len(table.scopes(metric, part)) > 1:
            column = Column(metric, part, method, OVERALL)
            if values := table.overall(column):
                columns.append((column, values))
    cells: list[_Cell] = []
    for column, values in sorted(columns, key=lambda pair: _order(pair[0])):
        bounds = PART_RANGES.get(column.part) if column.part else (ranges or {}).get(column.metric)
        ends = {name: table.ends(column, questions[name], bounds) for name in values}
        cells += [
            _Cell(
                column,
                kind,
                [values[name] for name in chosen],
                [ends[name] for name in chosen],
                _limits([range_of(column, questions[name], bounds) for name in chosen]),
            )
            for kind, chosen in _by_kind(values, questions)
        ]
    samples = [cell.scored for cell in cells]
    limits = [cell.limits for cell in cells]
    found = intervals(samples, rng=rng, limits=limits, confidence=confidence, resamples=resamples)
    return [cell.estimate(one, confidence=confidence) for cell, one in zip(cells, found, strict=True)]


def _order(column: Column) -> tuple[str, str, str, bool, str]:
    return column.metric, column.part or "", column.method, column.scope == OVERALL, column.scope or ""


def _by_kind(values: Values, questions: Mapping[str, Question]) -> Iterable[tuple[Kind | None, list[str]]]:
    """Yield the ids of all questions in order, then those of each kind."""
    ordered = sorted(values)
    yield None, ordered
    for kind in KINDS:
        if chosen := [question for question in ordered if questions[question].kind == kind]:
            yield kind, chosen


def _limits(ranges: Sequence[Range | None]) -> Limits | None:
    """Return between what the values of all the ranges lie; null where one of them is not known."""
    known = [bounds for bounds in ranges if bounds is not None]
    if not known or len(known) < len(ranges):
        return None
    return min(min(bounds) for bounds in known), max(max(bounds) for bounds in known)


class _Cell(NamedTuple):
    column: Column
    kind: Kind | None
    values: list[float | None]
    ends: list[Ends]
    limits: Limits | None

    @property
    def scored(self) -> list[float]:
        """The values that there are."""
        return [value for value in self.values if value is not None]

    def estimate(self, found: Interval, *, confidence: float) -> Estimate:
        """Return the cell's mean with its interval, bounds and counts."""
        mean, low, high, equal = found
        scored = self.scored
        return Estimate(
            metric=self.column.metric,
            part=self.column.part,
            method=self.column.method,
            scope=self.column.scope,
            kind=self.kind,
            value=mean,
            low=low,
            high=high,
            equal=equal,
            worst=mean_of_all([ends.worst for ends in self.ends]),
            best=mean_of_all([ends.best for ends in self.ends]),
            n_scored=len(scored),
            n_asked=len(self.values),
            confidence=confidence,
        )
