"""What a command would call, before anything is paid for.

The steps are gone through with a model that answers from the record alone: what is recorded is free, and
the first call that is not ends that question, counted with its tokens. For methods whose calls do not
depend on replies the count is exact.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from astrolabe.core.errors import ModelError, NotRecorded
from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.protocols import LLM
from astrolabe.core.records import Usage
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.metered import Price
from astrolabe.llm.recorded import call_key
from astrolabe.study.bench import bench_of, loose_bench
from astrolabe.study.kit import Bench, Kits
from astrolabe.study.loose import loose_scoring, read_loose, record_of_loose_calls
from astrolabe.study.models import Asking, Role, open_models, price_of
from astrolabe.study.own_system import STAGE as SYSTEM_STAGE
from astrolabe.study.own_system import OwnSystem
from astrolabe.study.progress import Progress
from astrolabe.study.results import metrics_of
from astrolabe.study.run import answer_task
from astrolabe.study.running import RunRequest, plan_of
from astrolabe.study.scoring import Scoring, open_scores, score_task, scoring_of
from astrolabe.study.settings import Settings
from astrolabe.study.study import Study
from astrolabe.study.tasks import work_of

R = TypeVar("R", bound="BaseModel | str")

EXPECTED_SHARE: Final = 0.5
"""Of the tokens that a reply may take, for the expected count; the cap is what may be paid."""
_EMBEDDED_SECONDS: Final = (1 / 70, 1 / 12)
_SERVED_SECONDS: Final = (1 / 5000, 1 / 60)
"""Seconds a prompt token and a reply token take: on two cores, and on a usual server. Rough."""


class StagePlan(BaseModel):
    """What one stage would call.

    Attributes:
        stage: Where the cost will be counted.
        calls: Expected new calls.
        calls_low: The fewest.
        calls_high: The most.
        recorded: Calls that the record already has; they are free.
        prompt_tokens: Of the new calls.
        completion_tokens: Expected; at most twice as many.
        usd: Expected; null without a price.
        seconds: A rough estimate.
    """

    model_config = ConfigDict(frozen=True)

    stage: str
    calls: Annotated[int, Field(ge=0)]
    calls_low: int
    calls_high: int
    recorded: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    seconds: float


class _Planned(Exception):
    """The question's first call that is not recorded was counted."""


@dataclass(slots=True)
class _Tally:
    calls: int = 0
    recorded: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(slots=True)
class _Counting:
    """A model that answers from the record and counts what is not there.

    A call that failed counts as new, as it will be asked again; the same call twice is asked once.
    """

    llm: LLM
    live: bool
    stages: dict[str, _Tally] = field(default_factory=dict[str, _Tally])
    _counted: set[bytes] = field(default_factory=set[bytes])

    @property
    def id(self) -> str:
        """The id of the model that would be asked."""
        return self.llm.id

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        """Return the recorded reply, or count the call."""
        tally = self.stages.setdefault(prompt.stage, _Tally())
        key = call_key(self.id, prompt)
        reply = await self._recorded(prompt)
        if key not in self._counted and (reply is None or self.live):
            tally.calls += 1
            tally.prompt_tokens += sum(count_tokens(message.content) for message in prompt.messages)
            tally.reply_tokens += prompt.max_tokens
        else:
            tally.recorded += 1
        self._counted.add(key)
        if reply is None:
            raise _Planned
        return reply

    async def _recorded(self, prompt: Prompt[R]) -> Reply[R] | None:
        with suppress(NotRecorded, ModelError):
            return await self.llm.ask(prompt)
        return None


