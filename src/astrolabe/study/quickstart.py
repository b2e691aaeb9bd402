"""The main job on bundled real documents: ingest, answer, score, compare, report."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from astrolabe.core.protocols import Method
from astrolabe.core.records import Question
from astrolabe.core.usage import metering
from astrolabe.llm.embedded import is_ready
from astrolabe.methods.extractive import Extractive
from astrolabe.methods.llm_only import LLMOnly
from astrolabe.methods.vanilla import Vanilla
from astrolabe.metrics import METRICS
from astrolabe.study.bench import bench_of
from astrolabe.study.bundle import Bundle, bundled, take_bundle
from astrolabe.study.faults import under_way
from astrolabe.study.models import Asking, Models, open_models
from astrolabe.study.progress import Progress
from astrolabe.study.recorded_methods import EMBEDDER, INDEXED, INDEXED_SCOPES, LENGTHS, MODEL, replay_record
from astrolabe.study.reporting import write_study_report
from astrolabe.study.results import save_results, show
from astrolabe.study.run import RunResult, run_methods
from astrolabe.study.scoring import score_study
from astrolabe.study.shown import Shown
from astrolabe.study.study import Study, open_or_new
from astrolabe.study.tasks import RunPlan

SCOPES: Final = ("simple", "middle", "hard")
FLOORS: Final[tuple[Method, ...]] = (Extractive(), Extractive(retriever="bm25"))
"""Answer every question."""
WRITERS: Final[tuple[Method, ...]] = (LLMOnly(), Vanilla(k=3, size=256))
"""Answer a fixed sample, a question a kind: a small model on two cores takes some seconds for each."""
MODELS: Final = (MODEL, "smollm2-135m")
"""The embedded models, the better one first."""
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


class _Chosen(NamedTuple):
    """How much is asked: see `quickstart`."""

    everything: bool
    limit: int | None


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
        everything: Let the methods that ask a model answer all questions in all scopes, and ask for those, too,
            that otherwise answer from the bundled record.
        seed: Replaces the settings'; null for theirs.
        limit: At most so many questions a method and scope; null for all.

    Raises:
        UserError: The folder cannot be written to.
        Stopped: The disk is full.
    """
    started = time.monotonic()
    chosen = _Chosen(everything, limit)
    study, banners = _study(root, asking, seed)
    with under_way(), bundled() as bundle, metering() as meter:
        async with open_models(study.settings, study.folder.calls, asking) as models:
            await take_bundle(study, [bundle.documents], bundle.questions, embedder=models.embedder, progress=progress)
            runs = await _run(study, models, bundle, asking=asking, chosen=chosen, progress=progress)
            if _is_from_record(asking, models, chosen):
                replayed = await replay_record(study, bundle, progress, limit=limit)
                runs, banners = (*runs, replayed.run), (*banners, *replayed.banners)
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
    study = open_or_new(root)
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
            "answers": LENGTHS,
        }
    )
    return replace(study, given=settings), banners


async def _run(
    study: Study, models: Models, bundle: Bundle, *, asking: Asking, chosen: _Chosen, progress: Progress
) -> tuple[RunResult, ...]:
    bench = bench_of(study, models, "answer")
    return tuple(
        [
            await run_methods(study, plan, bench, progress, ledger=models.ledger)
            for plan in _plans(study.questions, bundle, asking, chosen, is_answered=bench.llm is not None)
        ]
    )


def _plans(
    questions: Sequence[Question], bundle: Bundle, asking: Asking, chosen: _Chosen, *, is_answered: bool
) -> Iterator[RunPlan]:
    """Yield what is asked now, the methods without a model first; the rest comes from the bundled record."""
    yield RunPlan(methods=FLOORS, scopes=SCOPES, questions=questions, limit=chosen.limit)
    if not is_answered:
        return
    sample = bundle.sampled(questions)
    if chosen.everything:
        yield RunPlan(methods=(*WRITERS, *INDEXED), scopes=SCOPES, questions=questions, limit=chosen.limit)
        return
    yield RunPlan(methods=WRITERS, scopes=SCOPES, questions=sample, limit=chosen.limit)
    if asking.mode == "live":
        yield RunPlan(methods=INDEXED, scopes=INDEXED_SCOPES, questions=sample, limit=chosen.limit)


def _is_from_record(asking: Asking, models: Models, chosen: _Chosen) -> bool:
    """Tell whether the bundled record speaks: nobody asked for more, for fresh replies or for other models."""
    own = asking.roles.get("answer", f"embedded:{MODEL}") == f"embedded:{MODEL}"
    return own and not chosen.everything and asking.mode != "live" and models.embedder.id.startswith(f"{EMBEDDER}@")
