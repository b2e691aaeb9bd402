"""Main figures of other studies, to stand in one table with those of one: other benchmarks, or other models."""

from collections.abc import Sequence

from astrolabe.core.errors import UserError
from astrolabe.report import Elsewhere
from astrolabe.study.answers import answer_sources
from astrolabe.study.results import main_metric, show
from astrolabe.study.scoring import standing_scores
from astrolabe.study.study import Study


def figures_of(studies: Sequence[Study]) -> list[Elsewhere]:
    """Return the main figures of studies, in their order; nothing is written into them.

    Raises:
        UserError: A study holds no scores.
    """
    return [_figures(study) for study in studies]


def models_of(study: Study) -> dict[str, str]:
    """Return by method the id of the model that answered; methods that ask none are left out."""
    return {str(one["method"]): _short(str(one["model"])) for one in answer_sources(study) if one.get("model")}


def _figures(study: Study) -> Elsewhere:
    root = study.folder.root.resolve()
    scores = standing_scores(study)
    if not scores:
        msg = f"{root} holds no scores to stand beside others; run: astrolabe score --study {root}"
        raise UserError(msg)
    questions = {question.id: question for question in study.need_questions()}
    shown = show(scores, questions, seed=study.settings.seed)
    return Elsewhere(
        benchmark=root.name, metric=main_metric(scores), estimates=shown.estimates, models=models_of(study)
    )


def _short(model: str) -> str:
    """Return a model's name without the address where it is asked."""
    return model.partition("@")[0]
