"""Scoring answers made elsewhere: no study, no key, no configuration."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from astrolabe.benchmark import check_answers, read_answers, read_benchmark
from astrolabe.core.errors import FileError
from astrolabe.core.protocols import Metric
from astrolabe.core.records import Answer, Question
from astrolabe.store.cache import cache_folder
from astrolabe.study.bench import loose_bench
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
        metrics: Spelled metrics.
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
    given, questions = read_loose(answers, benchmark)
    async with open_models(settings, record_of_loose_calls(), asking) as models:
        bench = loose_bench(models, "judge", settings.answers)
        result = await score_answers(loose_scoring(given[:limit], questions, chosen, bench), None, progress)
        return Shown(
            results=show(result.scores, questions, seed=settings.seed),
            questions=questions,
            banners=models.banners,
            stopped=result.stopped,
        )


def read_loose(answers: Path, benchmark: Path) -> tuple[list[Answer], dict[str, Question]]:
    """Return the answers of a file and the questions of another, by id.

    Raises:
        FileError: A file has faults; names all of them.
    """
    questions = {question.id: question for question in read_benchmark(benchmark)}
    problems = check_answers(answers, questions=list(questions.values()))
    faults = [problem for problem in problems if problem.severity == "error"]
    if faults:
        raise FileError(str(answers), faults)
    return [answer for answer in read_answers(answers) if answer.question_id in questions], questions


def loose_scoring(
    answers: Sequence[Answer], questions: Mapping[str, Question], metrics: Sequence[Metric], bench: Bench
) -> Scoring:
    """Return what scoring answers without a study does."""
    kits = Kits(bench)
    return Scoring(
        answers=answers,
        questions=questions,
        metrics=metrics,
        kit_of=lambda answer: kits.of(answer.scope, ()),
        judged_by={},
    )
