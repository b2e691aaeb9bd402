"""Which questions a run asks, of which methods, in which scopes; `run` does them, `plan` counts them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Method
from astrolabe.core.records import Answer, Question
from astrolabe.core.spelling import spell
from astrolabe.study.answers import AGAIN, Job, standing_answers
from astrolabe.study.kit import Bench
from astrolabe.study.own_system import OwnSystem
from astrolabe.study.study import Study

MadeFrom = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What to run: methods on questions in scopes.

    Attributes:
        methods: The methods, as spelled by the user.
        scopes: Names of scopes; a question without such a scope is left out.
        questions: The questions, already selected.
        limit: At most so many jobs a method and scope; null for all.
        is_bundled: Whether the answers come from the record that the package brings; a report marks them.
    """

    methods: Sequence[Method]
    scopes: Sequence[str]
    questions: Sequence[Question]
    limit: int | None = None
    is_bundled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One question for one method in one scope.

    Attributes:
        method: Who answers.
        question: What is asked.
        scope: The scope's name.
        documents: The ids of the scope's documents.
    """

    method: Method
    question: Question
    scope: str
    documents: tuple[str, ...]

    @property
    def job(self) -> Job:
        """The job that the answer will belong to."""
        return Job(self.question.id, self.scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a run has to do.

    Attributes:
        open: The tasks without an answer, in the order in which they are asked.
        done: The tasks whose answers stand.
        kept: Those answers.
        sources: What each method's answers are made from, by spelled method.
    """

    open: Sequence[Task]
    done: Sequence[Task]
    kept: Sequence[Answer]
    sources: Mapping[str, MadeFrom]


def work_of(study: Study, plan: RunPlan, bench: Bench) -> Work:
    """Return what a run of the plan has to do; nothing is written.

    Raises:
        ConfigError: No question has one of the scopes, or a question names a scope that is not there.
    """
    fingerprint = study.fingerprint()
    sources = {spell(method): _made_from(fingerprint, method, bench) for method in plan.methods}
    books = {spelled: standing_answers(study, spelled, source) for spelled, source in sources.items()}
    tasks: list[Task] = []
    done: list[Task] = []
    kept: list[Answer] = []
    for task in _tasks(study, plan):
        answer = books[spell(task.method)].get(task.job)
        if answer is None or answer.status in AGAIN:
            tasks.append(task)
        else:
            done.append(task)
            kept.append(answer)
    return Work(open=tasks, done=done, kept=kept, sources=sources)


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


def asks_model(method: Method) -> bool:
    """Tell whether a method asks the model of the role `answer`; a system of the user's own has its own."""
    return not isinstance(method, OwnSystem) and bool(method.calls.question_high or method.calls.passage_high)


def _made_from(fingerprint: str, method: Method, bench: Bench) -> MadeFrom:
    """Return what answers depend on besides the method: when it changes, they are made again."""
    if isinstance(method, OwnSystem):
        return {"study": fingerprint}  # it brings its own models; its calls are in no record and would be paid again
    if not asks_model(method):
        return {"study": fingerprint, "embedder": bench.embedder.id}  # whichever model is set, it asks none
    return {
        "study": fingerprint,
        "model": bench.llm.id if bench.llm else None,
        "embedder": bench.embedder.id,
        "max_tokens": bench.answers.max_tokens,
        "context_tokens": bench.answers.context_tokens,
    }


def _tasks(study: Study, plan: RunPlan) -> list[Task]:
    scopes = list(dict.fromkeys(plan.scopes))
    known = {name for question in plan.questions for name in question.scopes}
    if unknown := [name for name in scopes if name not in known] or ([] if scopes else ["any"]):
        here = ", ".join(sorted(known)) or "none"
        msg = f"no question has a scope {', '.join(map(repr, unknown))}; scopes here: {here}"
        raise ConfigError(msg)
    order = list(plan.questions)
    # A run that a budget stops must leave an unbiased sample: the order is random, and the same each time.
    random.Random(study.settings.seed).shuffle(order)  # noqa: S311 - a sample, not a secret
    tasks: list[Task] = []
    for scope in scopes:
        members = [(question, scope_documents(study, question, scope)) for question in order]
        chosen = [(question, documents) for question, documents in members if documents is not None][: plan.limit]
        tasks += [
            Task(method=method, question=question, scope=scope, documents=documents)
            for question, documents in chosen
            for method in plan.methods
        ]
    return tasks
