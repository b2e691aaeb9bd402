"""Scores as a table: for each metric, part, method and scope one value (or null) a question."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from astrolabe.core.records import Question, Score

OVERALL: Final = "overall"
"""The scope of a mean over scopes."""

Range = tuple[float, float]
"""Worst and best; `(1, 0)` where less is better."""

_SHARES: Final = (
    *("precision", "recall", "f1", "official_precision", "official_recall", "official_f1"),
    *("official_f1_50", "official_recall_80", "pages", "passages", "characters"),
    *("passages_retrieved", "characters_retrieved"),
    *(f"{level}_{name}" for level in ("page", "exact", "place") for name in ("recall", "precision", "f1", "hit")),
)
"""The parts that the metrics of sets and of evidence have."""

PART_RANGES: Final[Mapping[str, Range]] = {
    "t_prec": (0.0, 1.0),
    "t_rec": (0.0, 1.0),
    "t_f1": (0.0, 1.0),
    "h_topic": (1.0, 0.0),
    "h_resp": (1.0, 0.0),
    "h_topic+": (1.0, 0.0),
    "h_resp+": (1.0, 0.0),
    **dict.fromkeys(_SHARES, (0.0, 1.0)),
}
"""The ranges of the parts that are shares, whatever metric has them."""

NON_EMPTY: Final[Mapping[str, str]] = {"h_topic": "h_topic+", "h_resp": "h_resp+"}
"""Parts that are 0 by definition for a question without hallucination topics, and the same parts over
the questions that have some: the published tables average over these."""

Values = dict[str, float | None]
"""Question id to value; null where the question was asked and could not be scored."""


class Ends(NamedTuple):
    """The worst and the best that a value can be; both are the value where it is known, null is without bound."""

    worst: float | None
    best: float | None


class Column(NamedTuple):
    """What one column of values is of; `part` is null for the score's own value."""

    metric: str
    part: str | None
    method: str
    scope: str | None


@dataclass(frozen=True, slots=True)
class Table:
    """All columns; and by metric, part and scope, the questions that any method was asked."""

    columns: Mapping[Column, Values]
    asked: Mapping[tuple[str, str | None], Mapping[str | None, set[str]]]

    def scopes(self, metric: str, part: str | None) -> list[str]:
        """Return the named scopes of a metric's part, in order; two or more have an overall mean."""
        return sorted(scope for scope in self.asked.get((metric, part), {}) if scope is not None)

    def overall(self, column: Column) -> Values:
        """Return a method's mean over the scopes, by question; null where it was not scored in one of them.

        The questions are those that the method was asked in some scope and that exist in all of them:
        a question that no method was asked in `hard` has no mean over `simple` and `hard`. A method that was not run
        in one of the scopes has no mean over them, and so no question.
        """
        scopes = self.scopes(column.metric, column.part)
        asked = self.asked[column.metric, column.part]
        own = [self.columns.get(column._replace(scope=scope), {}) for scope in scopes]
        if not all(own):
            return {}
        chosen = {question for values in own for question in values}
        for scope in scopes:
            chosen &= asked[scope]
        return {question: mean_of_all([values.get(question) for values in own]) for question in sorted(chosen)}

    def ends(self, column: Column, question: Question, bounds: Range | None) -> Ends:
        """Return the worst and the best that a question's value in a column can be.

        A mean over scopes knows the scopes that were scored, and a part that is 0 by definition is 0 however the
        judgement would have ended.

        Args:
            column: One of the table's, or that of a mean over scopes.
            question: One that was asked there.
            bounds: The worst and the best of the column's values; null where they are not known.
        """
        scopes = self.scopes(column.metric, column.part) if column.scope == OVERALL else [column.scope]
        own = [self.columns.get(column._replace(scope=scope), {}).get(question.id) for scope in scopes]
        bounds = range_of(column, question, bounds)
        worst, best = (mean_of_all([_bound(bounds, end) if one is None else one for one in own]) for end in (0, 1))
        return Ends(worst, best)


def range_of(column: Column, question: Question, bounds: Range | None) -> Range | None:
    """Return the range of a question's value in a column with such bounds; a part that is 0 by definition is only 0."""
    return (0.0, 0.0) if column.part in NON_EMPTY and not _has_hallucinations(question) else bounds


def tabulate(scores: Sequence[Score], questions: Mapping[str, Question]) -> Table:
    """Return the scores as columns, in an order that does not depend on the order given.

    Raises:
        ValueError: A score is of a question that is not in `questions`, or two differing scores are of
            the same question, method, scope and metric.
    """
    columns: dict[Column, Values] = {}
    for score in sorted(_distinct(scores), key=_place):
        if score.question_id not in questions:
            msg = f"a score of {score.method!r} is of question {score.question_id!r}, which the benchmark does not have"
            raise ValueError(msg)
        for part, value in _parts(score, questions[score.question_id]):
            column = Column(score.metric, part, score.method, score.scope)
            columns.setdefault(column, {})[score.question_id] = value
    _fill_unscored(columns, scores, questions)
    asked: dict[tuple[str, str | None], dict[str | None, set[str]]] = {}
    for column, values in columns.items():
        asked.setdefault(column[:2], {}).setdefault(column.scope, set()).update(values)
    return Table(columns, asked)


def _place(score: Score) -> tuple[str, str, str, str]:
    return score.metric, score.method, score.scope or "", score.question_id


def _distinct(scores: Sequence[Score]) -> Iterable[Score]:
    kept: dict[tuple[str, str, str | None, str], Score] = {}
    for score in scores:
        key = (score.metric, score.method, score.scope, score.question_id)
        if kept.setdefault(key, score) != score:
            msg = f"two different scores for metric, method, scope and question {key!r}; pass the newer one alone"
            raise ValueError(msg)
    return kept.values()


def _parts(score: Score, question: Question) -> Iterable[tuple[str | None, float | None]]:
    yield None, score.value
    for part, value in score.parts.items():
        if not part.endswith("+"):
            yield part, value
    if _has_hallucinations(question):
        for part, non_empty in NON_EMPTY.items():
            if part in score.parts:
                yield non_empty, score.parts[part]


def _fill_unscored(columns: dict[Column, Values], scores: Sequence[Score], questions: Mapping[str, Question]) -> None:
    """Count an unscored answer as asked in every part of its metric, though it has no parts itself."""
    parts: dict[str, set[str | None]] = {}
    for column in columns:
        parts.setdefault(column.metric, set()).add(column.part)
    for score in scores:
        for part in parts[score.metric]:
            counts = part not in NON_EMPTY.values() or _has_hallucinations(questions[score.question_id])
            if score.status == "unscored" and counts:
                column = Column(score.metric, part, score.method, score.scope)
                columns.setdefault(column, {}).setdefault(score.question_id, None)


def _bound(bounds: Range | None, end: int) -> float | None:
    return bounds[end] if bounds is not None and math.isfinite(bounds[end]) else None


def _has_hallucinations(question: Question) -> bool:
    return any(topic.state != "rejected" for topic in question.hallucinations)


def mean_of_all(values: Sequence[float | None]) -> float | None:
    """Return the mean, or null where a value is null or there is none.

    Examples:
        >>> mean_of_all([0.5, None]) is None
        True
    """
    present = [value for value in values if value is not None]
    return math.fsum(present) / len(present) if present and len(present) == len(values) else None
