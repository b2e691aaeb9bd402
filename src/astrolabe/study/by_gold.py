"""Which metric scores a question where nobody names one: its gold decides."""

from collections.abc import Iterable, Sequence

from astrolabe.core.protocols import Metric
from astrolabe.core.records import Question
from astrolabe.metrics.set_f1 import SetF1
from astrolabe.metrics.topics_local import TopicsLocal
from astrolabe.parts.set_scores import gold_items
from astrolabe.parts.topic_scores import gold_topics


def default_metrics(questions: Iterable[Question]) -> list[Metric]:
    """Return the metrics of a benchmark for which nobody named any; none of them asks a model.

    `topics_local` where questions have topics, `set_f1` where some have gold answers and no topics, both for a
    benchmark that is mixed; `topics_local` where there is neither, which then says of each question what it lacks.
    """
    sets = [_is_set(question) for question in questions if _is_set(question) or gold_topics(question).expected]
    topical = [] if sets and all(sets) else [TopicsLocal()]
    return [*topical, *([SetF1()] if any(sets) else [])]


def fits(metric: Metric, question: Question, metrics: Sequence[Metric]) -> bool:
    """Whether one of the metrics of `default_metrics` scores a question; where they are two, each scores its own."""
    return len(metrics) == 1 or isinstance(metric, SetF1) == _is_set(question)


def _is_set(question: Question) -> bool:
    return bool(gold_items(question)) and not gold_topics(question).expected
