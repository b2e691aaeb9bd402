"""Scoring a study's answers, and showing what its scores say."""

from collections.abc import Sequence

from astrolabe.compare import RESAMPLES, Correction
from astrolabe.core.errors import UserError
from astrolabe.core.plural import plural
from astrolabe.study.models import Asking, open_models
from astrolabe.study.progress import Progress
from astrolabe.study.results import metrics_of, save_results, show
from astrolabe.study.scoring import load_scores, score_study, standing_scores
from astrolabe.study.shown import Shown
from astrolabe.study.study import Study


async def score_and_show(
    study: Study,
    metrics: Sequence[str],
    asking: Asking,
    progress: Progress,
    *,
    methods: Sequence[str] = (),
    limit: int | None = None,
) -> Shown:
    """Score the study's answers and show the means.

    Args:
        study: The study.
        metrics: Spelled metrics; none for those that fit the questions' gold.
        asking: How models are asked.
        progress: Hears of every score.
        methods: Only the answers of these spelled methods; empty for all.
        limit: At most so many answers; null for all.

    Raises:
        UserError: There are no answers, a metric is unknown or lacks a model.
    """
    chosen = metrics_of(metrics)
    questions = {question.id: question for question in study.need_questions()}
    async with open_models(study.settings, study.folder.calls, asking) as models:
        result = await score_study(study, chosen, models, progress, methods=methods, limit=limit)
        return Shown(
            results=show(result.scores, questions, seed=study.settings.seed),
            questions=questions,
            banners=models.banners,
            written=tuple(sorted({study.folder.scores(score.metric, score.method) for score in result.scores})),
            stopped=result.stopped,
            kept=result.kept,
        )


def compare_study(
    study: Study, *, correction: Correction = "holm", confidence: float = 0.95, resamples: int = RESAMPLES
) -> Shown:
    """Compare the study's methods on its scores and write `comparison/`.

    Raises:
        UserError: There are no scores.
    """
    questions = {question.id: question for question in study.need_questions()}
    scores = standing_scores(study)
    stale = len(load_scores(study)) - len(scores)
    if not scores:
        root = study.folder.root
        msg = f"{root} holds no scores to compare; run: astrolabe score --study {root}"
        raise UserError(msg)
    results = show(
        scores,
        questions,
        seed=study.settings.seed,
        correction=correction,
        confidence=confidence,
        resamples=resamples,
    )
    save_results(study, results, correction=correction, confidence=confidence, resamples=resamples)
    folder = study.folder.comparison
    return Shown(
        results=results,
        questions=questions,
        banners=(_left_out(stale),) if stale else (),
        written=(folder, folder.parent / "estimates.jsonl"),
    )


def _left_out(stale: int) -> str:
    """Say on top of tables that scores do not belong to the answers any more."""
    return (
        f"{stale} {plural(stale, 'score is', 'scores are')} left out: their answers or questions have changed since. "
        "Score again: astrolabe score"
    )
