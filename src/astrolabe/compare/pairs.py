"""Score -> Comparison: every two methods on the questions that both were scored on."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from astrolabe.compare.bootstrap import RESAMPLES, Interval, intervals
from astrolabe.compare.cells import OVERALL, PART_RANGES, Column, Range, Table, Values, tabulate
from astrolabe.compare.permutation import Correction, adjust, sign_flip_tests
from astrolabe.core.records import Comparison, Question, Score


def compare_methods(  # noqa: PLR0913 - each is a choice of its own, by name
    scores: Sequence[Score],
    questions: Mapping[str, Question],
    *,
    metric: str,
    rng: np.random.Generator,
    part: str | None = None,
    ranges: Mapping[str, Range] | None = None,
    correction: Correction = "holm",
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> list[Comparison]:
    """Return all pairs of methods in every scope, and over all scopes where there are two or more.

    A pair is compared on the questions that both methods were scored on, with the sign-flip test
    (`sign_flip_tests`) and a bootstrap interval of the mean difference. p is corrected within a family:
    all pairs of one metric (or part) in one scope that have a question in common. `first` is `better` or
    `worse` than `second` where the corrected p is below 1 - `confidence`, else one `cannot tell`.

    Args:
        scores: In any order, of any metrics; those of `metric` are used.
        questions: By id; every question that a score names.
        metric: The metric's spelled name.
        rng: One number is drawn from it; a pair's p and interval depend on that and on its own differences.
        part: A part of the scores (`t_rec`, ...) instead of their value. The comparisons' `metric` is
            then written `metric.part`.
        ranges: Worst and best value by metric; they tell which end is better (more is, if not given), and how far
            a difference can go where all of a pair's are equal (no interval, if not given).
        correction: `holm`, `bonferroni` or `none`.
        confidence: Of the interval and the verdict, in (0, 1).
        resamples: Bootstrap samples behind an interval.

    Returns:
        Ordered by scope (`overall` last) and the methods' names. Without a common question the
        difference and p are null and the verdict is `cannot tell`.

    Raises:
        ValueError: As `tabulate`.
    """
    table = tabulate([score for score in scores if score.metric == metric], questions)
    known = PART_RANGES.get(part) if part else (ranges or {}).get(metric)
    worst, best = known or (0.0, 1.0)
    limits = (-abs(best - worst), abs(best - worst)) if known else None
    fresh = partial(np.random.default_rng, int(rng.integers(2**63)))
    found: list[Comparison] = []
    for scope, methods in families(table, metric, part):
        family = [_Pair(one, two, differences(methods[one], methods[two])) for one, two in combinations(methods, 2)]
        samples = [pair.differences for pair in family]
        p = sign_flip_tests([sample for sample in samples if sample], rng=fresh())
        tests = iter(zip(p, adjust(p, correction), strict=True))
        measured = intervals(
            samples, rng=fresh(), limits=[limits] * len(samples), confidence=confidence, resamples=resamples
        )
        for pair, seen in zip(family, measured, strict=True):
            raw, adjusted = next(tests) if pair.differences else (None, None)
            sure = adjusted is not None and adjusted < round(1 - confidence, 9)
            comparison = pair.comparison(f"{metric}.{part}" if part else metric, scope, seen, correction)
            verdict = _verdict(seen.mean, more_is_better=best > worst) if sure else "cannot tell"
            found.append(comparison.model_copy(update={"p": raw, "p_adjusted": adjusted, "verdict": verdict}))
    return found


def families(table: Table, metric: str, part: str | None) -> Iterable[tuple[str | None, dict[str, Values]]]:
    """Yield each scope and, by method, its values there; `overall` last where there are several scopes."""
    found: dict[str | None, dict[str, Values]] = {}
    methods = sorted({column.method for column in table.columns})
    for column in sorted(table.columns, key=lambda column: (column.scope or "", column.method)):
        if column[:2] == (metric, part):
            found.setdefault(column.scope, {})[column.method] = table.columns[column]
    if len(table.scopes(metric, part)) > 1:
        means = {method: table.overall(Column(metric, part, method, OVERALL)) for method in methods}
        found[OVERALL] = {method: values for method, values in means.items() if values}
    yield from found.items()


def differences(first: Values, second: Values) -> list[float]:
    """Return first minus second on the questions scored for both, by question id."""
    pairs = [(first[question], second.get(question)) for question in sorted(first)]
    return [_exact(one - two) for one, two in pairs if one is not None and two is not None]


class _Pair(NamedTuple):
    first: str
    second: str
    differences: list[float]

    def comparison(self, metric: str, scope: str | None, measured: Interval, correction: Correction) -> Comparison:
        """Return the comparison as it stands before the family's tests are known."""
        return Comparison(
            metric=metric,
            scope=scope,
            first=self.first,
            second=self.second,
            n=len(self.differences),
            difference=measured.mean,
            low=measured.low,
            high=measured.high,
            verdict="cannot tell",
            correction=correction,
        )


def _exact(difference: float) -> float:
    """Return 0 for what is 0 but for rounding: a mean over scopes may differ in its last bit."""
    return 0.0 if math.isclose(difference, 0.0, abs_tol=1e-12) else difference


def _verdict(difference: float | None, *, more_is_better: bool) -> Literal["better", "worse"]:
    return "better" if ((difference or 0.0) > 0) == more_is_better else "worse"
