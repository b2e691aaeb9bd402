"""Scoring answers made elsewhere: no study, no key, no configuration."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from astrolabe.benchmark import check_answers, read_answers, read_benchmark
from astrolabe.core.errors import FileError
from astrolabe.core.protocols import Metric
from astrolabe.core.records import Answer, Question
from astrolabe.store.cache import cache_folder
from astrolabe.study.bench import loose_bench
from astrolabe.study.by_gold import default_metrics
from astrolabe.study.kit import Bench, Kits
from astrolabe.study.models import Asking, open_models
from astrolabe.study.progress import Progress
from astrolabe.study.results import metrics_of, show
from astrolabe.study.scoring import Scoring, score_answers
from astrolabe.study.settings import Settings
from astrolabe.study.shown import Shown


def record_of_loose_calls() -> Path:
    """Return where calls and vectors are recorded that belong to no study."""
    return cache_folder() / "calls.sqlite"


async def score_file(
    answers: Path,
    benchmark: Path,
    metrics: Sequence[str],
    asking: Asking,
    *,
    progress: Progress,
    seed: int | None = None,
    limit: int | None = None,
) -> Shown:
    """Score a file of answers against a benchmark file.

    Args:
        answers: JSON lines or CSV; see `read_answers`.
        benchmark: Questions as JSON lines.
        metrics: Spelled metrics; none for those that fit the questions' gold.
        asking: How models are asked.
        progress: Hears of every score.
        seed: Of intervals and tests; null for the default.
        limit: At most so many answers; null for all.

    Raises:
        FileError: A file has faults; names all of them, and nothing is scored.
        ConfigError: A metric is unknown or lacks a model.
    """
    chosen = metrics_of(metrics)
    settings = Settings() if seed is None else Settings(seed=seed)
    given = read_loose(answers, benchmark, limit=limit)
    async with open_models(settings, record_of_loose_calls(), asking) as models:
        bench = loose_bench(models, "judge", settings.answers)
        result = await score_answers(loose_scoring(given, chosen, bench), None, progress)
        return Shown(
            results=show(result.scores, given.questions, seed=settings.seed),
            questions=given.questions,
            banners=(*models.banners, *given.warnings),
            stopped=result.stopped,
        )


class Loose(NamedTuple):
    """Answers made elsewhere, the questions by id, and what there is to say about the files."""

    answers: list[Answer]
    questions: dict[str, Question]
    warnings: tuple[str, ...]


def read_loose(answers: Path, benchmark: Path, *, limit: int | None = None) -> Loose:
    """Read a file of answers and its benchmark.

    A question that a method leaves out is an answer that failed: a mean over what happens to be there would
    flatter it. With a limit, only the first answers of the file are asked for.

    Raises:
        FileError: A file has faults; names all of them.
    """
    questions = {question.id: question for question in read_benchmark(benchmark)}
    problems = check_answers(answers, questions=list(questions.values()))
    faults = [problem for problem in problems if problem.severity == "error"]
    if faults:
        raise FileError(str(answers), faults)
    there = [answer for answer in read_answers(answers) if answer.question_id in questions][:limit]
    missing = [] if limit else _missing(there, questions, answers.name)
    return Loose([*there, *missing], questions, tuple(str(problem) for problem in problems))


def _missing(answers: Sequence[Answer], questions: Mapping[str, Question], file: str) -> list[Answer]:
    answered: dict[tuple[str, str | None], set[str]] = {}
    for answer in answers:
        answered.setdefault((answer.method, answer.scope), set()).add(answer.question_id)
    reason = f"{file} has no answer to this question"
    return [
        Answer(question_id=name, method=method, scope=scope, status="failed", reason=reason)
        for (method, scope), there in answered.items()
        for name in questions
        if name not in there
    ]


def loose_scoring(given: Loose, metrics: Sequence[Metric], bench: Bench) -> Scoring:
    """Return what scoring answers without a study does; without metrics, with those that fit the questions' gold."""
    kits = Kits(bench)
    return Scoring(
        answers=given.answers,
        questions=given.questions,
        metrics=metrics or default_metrics(given.questions.values()),
        by_gold=not metrics,
        kit_of=lambda answer: kits.of(answer.scope, ()),
        judged_by={},
    )
