"""The command `run`: from what was asked to answers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Method
from astrolabe.core.records import Question
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.methods import METHODS
from astrolabe.study.bench import bench_of
from astrolabe.study.kit import Bench
from astrolabe.study.models import Asking, open_models
from astrolabe.study.own_system import OwnSystem, open_call, target_of
from astrolabe.study.progress import Progress
from astrolabe.study.run import RunResult, run_methods
from astrolabe.study.settings import Settings
from astrolabe.study.study import Study
from astrolabe.study.tasks import RunPlan

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What to run, as a user says it.

    Attributes:
        methods: Spelled methods; `all` stands for those of the study's settings, without any for every known one.
        scopes: Names of scopes; none for all that the questions have.
        system: A system of the user's own: a URL or `module:function`.
        system_timeout_seconds: The longest that it may take for one answer.
        questions: Ids of the questions; none for all.
        limit: At most so many questions a scope.
    """

    methods: Sequence[str] = ()
    scopes: Sequence[str] = ()
    system: str | None = None
    system_timeout_seconds: float = 120.0
    questions: Sequence[str] = ()
    limit: int | None = None


async def run(study: Study, request: RunRequest, asking: Asking, progress: Progress) -> RunResult:
    """Answer the study's questions.

    Raises:
        UserError: A name is unknown, or the study has no documents or questions; nothing ran.
    """
    study.need_documents()  # before anything is opened: a folder that is no study stays as it is
    study.need_questions()
    async with open_models(study.settings, study.folder.calls, asking) as models:
        bench = bench_of(study, models, "answer")
        return await run_methods(study, plan_of(study, request, bench), bench, progress, ledger=models.ledger)


def plan_of(study: Study, request: RunRequest, bench: Bench) -> RunPlan:
    """Return the methods, scopes and questions of a request.

    Raises:
        UserError: A name is unknown, or the study has no documents or questions.
    """
    study.need_documents()
    questions = _questions(study, request)
    return RunPlan(
        methods=_methods(request, bench, study.settings),
        scopes=request.scopes or list(dict.fromkeys(name for question in questions for name in question.scopes)),
        questions=questions,
        limit=request.limit,
    )


def _methods(request: RunRequest, bench: Bench, settings: Settings) -> list[Method]:
    """Return the methods of a request; the user's own system is one more.

    Raises:
        ConfigError: A name or a parameter is unknown.
    """
    everything = settings.methods.all or METHODS
    names = [name for given in request.methods for name in (everything if given == ALL else (given,))]
    parsed: list[Method] = [parse_spelled(name, METHODS, what="method") for name in names]
    methods = list({spell(method): method for method in parsed}.values())
    if request.system is not None:
        methods.append(
            OwnSystem(
                target=target_of(request.system),
                timeout_seconds=request.system_timeout_seconds,
                call=open_call(request.system),
                shelf=bench.shelf,
                slots=asyncio.Semaphore(settings.limits.concurrency),
            )
        )
    return methods


def _questions(study: Study, request: RunRequest) -> list[Question]:
    """Return the questions of a request.

    Raises:
        UserError: The study has no questions, or none of some id.
    """
    questions = study.need_questions()
    if not request.questions:
        return questions
    known = {question.id: question for question in questions}
    missing = [name for name in request.questions if name not in known]
    if missing:
        msg = f"{study.folder.questions} holds no question {', '.join(map(repr, missing))}; see: astrolabe stats"
        raise ConfigError(msg)
    return [known[name] for name in dict.fromkeys(request.questions)]
