"""The library's whole jobs in one call: a question answered over files, and the quickstart.

The arguments mean what they mean in `astrolabe.study.api`.
"""

import asyncio
from pathlib import Path

from astrolabe.core.protocols import Method
from astrolabe.methods import METHODS
from astrolabe.study import asking as question_asking
from astrolabe.study import quickstart as main_job
from astrolabe.study.arguments import Place, Stoppable, Where, spelled, study_at
from astrolabe.study.models import CallMode, asking_with
from astrolabe.study.progress import SILENT, Progress


async def ask(  # noqa: PLR0913  each is an option of the command
    question: str,
    *paths: Place,
    study: Where = ".",
    method: str | Method | None = None,
    answer: str | None = None,
    embed: str | None = None,
    calls: CallMode = "reuse",
    budget: str | None = None,
    seconds_per_file: float = 60.0,
    progress: Progress = SILENT,
) -> question_asking.AskResult:
    """Answer one question over files and folders, or over a study's documents, with its evidence.

    Args:
        question: The question.
        paths: Files and folders; what was read is kept in the user's cache folder. None for the study's documents.
        study: The study, or its folder; not looked at where paths are given.
        method: A method or its spelled name; null for `vanilla` where a model is here, else `extractive`.
        answer: The model that answers.
        embed: The embedding model.
        calls: What the record of calls is used for.
        budget: A cap.
        seconds_per_file: A file that takes longer is failed; its neighbours are read.
        progress: Hears of every file, in another thread.

    Raises:
        UserError: There are no usable documents, or no model plays a role that the method needs.
        Stopped: The budget or the provider ended it.
    """
    asking = asking_with(answer=answer, embed=embed, calls=calls, budget=budget)
    if paths:
        with Stoppable(progress) as watched:
            opened = await asyncio.to_thread(
                question_asking.study_of_paths,
                [Path(path) for path in paths],
                watched,
                seconds_per_file=seconds_per_file,
            )
    else:
        opened = study_at(study)
    chosen = None if method is None else spelled(method, METHODS)
    return await question_asking.ask(opened, question, chosen, asking)


async def quickstart(
    folder: Place = "astrolabe-quickstart",
    *,
    everything: bool = False,
    answer: str | None = None,
    embed: str | None = None,
    calls: CallMode = "reuse",
    budget: str | None = None,
    progress: Progress = SILENT,
) -> main_job.QuickstartResult:
    """Do the main job on bundled real documents: ingest, run, score, compare, report; no key, no network.

    Args:
        folder: The study's folder; made where it is missing.
        everything: Let the methods that ask a model answer every question.
        answer: The model that answers.
        embed: The embedding model.
        calls: What the record of calls is used for.
        budget: A cap.
        progress: Hears of every step.

    Raises:
        UserError: The folder cannot be written to.
    """
    asking = asking_with(answer=answer, embed=embed, calls=calls, budget=budget)
    return await main_job.quickstart(Path(folder), asking, progress, everything=everything)
