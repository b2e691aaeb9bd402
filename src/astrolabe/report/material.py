"""What a report shows. A study fills it; nothing is computed here but the order of things."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from astrolabe.core.records import Answer, Comparison, Estimate, Passage, Question, Scope, Score, Usage

OVERALL: Final = "overall"
BESIDE: Final = ("cost", "evidence_recall", "miss_cause")
"""Metrics that stand beside one that scores answers; they have no value where there is nothing to measure."""
Groups = Mapping[str | None, Sequence[Sequence[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the answers of a method took, or the work that several share (`index of raptor`).

    `answers` is how many answers the usage is for; null where it is not for answers.
    """

    what: str
    usage: Usage
    answers: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """An index whose build asked a model.

    Attributes:
        index: Its spelled name.
        passages: Over how many passages it was built.
        asked: How many replies the build needed.
        missing: How many of them did not come.
        lacks: What is missing and why, for people; empty where nothing is.
        seconds: How long the build took.
    """

    index: str
    passages: int
    asked: int
    missing: int = 0
    lacks: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """The questions that need so many gold pages.

    Attributes:
        pages: How many, for people: `1 to 10`, `31 and more`, `none`.
        questions: How many questions these are.
        estimates: Over them alone, of metrics and of what answers took.
    """

    pages: str
    questions: int
    estimates: Sequence[Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The scores of one metric by one of several judges, on the answers that all of them scored.

    Attributes:
        metric: The metric.
        judge: The judge's model.
        estimates: The means by this judge.
    """

    metric: str
    judge: str
    estimates: Sequence[Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """The figures of another study: its benchmark is another one, or other models answered.

    Attributes:
        benchmark: Names its questions.
        metric: Its main metric.
        estimates: Of its metrics.
        models: The model that answered, by method.
    """

    benchmark: str
    metric: str
    estimates: Sequence[Estimate]
    models: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """All that a report is made of.

    Attributes:
        title: Heads the page.
        made_at: When the newest of the answers was begun; where no answer says it, when the report was made.
        metric: The spelled name of the metric on the first screen.
        estimates: Of all metrics, parts, methods, scopes and kinds.
        comparisons: Of all metrics, as `compare` makes them.
        groups: By metric and scope: the methods that cannot be told apart, the best first.
        scores: Behind the estimates, with what the judge found (`detail`) and the causes of misses.
        answers: Of the methods shown.
        questions: Of the benchmark, in its order.
        scopes: Of the benchmark; their names' order is the order of the columns.
        passages: By id, those that answers' contexts name; what is missing is shown by its id.
        titles: Document titles by document id.
        banners: Said at the top of every format, such as that no model is embedded.
        agreement: By metric, its agreement with people; said with every table that it fills.
        costs: What the answers and the work behind them took.
        indexes: Those whose build asked a model: what came of it.
        facts: How the numbers were made: models, seeds, versions, hashes.
        recorded: Methods whose answers come from the record that the package brings; marked *recorded*.
        ranges: Worst and best value by metric; metrics between 0 and 1 are shown in percent.
        needed: By metric, scope, first and second method: how many questions would tell the two apart.
        correction: What p values were corrected with, in words.
        taken: What the answers took: estimates of `answer`, a metric that nobody scored.
        buckets: The same figures by how many gold pages questions need; empty where all need alike.
        models: The model that answered, by method.
        judges: Where several judges scored one metric, the means by each.
        agreements: By metric, what is to be said of how far its judges agree.
        elsewhere: Other studies whose figures stand beside these in one table.
    """

    title: str
    made_at: datetime
    metric: str
    estimates: Sequence[Estimate]
    comparisons: Sequence[Comparison] = ()
    groups: Mapping[str, Groups] = field(default_factory=dict[str, Groups])
    scores: Sequence[Score] = ()
    answers: Sequence[Answer] = ()
    questions: Sequence[Question] = ()
    scopes: Sequence[Scope] = ()
    passages: Mapping[str, Passage] = field(default_factory=dict[str, Passage])
    titles: Mapping[str, str] = field(default_factory=dict[str, str])
    banners: Sequence[str] = ()
    agreement: Mapping[str, str] = field(default_factory=dict[str, str])
    costs: Sequence[Cost] = ()
    indexes: Sequence[Built] = ()
    facts: Mapping[str, str] = field(default_factory=dict[str, str])
    recorded: frozenset[str] = frozenset()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    needed: Mapping[tuple[str, str | None, str, str], float | None] = field(
        default_factory=dict[tuple[str, str | None, str, str], float | None]
    )
    correction: str = "Holm"
    taken: Sequence[Estimate] = ()
    buckets: Sequence[Bucket] = ()
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    judges: Sequence[Judged] = ()
    agreements: Mapping[str, str] = field(default_factory=dict[str, str])
    elsewhere: Sequence[Elsewhere] = ()
    _cells: dict[tuple[str, str, str | None, str | None, str | None], Estimate] = field(
        init=False,
        repr=False,
        compare=False,
        default_factory=dict[tuple[str, str, str | None, str | None, str | None], Estimate],
    )

    def __post_init__(self) -> None:
        """Index the estimates: a table asks for each cell."""
        self._cells.update({(one.metric, one.method, one.scope, one.part, one.kind): one for one in self.estimates})

    @property
    def metrics(self) -> list[str]:
        """The metrics that have estimates, the main one first, then by name."""
        return sorted({one.metric for one in self.estimates}, key=lambda metric: (metric != self.metric, metric))

    @property
    def scoring_metrics(self) -> list[str]:
        """Those of the metrics that score answers: not those that stand beside another."""
        return [metric for metric in self.metrics if metric.partition("(")[0] not in BESIDE]

    @property
    def topic_metrics(self) -> list[str]:
        """Those of the metrics that find topics: they have precision and recall."""
        found = {one.metric for one in self.estimates if one.part in {"t_prec", "t_rec"}}
        return [metric for metric in self.metrics if metric in found]

    def find(
        self, metric: str, method: str, scope: str | None, *, part: str | None = None, kind: str | None = None
    ) -> Estimate | None:
        """Return the estimate of one cell, or null where there is none."""
        return self._cells.get((metric, method, scope, part, kind))

    def scope_names(self, metric: str) -> list[str | None]:
        """Return the scopes of a metric in the benchmark's order, `overall` first; null is an answer without one."""
        seen = {one.scope for one in self.estimates if one.metric == metric}
        order = [OVERALL, *dict.fromkeys(scope.name for scope in self.scopes)]
        rest = sorted(scope for scope in seen if scope is not None and scope not in order)
        named: list[str | None] = [scope for scope in [*order, *rest] if scope in seen]
        return [*named, None] if None in seen else named

    def widest_scope(self, metric: str) -> str | None:
        """Return the scope that stands for all: `overall` where there is one, else the first."""
        names = self.scope_names(metric)
        return names[0] if names else None

    def methods(self, metric: str) -> list[str]:
        """Return the methods with estimates of a metric, the best in its widest scope first."""
        worst, best = self.ranges.get(metric, (0.0, 1.0))
        scope = self.widest_scope(metric)

        def rank(method: str) -> tuple[bool, float, str]:
            found = self.find(metric, method, scope)
            value = found.value if found else None
            return value is None, (value or 0.0) * (-1 if best > worst else 1), method

        return sorted({one.method for one in self.estimates if one.metric == metric}, key=rank)

    def asked(self, metric: str) -> dict[str, set[str]]:
        """Return by method the ids of the questions that it was asked, whatever came of them, in any scope."""
        found: dict[str, set[str]] = {}
        for score in self.scores:
            if score.metric == metric:
                found.setdefault(score.method, set()).add(score.question_id)
        return found

    def percent(self, metric: str) -> bool:
        """Whether a metric lies between 0 and 1 and is shown in percent."""
        return set(self.ranges.get(metric, (0.0, 1.0))) == {0.0, 1.0}

    def more_is_better(self, metric: str) -> bool:
        """Whether a higher value of the metric is better."""
        worst, best = self.ranges.get(metric, (0.0, 1.0))
        return best > worst
