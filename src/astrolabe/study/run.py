"""Running methods over questions and scopes: every job is a record, and a stopped run goes on."""

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pydantic import JsonValue

from astrolabe.core.errors import ConfigError, ModelError, Stopped, UserError
from astrolabe.core.protocols import Method
from astrolabe.core.records import Answer, Question
from astrolabe.core.spelling import spell
from astrolabe.core.usage import metering
from astrolabe.store.lines import append_records
from astrolabe.study.answers import AGAIN, Job, begin_answers
from astrolabe.study.faults import first_of
from astrolabe.study.kit import Bench, Kits, ScopeKit
from astrolabe.study.progress import Progress
from astrolabe.study.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What to run: methods on questions in scopes.

    Attributes:
        methods: The methods, as spelled by the user.
        scopes: Names of scopes; a question without such a scope is left out.
        questions: The questions, already selected.
        limit: At most so many jobs a method and scope; null for all.
    """

    methods: Sequence[Method]
    scopes: Sequence[str]
    questions: Sequence[Question]
    limit: int | None = None


@dataclass(slots=True, kw_only=True)
class RunResult:
    """What a run did: every job's answer, how many stood already, and what ended it early."""

    answers: list[Answer] = field(default_factory=list[Answer])
    kept: int = 0
    stopped: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One question for one method in one scope."""

    method: Method
    question: Question
    scope: str
    documents: tuple[str, ...]


async def run_methods(study: Study, plan: RunPlan, bench: Bench, progress: Progress) -> RunResult:
    """Answer every question of the plan in every scope with every method.

    A job that fails becomes an answer with status and reason and stops no other. Jobs whose answer
    stands already are not run. A budget or the provider may stop the run between questions: what is
    there is kept, and `stopped` says why.

    Raises:
        UserError: Nothing could run at all (no questions in these scopes, no model for a role).
    """
    result = RunResult()
    tasks = list(_open_tasks(study, plan, bench, result))
    progress.begin("answering", len(tasks))
    kits = Kits(bench)
    queue = iter(tasks)

    async def worker() -> None:
        for task in queue:
            answer = await answer_task(task, kits.of(task.scope, task.documents))
            append_records(study.folder.answers(answer.method), [answer])
            result.answers.append(answer)
            progress.step()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(study.settings.limits.concurrency, len(tasks))):
                group.create_task(worker())
    except* Stopped as stopped:
        result.stopped = str(stopped.exceptions[0])
    except* UserError as faults:
        raise first_of(faults) from None
    finally:
        progress.end()
    return result


def made_from(study: Study, bench: Bench) -> dict[str, JsonValue]:
    """Return what answers depend on besides the method: when it changes, they are made again."""
    return {
        "study": study.fingerprint(),
        "model": bench.llm.id if bench.llm else None,
        "embedder": bench.embedder.id,
        "max_tokens": bench.answers.max_tokens,
        "context_tokens": bench.answers.context_tokens,
    }


def scope_documents(study: Study, question: Question, scope: str) -> tuple[str, ...] | None:
    """Return the ids of the documents of a question's scope; null where it has no such scope.

    Raises:
        ConfigError: The question names a scope that `scopes.jsonl` does not hold.
    """
    name = question.scopes.get(scope)
    if name is None:
        return None
    if name not in study.scopes:
        msg = f"question {question.id!r} names the scope {name!r}, which {study.folder.scopes} does not hold"
        raise ConfigError(msg)
    return study.scopes[name].documents


def _open_tasks(study: Study, plan: RunPlan, bench: Bench, result: RunResult) -> Iterator[Task]:
    order = list(plan.questions)
    # A run that a budget stops must leave an unbiased sample: the order is random, and the same each time.
    random.Random(study.settings.seed).shuffle(order)  # noqa: S311 - a sample, not a secret
    found = False
    books = {spell(method): begin_answers(study, spell(method), made_from(study, bench)) for method in plan.methods}
    for scope in plan.scopes:
        members = [(question, scope_documents(study, question, scope)) for question in order]
        chosen = [(question, documents) for question, documents in members if documents is not None][: plan.limit]
        found = found or bool(chosen)
        for question, documents in chosen:
            for method in plan.methods:
                spelled = spell(method)
                standing = books[spelled].get(Job(question.id, scope))
                if standing is not None and standing.status not in AGAIN:
                    result.answers.append(standing)
                    result.kept += 1
                    continue
                yield Task(method=method, question=question, scope=scope, documents=documents)
    if not found:
        known = sorted({name for question in plan.questions for name in question.scopes})
        msg = f"no question has a scope {', '.join(map(repr, plan.scopes))}; scopes here: {', '.join(known) or 'none'}"
        raise ConfigError(msg)


async def answer_task(task: Task, kit: ScopeKit) -> Answer:
    """Answer one question; whatever goes wrong with it alone becomes the answer's status and reason."""
    started = datetime.now(UTC)
    clock = time.monotonic()
    with metering() as meter:
        try:
            answer = await task.method.answer(task.question, kit)
        except (Stopped, UserError):
            raise
        except ModelError as error:
            answer = Answer(question_id=task.question.id, status=error.status, reason=error.reason)
        except Exception as error:  # noqa: BLE001 - one question's fault must not stop its neighbours; it is named
            reason = f"{type(error).__name__}: {error}"
            answer = Answer(question_id=task.question.id, status="failed", reason=reason)
    return answer.model_copy(
        update={
            "method": spell(task.method),
            "scope": task.scope,
            "usage": meter.total,
            "started_at": started,
            "duration_seconds": round(time.monotonic() - clock, 6),
        }
    )
