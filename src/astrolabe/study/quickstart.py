"""The main job on bundled real documents: ingest, answer, score, compare, report."""

import asyncio
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from astrolabe.core.protocols import Method
from astrolabe.core.usage import metering
from astrolabe.documents import RecordFields
from astrolabe.llm.embedded import is_ready
from astrolabe.methods.extractive import Extractive
from astrolabe.methods.llm_only import LLMOnly
from astrolabe.methods.vanilla import Vanilla
from astrolabe.metrics import METRICS
from astrolabe.study.arguments import Stoppable
from astrolabe.study.bench import bench_of
from astrolabe.study.bundle import Bundle, bundled
from astrolabe.study.importing import take_questions
from astrolabe.study.ingesting import ingest
from astrolabe.study.models import Asking, Models, open_models
from astrolabe.study.progress import Progress
from astrolabe.study.reporting import write_study_report
from astrolabe.study.results import save_results, show
from astrolabe.study.run import RunResult, run_methods
from astrolabe.study.scoring import score_study
from astrolabe.study.settings import AnswerSettings
from astrolabe.study.shown import Shown
from astrolabe.study.study import Study, new_study, open_study
from astrolabe.study.tasks import RunPlan

SCOPES: Final = ("simple", "middle", "hard")
FLOORS: Final[tuple[Method, ...]] = (Extractive(), Extractive(retriever="bm25"))
"""Answer every question."""
WRITERS: Final[tuple[Method, ...]] = (LLMOnly(), Vanilla(k=3, size=256))
"""Answer a fixed sample, a question a kind: a small model on two cores takes some seconds for each."""
MODELS: Final = ("qwen2.5-coder-0.5b", "smollm2-135m")
"""The embedded models, the better one first."""
ANSWER_TOKENS: Final = 120
QUESTIONS_A_CLUSTER: Final = 2
"""There are four questions a kind: clusters of two keep Middle between Simple and Hard."""
NO_MODEL: Final = (
    "No model answers: the weights of an embedded model or the extra [embedded] are not here, so only methods without "
    f"one ran. See: astrolabe doctor, astrolabe models fetch {MODELS[0]}"
)
METRIC_NAMES: Final = ("topics_local", "miss_cause", "evidence_recall", "cost")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickstartResult:
    """What a quickstart came to."""

    shown: Shown
    report: Path
    runs: tuple[RunResult, ...]
    calls: int
    recorded: int
    seconds: float


async def quickstart(
    root: Path,
    asking: Asking,
    progress: Progress,
    *,
    everything: bool = False,
    seed: int | None = None,
    limit: int | None = None,
) -> QuickstartResult:
    """Do the whole job in a folder; what stands there from an earlier run is kept and costs nothing.

    Args:
        root: The study's folder; made where it is missing.
        asking: How models are asked.
        progress: Hears of every step.
        everything: Let the methods that ask a model answer all questions, not the sample alone.
        seed: Replaces the settings'; null for theirs.
        limit: At most so many questions a method and scope; null for all.

    Raises:
        UserError: The folder cannot be written to.
    """
    started = time.monotonic()
    study, banners = _study(root, asking, seed)
    with bundled() as bundle, metering() as meter:
        with Stoppable(progress) as watched:  # in a thread, so that Ctrl-C is heard while files are read
            await asyncio.to_thread(
                ingest, study, [bundle.documents], watched, fields=RecordFields(), seconds_per_file=60.0
            )
        async with open_models(study.settings, study.folder.calls, asking) as models:
            await take_questions(study, bundle.questions, models.embedder, cluster_size=QUESTIONS_A_CLUSTER)
            runs = await _run(study, models, bundle, progress, everything=everything, limit=limit)
            metrics = [METRICS[name]() for name in METRIC_NAMES]
            scored = await score_study(study, metrics, models, progress)
            questions = {question.id: question for question in study.questions}
            shown = Shown(
                results=show(scored.scores, questions, seed=study.settings.seed),
                questions=questions,
                banners=(*models.banners, *banners),
                stopped=next((run.stopped for run in runs if run.stopped), scored.stopped),
            )
    save_results(study, shown.results, correction="holm", confidence=0.95)
    report, *_ = write_study_report(study, shown)
    return QuickstartResult(
        shown=shown,
        report=report,
        runs=runs,
        calls=meter.total.calls - meter.total.recorded,
        recorded=meter.total.recorded,
        seconds=time.monotonic() - started,
    )


def _study(root: Path, asking: Asking, seed: int | None) -> tuple[Study, tuple[str, ...]]:
    """Return the study with the best model whose weights are here, and what to say where none is."""
    study = open_study(root) if (root / "study.toml").exists() else new_study(root)
    here = next((name for name in MODELS if is_ready(name)), None)
    model = asking.roles.get("answer") or (f"embedded:{here}" if here else "")
    banners: tuple[str, ...] = ()
    if not model:
        banners = (NO_MODEL,)
    elif here != MODELS[0] and not asking.roles.get("answer"):
        banners = (f"{MODELS[0]} is not here: {here} answers, which is too small to answer well.",)
    settings = study.settings.model_copy(
        update={
            "seed": study.settings.seed if seed is None else seed,
            "models": study.settings.models.model_copy(update={"answer": model}),
            "answers": AnswerSettings(max_tokens=ANSWER_TOKENS),
        }
    )
    return replace(study, given=settings), banners


async def _run(
    study: Study, models: Models, bundle: Bundle, progress: Progress, *, everything: bool, limit: int | None
) -> tuple[RunResult, ...]:
    bench = bench_of(study, models, "answer")
    floors = RunPlan(methods=FLOORS, scopes=SCOPES, questions=study.questions, limit=limit)
    runs = [await run_methods(study, floors, bench, progress, ledger=models.ledger)]
    if models.llms["answer"] is not None:
        chosen = study.questions if everything else [one for one in study.questions if one.id in bundle.sample]
        writers = RunPlan(methods=WRITERS, scopes=SCOPES, questions=chosen, limit=limit)
        runs.append(await run_methods(study, writers, bench, progress, ledger=models.ledger))
    return tuple(runs)
