"""What a command would call, before anything is paid for.

The steps are gone through with a model that answers from the record alone: what is recorded is free, and what is
not is counted with its tokens. What depends on replies that are not there yet is bounded by what the method says of
itself (`Calls`); for methods whose calls do not depend on replies the count is exact. Tokens are counted with our
tokenizer and corrected by what recorded calls of the same prompt took.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from astrolabe.core.records import Usage
from astrolabe.llm.metered import Price
from astrolabe.store.calls import CallRecord
from astrolabe.study.bench import bench_of, loose_bench
from astrolabe.study.counting import EXPECTED_SHARE, Counting, Tally, Walk, mean_tokens
from astrolabe.study.kit import Bench, Kits, ScopeKit
from astrolabe.study.loose import loose_scoring, read_loose, record_of_loose_calls
from astrolabe.study.models import Asking, Role, missing_model, open_models, price_of
from astrolabe.study.own_system import STAGE as SYSTEM_STAGE
from astrolabe.study.own_system import OwnSystem
from astrolabe.study.progress import Progress
from astrolabe.study.results import metrics_of
from astrolabe.study.run import answer_task
from astrolabe.study.running import RunRequest, plan_of
from astrolabe.study.scoring import Scoring, open_scores, score_task, scoring_of
from astrolabe.study.settings import AnswerSettings, Settings
from astrolabe.study.study import Study
from astrolabe.study.tasks import Task, work_of

LEARNED_FROM: Final = 20
"""So many finished questions, or scores, are gone through to learn what their prompts took."""
_EMBEDDED_SECONDS: Final = (1 / 70, 1 / 12)
_SERVED_SECONDS: Final = (1 / 5000, 1 / 60)
"""Seconds a prompt token and a reply token take: on two cores, and on a usual server. Rough."""


class StagePlan(BaseModel):
    """What one stage would call.

    Attributes:
        stage: Where the cost will be counted.
        calls: Expected new calls; `index.later` and `answer.later` depend on replies that are not there yet.
        calls_low: The fewest.
        calls_high: The most.
        recorded: Calls that the record already has, each once; they are free.
        prompt_tokens: Of the new calls.
        completion_tokens: Expected: as recorded replies to the same prompt, else half of what a reply may take.
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


@dataclass(slots=True)
class _Later:
    """Calls that depend on replies that are not there yet: how many at least, and at most.

    Within a group the same calls may be meant again (what two scopes or methods share is asked once), so only the
    largest number of a group is sure to be made.
    """

    high: int = 0
    _lows: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def low(self) -> int:
        """The fewest."""
        return sum(self._lows.values())

    def add(self, group: str, low: float, high: float) -> None:
        """Add bounds; none is below 0."""
        self._lows[group] = max(self._lows.get(group, 0), math.floor(low))
        self.high += max(0, math.ceil(high))


@dataclass(slots=True)
class _Run:
    """What a run would call: what was counted, and what can only be bounded."""

    counting: Counting | None
    index: _Later = field(default_factory=_Later)
    question: _Later = field(default_factory=_Later)
    own: int = 0

    async def go_through(self, task: Task, kit: ScopeKit) -> None:
        """Walk through one question; what the walk cannot reach is bounded by what the method says of itself."""
        if isinstance(task.method, OwnSystem):
            self.own += 1
            return
        if self.counting is None:
            await answer_task(task, kit)
            return
        walk = self.counting.walk = Walk()
        answer = await answer_task(task, kit)
        calls = task.method.calls
        if walk.index_stops and calls.cut is not None:
            passages = len(kit.passages(calls.cut))
            low, high = calls.passage_low * passages, calls.passage_high * passages + calls.scope_high
            self.index.add("", low - walk.index, high - walk.index)
        if walk.index_stops or walk.question_stops or answer.status == "failed":
            low, high = calls.question_low - walk.question, calls.question_high - walk.question
            self.question.add(task.question.id, low, high)


async def plan_run(study: Study, request: RunRequest, asking: Asking, progress: Progress) -> list[StagePlan]:
    """Return what `run` would call, by stage; an empty list where no model would be asked.

    A system of the user's own is not called: each of its answers is one call.

    Raises:
        UserError: As `run` would.
    """
    study.need_documents()  # before anything is opened: a folder that is no study stays as it is
    study.need_questions()
    with CallRecord(study.folder.calls) as record:
        async with open_models(study.settings, study.folder.calls, _replaying(asking), embedding="reuse") as models:
            bench, counting = _counting(bench_of(study, models, "answer"), asking, record)
            work = work_of(study, plan_of(study, request, bench), bench)
            kits, found = Kits(bench), _Run(counting)
            if counting is not None:
                with counting.learning():
                    for task in work.done[:LEARNED_FROM]:
                        await answer_task(task, kits.of(task.scope, task.documents))
            progress.begin("planning", len(work.open))
            for task in work.open:
                await found.go_through(task, kits.of(task.scope, task.documents))
                progress.step()
            progress.end()
    stages = _run_stages(study.settings, found, asking, bench.answers)
    _note_missing("answer", study.settings, asking, stages=stages, progress=progress)
    return stages


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
    with CallRecord(study.folder.calls) as record:
        async with open_models(study.settings, study.folder.calls, _replaying(asking), embedding="reuse") as models:
            bench, counting = _counting(bench_of(study, models, "judge"), asking, record)
            scoring = scoring_of(study, metrics_of(metrics), bench, methods=methods, limit=limit)
            await _try_all(scoring, study, counting, progress)
    stages = _stages(study.settings, counting, "judge", asking)
    _note_missing("judge", study.settings, asking, stages=stages, progress=progress)
    return stages


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
    with CallRecord(record_of_loose_calls()) as record:
        async with open_models(settings, record_of_loose_calls(), _replaying(asking), embedding="reuse") as models:
            bench, counting = _counting(loose_bench(models, "judge", settings.answers), asking, record)
            await _try_all(loose_scoring(given, metrics_of(metrics), bench), None, counting, progress)
    stages = _stages(settings, counting, "judge", asking)
    _note_missing("judge", settings, asking, stages=stages, progress=progress)
    return stages


