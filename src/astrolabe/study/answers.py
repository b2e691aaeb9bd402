"""The answers on disk: one file a method, the latest record of a job counts."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from astrolabe.core.records import Answer, AnswerStatus
from astrolabe.store.folder import read_manifest
from astrolabe.store.lines import recover_records
from astrolabe.study.study import Study, save_manifest

AGAIN: frozenset[AnswerStatus] = frozenset({"failed", "unparsed"})
"""The states that the same command tries again: the fault may have been the provider's. What a model
refused, cut short or left empty comes out the same, so it stands."""


class Job(NamedTuple):
    """One answer to make: a question of the benchmark in one of its scopes."""

    question_id: str
    scope: str | None


def job_of(answer: Answer) -> Job:
    """Return the job that an answer belongs to."""
    return Job(answer.question_id, answer.scope)


def load_answers(study: Study, method: str) -> dict[Job, Answer]:
    """Return a method's answers, the latest of each job."""
    return {job_of(answer): answer for answer in recover_records(study.folder.answers(method), Answer)}


def all_answers(study: Study) -> dict[str, dict[Job, Answer]]:
    """Return the answers of every method that has any, by spelled name, in order of the names."""
    folder = study.folder.root / "answers"
    found: dict[str, dict[Job, Answer]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for answer in recover_records(path, Answer):
            found.setdefault(answer.method, {})[job_of(answer)] = answer
    return dict(sorted(found.items()))


def begin_answers(study: Study, method: str, made_from: Mapping[str, JsonValue]) -> dict[Job, Answer]:
    """Return the answers that still hold, and note what new ones are made from.

    Where documents, questions, models or lengths have changed since, none holds: they are made again,
    and calls that are recorded cost nothing.
    """
    current = dict(made_from)
    known = _made_from(study)
    if known.get(method) != current:
        study.folder.answers(method).unlink(missing_ok=True)
        save_manifest(study.folder.answers(method).parent, {"methods": {**known, method: current}})
    return load_answers(study, method)


def standing_answers(study: Study, method: str, made_from: Mapping[str, JsonValue]) -> dict[Job, Answer]:
    """Return the answers that still hold; nothing is written."""
    return load_answers(study, method) if _made_from(study).get(method) == dict(made_from) else {}


def _made_from(study: Study) -> dict[str, JsonValue]:
    """Return what each method's answers were made from, by spelled method."""
    kept = read_manifest(study.folder.root / "answers") or {}
    methods = kept.get("methods")
    return methods if isinstance(methods, dict) else {}


def count_states(answers: Sequence[Answer]) -> dict[AnswerStatus, int]:
    """Return how many answers ended in each state; states without any are left out."""
    counts: dict[AnswerStatus, int] = {}
    for answer in answers:
        counts[answer.status] = counts.get(answer.status, 0) + 1
    return counts
