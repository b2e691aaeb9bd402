"""How many questions it would take to tell two methods apart."""

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist, fmean, stdev
from typing import Final

from astrolabe.compare.agreement import Statistic
from astrolabe.compare.cells import tabulate
from astrolabe.compare.pairs import differences, families
from astrolabe.core.records import Question, Score

FEWEST: Final = 6
"""No fewer can be told apart at 0.05: five wins and no loss have p = 0.0625."""
_TWO: Final = 2  # a deviation needs as many


def questions_needed(
    scores: Sequence[Score],
    questions: Mapping[str, Question],
    *,
    metric: str,
    first: str,
    second: str,
    scope: str | None,
    part: str | None = None,
) -> Statistic:
    """Return how many questions it would take to tell two methods apart in a scope at 80 % power; see `needed_for`.

    Args:
        scores: In any order, of any metrics; those of `metric` are used.
        questions: By id; every question that a score names.
        metric: The metric's spelled name.
        first: A method's spelled name.
        second: Another's.
        scope: A scope's name, `overall`, or null for answers without one.
        part: A part of the scores instead of their value.
    """
    table = tabulate([score for score in scores if score.metric == metric], questions)
    methods = dict(families(table, metric, part)).get(scope, {})
    return needed_for(differences(methods.get(first, {}), methods.get(second, {})))


def needed_for(differences: Sequence[float], *, power: float = 0.8, alpha: float = 0.05) -> Statistic:
    """Return the number of questions at which such differences are found with the given chance.

    If the mean and the spread of the paired differences stay as they are, n = ((z(1 - alpha/2) + z(power))
    * deviation / mean)^2, rounded up, and at least 6. A normal approximation for one test without
    correction, from an estimate that is itself unsure: a rough size for planning, not a promise.

    Returns:
        Null with its reason for fewer than two differences, or a mean of 0.
    """
    if len(differences) < _TWO:
        return Statistic(None, "fewer than two questions in common")
    mean = fmean(differences)
    if math.isclose(mean, 0.0, abs_tol=1e-12):
        return Statistic(None, "no difference between the means")
    normal = NormalDist()
    factor = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
    return Statistic(float(max(FEWEST, math.ceil((factor * stdev(differences) / mean) ** 2))))
