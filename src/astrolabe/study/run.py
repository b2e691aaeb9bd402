"""Running methods over questions and scopes: every job is a record, and a stopped run goes on."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from astrolabe.core.errors import ModelError, NotRecorded, Stopped, UserError
from astrolabe.core.records import Answer
from astrolabe.core.spelling import spell
from astrolabe.core.usage import metering
from astrolabe.study.answers import AGAIN, begin_answers, is_made_from
from astrolabe.study.faults import first_of
from astrolabe.study.kit import Bench, Kits, ScopeKit
from astrolabe.study.ledger import Ledger
from astrolabe.study.own_system import STAGE, OwnSystem
from astrolabe.study.progress import Progress
from astrolabe.study.study import Study
from astrolabe.study.tasks import RunPlan, Task, Work, asks_model, work_of
from astrolabe.study.turns import Done, Turns
from astrolabe.study.workers import work_through


@dataclass(slots=True, kw_only=True)
class RunResult:
    """What a run did: every job's answer, how many stood already, what ended it early, what its indexes lack."""

    answers: list[Answer] = field(default_factory=list[Answer])
    kept: int = 0
    stopped: str | None = None
    lacking: list[str] = field(default_factory=list[str])


class _Note(NamedTuple):
    """What reports say of answers beside what they are made from: see `begin_answers`."""

    keyed: bool
    bundled: bool


async def run_methods(
    study: Study, plan: RunPlan, bench: Bench, progress: Progress, *, ledger: Ledger | None = None
) -> RunResult:
    """Answer every question of the plan in every scope with every method.

    A job that fails becomes an answer with status and reason and stops no other. Jobs whose answer
    stands already are not run. A budget or the provider may stop the run between questions: what is
    there is kept, and `stopped` says why. A ledger notes what each answer took, or in `replay` knows it.

    Raises:
        UserError: Nothing could run at all (no questions in these scopes, no model for a role, or one without a key).
        NotRecorded: In `replay`, something that is asked for is in no record.
    """
    turns = Turns(Answer, _place, ledger.record.claims if ledger else None)
    for method in plan.methods:
        turns.watch(study.folder.answers(spell(method)))
    work = work_of(study, plan, bench)
    if ledger and ledger.replay:
        _need_no_system(work)
    if any(asks_model(task.method) for task in work.open):
        bench.need_ready_llm()
    result = RunResult(answers=list(work.kept), kept=len(work.kept))
    progress.begin("answering", len(work.open))
    bench.told, bench.lacking = progress.note, result.lacking
    kits = Kits(bench)
    begun: set[str] = set()

    async def answer(task: Task) -> Answer:
        """Answer, and see to what that took."""
        given = await answer_task(task, kits.of(task.scope, task.documents))
        return await ledger.of_answer(given, work.sources[given.method]) if ledger else given

    async def answered(task: Task) -> Done[Answer]:
        """Answer, or take what another process has just answered."""
        method = spell(task.method)
        return await turns.take(
            study.folder.answers(method),
            (method, task.question.id, task.scope),
            lambda: answer(task),
            lambda theirs: theirs.status not in AGAIN and is_made_from(study, method, work.sources[method]),
        )

    def keep(done: Sequence[Done[Answer]]) -> None:
        """Write answers and hold them."""
        own = [one.record for one in done if one.own]
        _keep(study, work, turns, own, begun=begun, note=note)
        result.answers += [one.record for one in done]
        result.kept += sum(not one.own for one in done)

    keyed = bool(ledger and bench.llm and work.open and await ledger.had_key(bench.llm.id))
    note = _Note(keyed, plan.is_bundled)
    result.stopped = await work_through(
        work.open, answered, keep, requests=study.settings.limits.concurrency, progress=progress
    )
    return result


def _need_no_system(work: Work) -> None:
    """Refuse to call a system of the user's own in `replay`.

    Raises:
        NotRecorded: It has answers to give, and no record holds what it says.
    """
    for task in work.open:
        if isinstance(task.method, OwnSystem):
            raise NotRecorded(STAGE, f"the answer of {task.method.target!r} to {task.question.id!r}")


def _place(answer: Answer) -> tuple[str, ...]:
    return answer.method, answer.question_id, answer.scope or ""


def _keep(
    study: Study, work: Work, turns: Turns[Answer], answers: Sequence[Answer], *, begun: set[str], note: _Note
) -> None:
    """Write answers; with a method's first one, drop those that something else was the source of."""
    for method in dict.fromkeys(answer.method for answer in answers):
        if method not in begun:
            with turns.alone(method):
                begin_answers(study, method, work.sources[method], keyed=note.keyed, bundled=note.bundled)
            begun.add(method)
        own = [answer for answer in answers if answer.method == method]
        turns.append(study.folder.answers(method), own)


async def answer_task(task: Task, kit: ScopeKit) -> Answer:
    """Answer one question; whatever goes wrong with it alone becomes the answer's status and reason."""
    started = datetime.now(UTC)
    clock = time.monotonic()
    with metering() as meter:
        try:
            answer = await task.method.answer(task.question, kit)
        except Exception as caught:  # one question's fault must not stop its neighbours; it is named
            error = first_of(caught)
            if isinstance(error, Stopped | UserError):
                raise error from caught
            answer = _fallen(task, error)
    return answer.model_copy(
        update={
            "method": spell(task.method),
            "scope": task.scope,
            "usage": meter.total,
            "stages": dict(sorted(meter.stages.items())),
            "started_at": started,
            "duration_seconds": round(time.monotonic() - clock, 6),
        }
    )


def _fallen(task: Task, error: BaseException) -> Answer:
    """Return the named state of a question that an error ended."""
    if isinstance(error, ModelError):
        return Answer(question_id=task.question.id, status=error.status, reason=error.reason)
    reason = f"{type(error).__name__}: {error}"
    return Answer(question_id=task.question.id, status="failed", reason=reason)
