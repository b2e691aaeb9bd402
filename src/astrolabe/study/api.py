"""The library: what the commands do, as coroutines; `astrolabe.study.sync` has the same without `await`.

Some arguments mean the same in every function:

- `study`: a study, or its folder.
- `answer`, `judge`, `embed`: the model of a role, spelled `provider:name`; it replaces that of `study.toml`.
- `calls`: `reuse` recorded replies, ask `live`, or `replay` the record alone.
- `budget`: a cap on what this call spends, such as `0.50usd`, `2M tokens` or `10min`.
- `progress`: hears of every step, possibly in another thread.

Nothing here is bound to an event loop: the same study serves one loop after the other.
"""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from astrolabe.benchmark import IMPORTERS, Imported
from astrolabe.compare import RESAMPLES, Correction
from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Method, Metric
from astrolabe.core.records import Answer, Document, Question
from astrolabe.documents import RecordFields
from astrolabe.report import FORMATS, Format
from astrolabe.study import bundle, elsewhere, importing, ingesting, loose, plan, reporting, running, study_scores
from astrolabe.study import status as states
from astrolabe.study import study as studies
from astrolabe.study.arguments import (
    Names,
    Place,
    Stoppable,
    System,
    Where,
    as_file,
    listed,
    metric_names,
    run_request,
    study_at,
)
from astrolabe.study.models import CallMode, asking_with
from astrolabe.study.progress import SILENT, Progress


async def new_study(folder: Place, *, example: bool = False) -> studies.Study:
    """Make a study folder with commented settings and return the study.

    Args:
        folder: The study's folder.
        example: Put two bundled documents and three questions over them into it, few enough to try any method.

    Raises:
        UserError: The folder holds a study already, or cannot be written to.
    """
    if example:
        return await bundle.new_example(Path(folder), asking_with(), SILENT)
    return studies.new_study(Path(folder))


async def open_study(folder: Place = ".", *, seed: int | None = None) -> studies.Study:
    """Return the study in a folder.

    Args:
        folder: The study's folder.
        seed: Replaces the seed of `study.toml`.

    Raises:
        UserError: The folder does not exist.
    """
    return studies.open_study(Path(folder), seed=seed)


async def study_status(study: Where) -> states.StudyStatus:
    """Return what is done, failed and missing in a study, as counts by state."""
    return states.study_status(study_at(study))


async def ingest(
    study: Where,
    *paths: Place,
    text_field: str | None = None,
    title_field: str = "title",
    date_field: str = "date",
    seconds_per_file: float = 60.0,
    sample: int | None = None,
    progress: Progress = SILENT,
) -> ingesting.IngestResult:
    """Read files and folders into a study; what has not changed is not read again.

    Cancelled, it ends at the next file and writes nothing.

    Args:
        study: The study, or its folder.
        paths: Files and folders.
        text_field: JSON lines: the field that holds the text; null finds it.
        title_field: JSON lines: the field that holds the title.
        date_field: JSON lines: the field that holds the date.
        seconds_per_file: A file that takes longer is failed; its neighbours are read.
        sample: Of the pages of dumps, keep the gold pages that the study's benchmark names and so many others.
        progress: Hears of every file, in another thread.

    Raises:
        UserError: A path does not exist, there is nothing to draw a sample from, or nothing usable was found; then
            nothing is written.
    """
    opened = study_at(study)
    fields = RecordFields(text=text_field, title=title_field, date=date_field)
    with Stoppable(progress) as watched:
        return await asyncio.to_thread(
            ingesting.ingest,
            opened,
            [Path(path) for path in paths],
            watched,
            fields=fields,
            seconds_per_file=seconds_per_file,
            sample=sample,
        )


