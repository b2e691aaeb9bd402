"""Scoring a study's answers, and showing what its scores say."""

from collections.abc import Sequence

from astrolabe.compare import Correction
from astrolabe.core.errors import UserError
from astrolabe.core.spelling import parse_spelled
from astrolabe.metrics import METRICS
from astrolabe.study.models import Asking, open_models
from astrolabe.study.progress import Progress
from astrolabe.study.results import save_results, show
from astrolabe.study.scoring import load_scores, score_study
from astrolabe.study.shown import Shown
from astrolabe.study.study import Study


async def score_and_show(
    study: Study, metrics: Sequence[str], methods: Sequence[str], asking: Asking, progress: Progress
) -> Shown:
    """Score the study's answers and show the means.

    Raises:
        UserError: There are no answers, a metric is unknown or lacks a model.
    """
    chosen = [parse_spelled(name, METRICS, what="metric") for name in metrics]
    questions = {question.id: question for question in study.need_questions()}
    async with open_models(study.settings, study.folder.calls, asking) as models:
        result = await score_study(study, chosen, models, progress, methods)
        return Shown(
            results=show(result.scores, questions, seed=study.settings.seed),
            questions=questions,
            banners=models.banners,
            written=tuple(sorted({study.folder.scores(score.metric, score.method) for score in result.scores})),
            stopped=result.stopped,
            kept=result.kept,
        )


def compare_study(study: Study, *, correction: Correction = "holm", confidence: float = 0.95) -> Shown:
    """Compare the study's methods on its scores and write `comparison/`.

    Raises:
        UserError: There are no scores.
    """
    questions = {question.id: question for question in study.need_questions()}
    scores = [score for score in load_scores(study) if score.question_id in questions]
    if not scores:
        root = study.folder.root
        msg = f"{root} holds no scores to compare; run: astrolabe score --study {root}"
        raise UserError(msg)
    results = show(scores, questions, seed=study.settings.seed, correction=correction, confidence=confidence)
    save_results(study, results, correction=correction, confidence=confidence)
    folder = study.folder.comparison
    return Shown(results=results, questions=questions, written=(folder, folder.parent / "estimates.jsonl"))