def _note_missing(
    role: Role, settings: Settings, asking: Asking, *, stages: Sequence[StagePlan], progress: Progress
) -> None:
    """Say what is missing for what was planned to be asked: a plan needs neither keys nor weights."""
    lack = missing_model(role, settings, asking)
    if lack and any(stage.calls_high for stage in stages if stage.stage != SYSTEM_STAGE):
        progress.note(f"nothing of it can be asked yet: {lack}")


def _replaying(asking: Asking) -> Asking:
    return replace(asking, mode="replay", budget=None)


def _counting(bench: Bench, asking: Asking, record: CallRecord) -> tuple[Bench, Counting | None]:
    if bench.llm is None:
        return bench, None
    counting = Counting(llm=bench.llm, record=record, live=asking.mode == "live")
    return replace(bench, llm=counting), counting


async def _try_all(scoring: Scoring, study: Study | None, counting: Counting | None, progress: Progress) -> None:
    found = open_scores(scoring, study)
    if counting is not None:
        with counting.learning():
            for task in found.done[:LEARNED_FROM]:
                await score_task(task, scoring)
    progress.begin("planning", len(found.tasks))
    for task in found.tasks:
        await score_task(task, scoring)
        progress.step()
    progress.end()


def _run_stages(settings: Settings, found: _Run, asking: Asking, answers: AnswerSettings) -> list[StagePlan]:
    stages = _stages(settings, found.counting, "answer", asking)
    if found.counting is not None:
        usual = Tally(calls=1, prompt_tokens=answers.context_tokens, reply_tokens=answers.max_tokens)
        for name, later, index in (("index.later", found.index, True), ("answer.later", found.question, False)):
            if later.high:
                one = mean_tokens(found.counting.tallies, index=index, other=usual)
                stages.append(_later_stage(name, later, one, _terms(settings, "answer", asking)))
    if found.own:
        terms = _Terms(price=None, local=False, at_once=1)
        stages.append(_stage(SYSTEM_STAGE, Tally(calls=found.own), terms))
    return stages


class _Terms(NamedTuple):
    """What tokens of a model cost, in money and time."""

    price: Price | None
    local: bool
    at_once: int


def _terms(settings: Settings, role: Role, asking: Asking) -> _Terms:
    spelled = asking.roles.get(role) or getattr(settings.models, role)
    local = spelled.startswith("embedded:")
    return _Terms(price_of(settings, spelled), local, 1 if local else settings.limits.concurrency)


def _stages(settings: Settings, counting: Counting | None, role: Role, asking: Asking) -> list[StagePlan]:
    if counting is None:
        return []
    terms = _terms(settings, role, asking)
    return [_stage(name, counting.expected(name), terms) for name in counting.stages]


def _later_stage(name: str, later: _Later, one: Tally, terms: _Terms) -> StagePlan:
    """Return the plan of calls that are not known one by one: as many as the middle of their bounds."""
    calls = (later.low + later.high) // 2
    replies = round(EXPECTED_SHARE * one.reply_tokens * calls)
    middle = Tally(calls=calls, prompt_tokens=one.prompt_tokens * calls, reply_tokens=replies)
    return _stage(name, middle, terms).model_copy(update={"calls_low": later.low, "calls_high": later.high})


def _stage(name: str, tally: Tally, terms: _Terms) -> StagePlan:
    prompt_seconds, reply_seconds = _EMBEDDED_SECONDS if terms.local else _SERVED_SECONDS
    asked = Usage(prompt_tokens=tally.prompt_tokens, completion_tokens=tally.reply_tokens)
    usd = terms.price.usd(asked) if terms.price else None
    seconds = tally.prompt_tokens * prompt_seconds + tally.reply_tokens * reply_seconds
    return StagePlan(
        stage=name,
        calls=tally.calls,
        calls_low=tally.calls,
        calls_high=tally.calls,
        recorded=tally.recorded,
        prompt_tokens=tally.prompt_tokens,
        completion_tokens=tally.reply_tokens,
        usd=0.0 if terms.local or not tally.calls else usd,
        seconds=round(seconds / terms.at_once, 1),
    )
