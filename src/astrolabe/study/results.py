"""From scores to what they show: means with intervals, comparisons, groups that cannot be told apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from astrolabe.compare import RESAMPLES, Correction, compare_methods, estimate, groups
from astrolabe.compare.groups import Groups
from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Metric
from astrolabe.core.records import Comparison, Estimate, Question, Score
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.metrics import METRICS
from astrolabe.store.lines import write_records
from astrolabe.study.study import Study, save_manifest

MAIN_METRICS: Final = (("topics", "topics_astra", "topics_local"), ("set_f1_judged", "set_f1"))
"""Which metrics may head the page: those of topics and those of sets, each with the first choice first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What the scores show.

    Attributes:
        scores: The scores behind it.
        estimates: Means with intervals, of every metric and part, by method, scope and kind.
        comparisons: Every two methods, by metric and scope.
        groups: By metric and scope, the methods that cannot be told apart, the best first.
    """

    scores: tuple[Score, ...]
    estimates: tuple[Estimate, ...]
    comparisons: tuple[Comparison, ...]
    groups: Mapping[str, Groups]


def show(
    scores: Sequence[Score],
    questions: Mapping[str, Question],
    *,
    seed: int,
    correction: Correction = "holm",
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> Results:
    """Estimate and compare; nothing is written.

    Args:
        scores: Of any metrics and methods.
        questions: By id; every question that a score names.
        seed: Everything random starts from it.
        correction: Of p within all pairs of a metric and scope.
        confidence: Of intervals and verdicts.
        resamples: Bootstrap samples behind an interval.
    """
    ranges = {name: metric_of(name).range for name in {score.metric for score in scores}}
    estimates = estimate(
        scores,
        questions,
        rng=np.random.default_rng(seed),
        ranges=ranges,
        confidence=confidence,
        resamples=resamples,
    )
    comparisons: list[Comparison] = []
    alike: dict[str, Groups] = {}
    for metric, (worst, best) in sorted(ranges.items()):
        own = compare_methods(
            scores,
            questions,
            metric=metric,
            rng=np.random.default_rng(seed),
            ranges=ranges,
            correction=correction,
            confidence=confidence,
            resamples=resamples,
        )
        comparisons += own
        alike[metric] = groups(own, estimates, more_is_better=best > worst)
    return Results(scores=tuple(scores), estimates=tuple(estimates), comparisons=tuple(comparisons), groups=alike)


def save_results(
    study: Study, results: Results, *, correction: Correction, confidence: float, resamples: int = RESAMPLES
) -> None:
    """Write the comparisons and estimates into the study."""
    folder = study.folder.comparison.parent
    write_records(study.folder.comparison, results.comparisons)
    write_records(folder / "estimates.jsonl", results.estimates)
    save_manifest(
        folder,
        {
            "seed": study.settings.seed,
            "correction": correction,
            "confidence": confidence,
            "resamples": resamples,
            "scores": len(results.scores),
            "metrics": [*sorted({score.metric for score in results.scores})],
        },
    )


def main_metric(scores: Sequence[Score]) -> str:
    """Return the metric that heads the page.

    It is of the family of `MAIN_METRICS` that scored more questions (the first one where they are as many), and there
    the first that scored any; without such a metric, the first by name.
    """
    metrics = sorted({score.metric for score in scores})
    best, most = metrics[0], -1
    for family in MAIN_METRICS:
        own = [name for head in family for name in metrics if name.partition("(")[0] == head]
        asked = {
            name: {one.question_id for one in scores if one.metric == name and one.value is not None} for name in own
        }
        reached = len(set[str]().union(*asked.values()))
        if own and reached > most:
            best, most = next((name for name in own if asked[name]), own[0]), reached
    return best


def metrics_of(spelled: Sequence[str]) -> list[Metric]:
    """Return the metrics that names spell, each once.

    Raises:
        ConfigError: A name or a parameter is unknown.
    """
    parsed: list[Metric] = [parse_spelled(name, METRICS, what="metric") for name in spelled]
    return list({spell(metric): metric for metric in parsed}.values())


def metric_of(spelled: str) -> Metric:
    """Return the metric that made a score.

    Raises:
        ConfigError: There is no such metric any more.
    """
    try:
        return parse_spelled(spelled, METRICS, what="metric")
    except ConfigError as error:
        msg = f"the scores of {spelled!r} come from a metric that is not here any more: {error}"
        raise ConfigError(msg) from error
