"""Methods whose index asks a model, shown by the quickstart from a record of the embedded model's own replies.

Such an index takes a small model on two cores the better part of an hour. The record was made once, by
`make record`, with the same documents, questions, prompts and lengths; nothing of it is changed by hand, and a file
that was is refused for its hash.
"""

from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from astrolabe.core.errors import NotRecorded
from astrolabe.core.protocols import Method
from astrolabe.core.spelling import spell
from astrolabe.methods.hipporag import HippoRAG
from astrolabe.methods.lightrag import LightRAGHybrid
from astrolabe.methods.raptor import Raptor
from astrolabe.store.carried import Carried, export_calls, import_calls
from astrolabe.study.bench import bench_of
from astrolabe.study.bundle import Bundle, bundled, take_bundle
from astrolabe.study.models import Asking, Models, open_models
from astrolabe.study.progress import Progress
from astrolabe.study.run import RunResult, run_methods
from astrolabe.study.settings import AnswerSettings
from astrolabe.study.study import Study, open_or_new
from astrolabe.study.tasks import RunPlan

INDEXED: Final[tuple[Method, ...]] = (Raptor(size=256), HippoRAG(), LightRAGHybrid())
"""The methods of the record."""
INDEXED_SCOPES: Final = ("simple",)
"""The scopes of the record: reading the passages of Middle and Hard would take the model two more hours."""
LENGTHS: Final = AnswerSettings(max_tokens=120, context_tokens=2_500)
"""Of all answers of the quickstart: what a model of half a billion parameters reads in half a minute on two cores."""
MODEL: Final = "qwen2.5-coder-0.5b"
"""The embedded model whose replies they are."""
EMBEDDER: Final = "embedded:minilm"
"""Decides what is shown to the model, and so what it was asked."""


class Replayed(NamedTuple):
    """What the record gave: the answers, and what to say on top where it does not hold them all."""

    run: RunResult
    banners: tuple[str, ...]


async def replay_record(study: Study, bundle: Bundle, progress: Progress, *, limit: int | None = None) -> Replayed:
    """Let the methods of the record answer from it; no model is asked, and none need be here.

    Args:
        study: The study, with the bundle's documents and questions.
        bundle: Holds the record and names the sample.
        progress: Hears of every answer.
        limit: At most so many questions a method and scope; null for all.

    Raises:
        UserError: The record is torn or was changed, or the study's folder cannot be written to.
    """
    import_calls(study.folder.calls, bundle.record)
    study = _asking_the_model(study)
    try:
        async with open_models(study.settings, study.folder.calls, Asking(mode="replay"), embedding="reuse") as models:
            run = await _answers(study, bundle, models, progress, limit=limit)
    except NotRecorded as error:  # another processor may round a likeness otherwise, and so ask another thing
        names = ", ".join(spell(method) for method in INDEXED)
        banner = (
            f"The bundled record does not hold all answers of {names} for this machine: the rest is missing. {error}"
        )
        return Replayed(RunResult(), (banner,))
    return Replayed(run, ())


async def make_record(root: Path, file: Path, asking: Asking, progress: Progress) -> Carried:
    """Ask the embedded model for all that the methods of the record need, and write its replies to one file.

    What stands in the folder from an earlier run is not asked again. On two cores it takes more than an hour.

    Args:
        root: The folder of the study in which it is asked.
        file: What is written, whole or not at all.
        asking: How models are asked.
        progress: Hears of every step.

    Raises:
        UserError: The weights are not here, or something cannot be written.
    """
    study = open_or_new(root)
    study = _asking_the_model(study)
    with bundled() as bundle:
        async with open_models(study.settings, study.folder.calls, asking) as models:
            await take_bundle(study, [bundle.documents], bundle.questions, embedder=models.embedder, progress=progress)
            await _answers(study, bundle, models, progress)
    return export_calls(study.folder.calls, file)


def _asking_the_model(study: Study) -> Study:
    """Return the study with the models and lengths of the record."""
    models = study.settings.models.model_copy(update={"answer": f"embedded:{MODEL}", "embed": EMBEDDER})
    return replace(study, given=study.settings.model_copy(update={"models": models, "answers": LENGTHS}))


async def _answers(
    study: Study, bundle: Bundle, models: Models, progress: Progress, *, limit: int | None = None
) -> RunResult:
    sample = bundle.sampled(study.questions)
    plan = RunPlan(methods=INDEXED, scopes=INDEXED_SCOPES, questions=sample, limit=limit, is_bundled=True)
    return await run_methods(study, plan, bench_of(study, models, "answer"), progress, ledger=models.ledger)
