"""What a command would call, before anything is paid for.

The steps are gone through with a model that answers from the record alone: what is recorded is free, and
the first call that is not ends that question, counted with its tokens. For methods whose calls do not
depend on replies the count is exact.
"""

import math
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from astrolabe.core.errors import NotRecorded
from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.protocols import LLM
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.core.tokens import count_tokens
from astrolabe.metrics import METRICS
from astrolabe.study.answers import AGAIN, Job, standing_answers
from astrolabe.study.bench import bench_of, kits_of_answers
from astrolabe.study.kit import Bench, Kits
from astrolabe.study.models import Asking, Role, open_models
from astrolabe.study.progress import Progress
from astrolabe.study.run import made_from, scope_documents
from astrolabe.study.running import RunRequest, chosen_methods, chosen_questions, scope_names
from astrolabe.study.scoring import chosen_answers
from astrolabe.study.settings import PriceSettings
from astrolabe.study.study import Study

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
    """A model that answers from the record and counts what is not there."""

    llm: LLM
    stages: dict[str, _Tally] = field(default_factory=dict[str, _Tally])

    @property
    def id(self) -> str:
        """The id of the model that would be asked."""
        return self.llm.id

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        """Return the recorded reply, or count the call."""
        tally = self.stages.setdefault(prompt.stage, _Tally())
        try:
            reply = await self.llm.ask(prompt)
        except NotRecorded:
            tally.calls += 1
            tally.prompt_tokens += sum(count_tokens(message.content) for message in prompt.messages)
            tally.reply_tokens += prompt.max_tokens
            raise _Planned from None
        tally.recorded += 1
        return reply


async def plan_run(study: Study, request: RunRequest, asking: Asking, progress: Progress) -> list[StagePlan]:
    """Return what `run` would call, by stage; an empty list where no model would be asked.

    Raises:
        UserError: As `run` would.
    """
    study.need_documents()
    questions = chosen_questions(study, request)
    async with open_models(study.settings, study.folder.calls, _replaying(asking)) as models:
        bench, counting = _counting(bench_of(study, models, "answer"))
        kits = Kits(bench)
        methods = chosen_methods(request, bench)
        source = made_from(study, bench)
        standing = {spell(method): standing_answers(study, spell(method), source) for method in methods}
        progress.begin("planning", 0)
        for scope in request.scopes or scope_names(questions):
            for question in questions[: request.limit]:
                documents = scope_documents(study, question, scope)
                for method in methods if documents is not None else ():
                    kept = standing[spell(method)].get(Job(question.id, scope))
                    if kept is None or kept.status in AGAIN:
                        await _try(method.answer(question, kits.of(scope, documents or ())))
                    progress.step()
        progress.end()
        return _stages(study, counting, "answer", asking)


async def plan_score(study: Study, metrics: Sequence[str], asking: Asking, progress: Progress) -> list[StagePlan]:
    """Return what `score` would call for the answers that there are, by stage.

    Raises:
        UserError: As `score` would.
    """
    answers = chosen_answers(study, ())
    questions = {question.id: question for question in study.need_questions()}
    async with open_models(study.settings, study.folder.calls, _replaying(asking)) as models:
        bench, counting = _counting(bench_of(study, models, "judge"))
        kit_of = kits_of_answers(study, bench, questions)
        progress.begin("planning", 0)
        for name in metrics:
            metric = parse_spelled(name, METRICS, what="metric")
            for answer in answers:
                await _try(metric.score(questions[answer.question_id], answer, kit_of(answer)))
                progress.step()
        progress.end()
        return _stages(study, counting, "judge", asking)


def _replaying(asking: Asking) -> Asking:
    return replace(asking, mode="replay", budget=None)


def _counting(bench: Bench) -> tuple[Bench, _Counting | None]:
    if bench.llm is None:
        return bench, None
    counting = _Counting(bench.llm)
    return replace(bench, llm=counting), counting


async def _try(work: Awaitable[object]) -> None:
    with suppress(_Planned):
        await work


def _stages(study: Study, counting: _Counting | None, role: Role, asking: Asking) -> list[StagePlan]:
    if counting is None:
        return []
    spelled = asking.roles.get(role) or getattr(study.settings.models, role)
    price = study.settings.prices.get(spelled)
    local = spelled.startswith("embedded:")
    at_once = 1 if local else study.settings.limits.concurrency
    return [_stage(name, tally, price, local=local, at_once=at_once) for name, tally in sorted(counting.stages.items())]


def _stage(name: str, tally: _Tally, price: PriceSettings | None, *, local: bool, at_once: int) -> StagePlan:
    expected = math.ceil(tally.reply_tokens * EXPECTED_SHARE)
    prompt_seconds, reply_seconds = _EMBEDDED_SECONDS if local else _SERVED_SECONDS
    usd = (tally.prompt_tokens * price.prompt + expected * price.completion) / 1e6 if price else None
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