async def plan_run(study: Study, request: RunRequest, asking: Asking, progress: Progress) -> list[StagePlan]:
    """Return what `run` would call, by stage; an empty list where no model would be asked.

    A system of the user's own is not called: each of its answers is one call.

    Raises:
        UserError: As `run` would.
    """
    async with open_models(study.settings, study.folder.calls, _replaying(asking), embedding="reuse") as models:
        bench, counting = _counting(bench_of(study, models, "answer"), asking)
        work = work_of(study, plan_of(study, request, bench), bench)
        kits = Kits(bench)
        own = _Tally()
        progress.begin("planning", len(work.open))
        for task in work.open:
            if isinstance(task.method, OwnSystem):
                own.calls += 1
            else:
                await answer_task(task, kits.of(task.scope, task.documents))
            progress.step()
        progress.end()
        stages = _stages(study.settings, counting, "answer", asking)
        return [*stages, _stage(SYSTEM_STAGE, own, None, local=False, at_once=1)] if own.calls else stages


async def plan_score(
    study: Study,
    metrics: Sequence[str],
    asking: Asking,
    progress: Progress,
    *,
    methods: Sequence[str] = (),
    limit: int | None = None,
) -> list[StagePlan]:
    """Return what `score` would call for the answers that there are, by stage.

    Raises:
        UserError: As `score` would.
    """
    async with open_models(study.settings, study.folder.calls, _replaying(asking), embedding="reuse") as models:
        bench, counting = _counting(bench_of(study, models, "judge"), asking)
        scoring = scoring_of(study, metrics_of(metrics), bench, methods=methods, limit=limit)
        await _try_all(scoring, study, progress)
        return _stages(study.settings, counting, "judge", asking)


async def plan_score_file(
    answers: Path,
    benchmark: Path,
    metrics: Sequence[str],
    asking: Asking,
    *,
    progress: Progress,
    limit: int | None = None,
) -> list[StagePlan]:
    """Return what scoring a file of answers would call, by stage.

    Raises:
        UserError: As `score` would.
    """
    settings = Settings()
    given = read_loose(answers, benchmark, limit=limit)
    async with open_models(settings, record_of_loose_calls(), _replaying(asking), embedding="reuse") as models:
        bench, counting = _counting(loose_bench(models, "judge", settings.answers), asking)
        await _try_all(loose_scoring(given, metrics_of(metrics), bench), None, progress)
        return _stages(settings, counting, "judge", asking)


def _replaying(asking: Asking) -> Asking:
    return replace(asking, mode="replay", budget=None)


def _counting(bench: Bench, asking: Asking) -> tuple[Bench, _Counting | None]:
    if bench.llm is None:
        return bench, None
    counting = _Counting(bench.llm, live=asking.mode == "live")
    return replace(bench, llm=counting), counting


async def _try_all(scoring: Scoring, study: Study | None, progress: Progress) -> None:
    tasks = open_scores(scoring, study).tasks
    progress.begin("planning", len(tasks))
    for task in tasks:
        await score_task(task, scoring)
        progress.step()
    progress.end()


def _stages(settings: Settings, counting: _Counting | None, role: Role, asking: Asking) -> list[StagePlan]:
    if counting is None:
        return []
    spelled = asking.roles.get(role) or getattr(settings.models, role)
    price = price_of(settings, spelled)
    local = spelled.startswith("embedded:")
    at_once = 1 if local else settings.limits.concurrency
    return [_stage(name, tally, price, local=local, at_once=at_once) for name, tally in sorted(counting.stages.items())]


def _stage(name: str, tally: _Tally, price: Price | None, *, local: bool, at_once: int) -> StagePlan:
    expected = math.ceil(tally.reply_tokens * EXPECTED_SHARE)
    prompt_seconds, reply_seconds = _EMBEDDED_SECONDS if local else _SERVED_SECONDS
    asked = Usage(prompt_tokens=tally.prompt_tokens, completion_tokens=expected)
    usd = price.usd(asked) if price else None
    return StagePlan(
        stage=name,
        calls=tally.calls,
        calls_low=tally.calls,
        calls_high=tally.calls,
        recorded=tally.recorded,
        prompt_tokens=tally.prompt_tokens,
        completion_tokens=expected,
        usd=0.0 if local or not tally.calls else usd,
        seconds=round((tally.prompt_tokens * prompt_seconds + expected * reply_seconds) / at_once, 1),
    )