async def import_benchmark(study: Where, form: str, path: Place, *, embed: str | None = None) -> importing.Taken:
    """Read a benchmark in a foreign format into a study.

    Args:
        study: The study, or its folder.
        form: The format: `jsonl`, `astra`, ...; `astrolabe import --help` lists them.
        path: The file or folder to read.
        embed: The embedding model that groups questions into scopes.

    Returns:
        What was written, and what could not be read without a guess.

    Raises:
        FileError: The import found errors; nothing is written.
        ConfigError: There is no such format.
    """
    if form not in IMPORTERS:
        msg = f"{form!r}: there is no format of this name; choose one of {', '.join(sorted(IMPORTERS))}"
        raise ConfigError(msg)
    imported = await asyncio.to_thread(IMPORTERS[form], Path(path))
    taken = await importing.take_imported(study_at(study), imported, asking_with(embed=embed))
    return importing.Taken(taken.written, [*imported.problems, *taken.problems])


async def take_benchmark(
    study: Where, questions: Iterable[Question], documents: Iterable[Document] = (), *, embed: str | None = None
) -> importing.Taken:
    """Take questions into a study, in place of those there; their scopes are computed.

    Args:
        study: The study, or its folder.
        questions: The questions with their gold.
        documents: Documents to keep beside those of the study.
        embed: The embedding model that groups questions into scopes.

    Raises:
        UserError: Evidence names documents that the study does not hold.
    """
    imported = Imported(questions=tuple(questions), documents=tuple(documents))
    return await importing.take_imported(study_at(study), imported, asking_with(embed=embed))


async def run(  # noqa: PLR0913  each is an option of the command
    study: Where,
    *methods: str | Method,
    scopes: Names = (),
    system: System | None = None,
    system_timeout_seconds: float = 120.0,
    questions: Names = (),
    answer: str | None = None,
    embed: str | None = None,
    calls: CallMode = "reuse",
    budget: str | None = None,
    limit: int | None = None,
    progress: Progress = SILENT,
) -> running.RunResult:
    """Answer a study's questions with methods, or with a system of yours; answers that stand are kept.

    Args:
        study: The study, or its folder.
        methods: Methods, or their spelled names such as `vanilla(k=5)`; `all` stands for every known one.
        scopes: Names of scopes; none for all that the questions have.
        system: A system of yours, run beside the methods: a URL, `module:function` or a function, plain or `async`.
        system_timeout_seconds: The longest that it may take for one answer.
        questions: Ids of the questions; none for all.
        answer: The model that answers.
        embed: The embedding model.
        calls: What the record of calls is used for.
        budget: A cap; reached, the run ends early, and `stopped` says so.
        limit: At most so many questions a scope.
        progress: Hears of every answer.

    Raises:
        UserError: A name is unknown, or the study has no documents or questions; nothing ran.
    """
    request = run_request(
        methods,
        scopes=scopes,
        system=system,
        system_timeout_seconds=system_timeout_seconds,
        questions=questions,
        limit=limit,
    )
    asking = asking_with(answer=answer, embed=embed, calls=calls, budget=budget)
    return await running.run(study_at(study), request, asking, progress)


async def plan_run(
    study: Where,
    *methods: str | Method,
    scopes: Names = (),
    questions: Names = (),
    answer: str | None = None,
    embed: str | None = None,
    limit: int | None = None,
    progress: Progress = SILENT,
) -> list[plan.StagePlan]:
    """Return what `run` with these arguments would call, by stage; empty where no model would be asked.

    The arguments are those of `run`.

    Raises:
        UserError: As `run` would.
    """
    request = run_request(methods, scopes=scopes, questions=questions, limit=limit)
    return await plan.plan_run(study_at(study), request, asking_with(answer=answer, embed=embed), progress)


async def score(
    study: Where,
    *metrics: str | Metric,
    methods: Names = (),
    judge: str | None = None,
    embed: str | None = None,
    calls: CallMode = "reuse",
    budget: str | None = None,
    limit: int | None = None,
    progress: Progress = SILENT,
) -> study_scores.Shown:
    """Score a study's answers; scores that stand are kept.

    Args:
        study: The study, or its folder.
        metrics: Metrics or their spelled names; none for `topics_local`, and `set_f1` for questions that have gold
            answers and no topics: neither needs a judge.
        methods: Only the answers of these spelled methods; none for all.
        judge: The model that judges.
        embed: The embedding model.
        calls: What the record of calls is used for.
        budget: A cap; reached, scoring ends early, and `stopped` says so.
        limit: At most so many answers.
        progress: Hears of every score.

    Raises:
        UserError: There are no answers, or a metric is unknown or lacks a model.
    """
    asking = asking_with(judge=judge, embed=embed, calls=calls, budget=budget)
    return await study_scores.score_and_show(
        study_at(study), metric_names(metrics), asking, progress, methods=listed(methods), limit=limit
    )


async def score_answers(  # noqa: PLR0913  each is an option of the command
    answers: Place | Sequence[Answer],
    benchmark: Place | Sequence[Question],
    *metrics: str | Metric,
    judge: str | None = None,
    embed: str | None = None,
    calls: CallMode = "reuse",
    budget: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    progress: Progress = SILENT,
) -> study_scores.Shown:
    """Score answers made elsewhere against a benchmark; no study is needed, none is written.

    Args:
        answers: A file (JSON lines or CSV; `question_id` and `text` suffice), or answers.
        benchmark: A file of questions as JSON lines, or questions.
        metrics: Metrics or their spelled names; none for `topics_local`, and `set_f1` for questions that have gold
            answers and no topics: neither needs a judge.
        judge: The model that judges.
        embed: The embedding model.
        calls: What the record of calls is used for.
        budget: A cap; reached, scoring ends early, and `stopped` says so.
        limit: At most so many answers.
        seed: Of intervals and tests.
        progress: Hears of every score.

    Raises:
        FileError: A file has faults; names all of them, and nothing is scored.
        ConfigError: A metric is unknown or lacks a model.
    """
    asking = asking_with(judge=judge, embed=embed, calls=calls, budget=budget)
    chosen = metric_names(metrics)
    with as_file(answers, "answers") as made, as_file(benchmark, "benchmark") as asked:
        return await loose.score_file(made, asked, chosen, asking, progress=progress, seed=seed, limit=limit)


async def plan_score(
    study: Where,
    *metrics: str | Metric,
    methods: Names = (),
    judge: str | None = None,
    embed: str | None = None,
    limit: int | None = None,
    progress: Progress = SILENT,
) -> list[plan.StagePlan]:
    """Return what `score` with these arguments would call, by stage; empty where no model would be asked.

    The arguments are those of `score`.

    Raises:
        UserError: As `score` would.
    """
    asking = asking_with(judge=judge, embed=embed)
    return await plan.plan_score(
        study_at(study), metric_names(metrics), asking, progress, methods=listed(methods), limit=limit
    )


async def compare_study(
    study: Where, *, correction: Correction = "holm", confidence: float = 0.95, resamples: int = RESAMPLES
) -> study_scores.Shown:
    """Compare a study's methods on its scores, and write `comparison/`.

    Args:
        study: The study, or its folder.
        correction: Of p, over all pairs of a metric and scope.
        confidence: Of intervals and verdicts; above 0, below 1.
        resamples: Bootstrap samples behind an interval.

    Raises:
        UserError: There are no scores.
    """
    return await asyncio.to_thread(
        study_scores.compare_study,
        study_at(study),
        correction=correction,
        confidence=confidence,
        resamples=resamples,
    )


async def write_report(
    study: Where,
    *formats: Format,
    correction: Correction = "holm",
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    beside: Sequence[Where] = (),
) -> list[Path]:
    """Write tables and one self-contained page from a study's scores; return the files, the page first.

    Args:
        study: The study, or its folder.
        formats: `html`, `md`, `latex`, `csv`; none for all.
        correction: Of p, over all pairs of a metric and scope.
        confidence: Of intervals and verdicts; above 0, below 1.
        resamples: Bootstrap samples behind an interval.
        beside: Other studies, whose main figures stand in one table with these.

    Raises:
        UserError: There are no scores.
        ConfigError: There is no such format.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        msg = f"{', '.join(map(repr, unknown))}: no such report format; choose of {', '.join(FORMATS)}"
        raise ConfigError(msg)
    opened, others = study_at(study), elsewhere.figures_of([study_at(other) for other in beside])
    shown = await compare_study(opened, correction=correction, confidence=confidence, resamples=resamples)
    return await asyncio.to_thread(reporting.write_study_report, opened, shown, formats or FORMATS, elsewhere=others)
