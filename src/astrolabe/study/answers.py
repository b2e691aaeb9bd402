"""The answers on disk: one file a method, the latest record of a job counts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import JsonValue

from astrolabe.core.records import Answer, AnswerStatus
from astrolabe.store.files import write_json
from astrolabe.store.folder import read_object
from astrolabe.store.lines import recover_records
from astrolabe.study.study import Study, save_manifest

_NOTE: Final = ".made-from.json"
_BESIDE: Final = frozenset({"method", "keyed", "bundled"})
"""What a note says for reports alone."""
AGAIN: Final[frozenset[AnswerStatus]] = frozenset({"failed", "unparsed"})
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
    """Return the answers of every method that has any, by spelled name, in order of the names and jobs."""
    folder = study.folder.root / "answers"
    found: dict[str, dict[Job, Answer]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for answer in recover_records(path, Answer):
            found.setdefault(answer.method, {})[job_of(answer)] = answer
    return {method: dict(sorted(book.items(), key=_place)) for method, book in sorted(found.items())}


def _place(entry: tuple[Job, Answer]) -> tuple[str, str]:
    job, _ = entry
    return job.question_id, job.scope or ""


def begin_answers(
    study: Study, method: str, made_from: Mapping[str, JsonValue], *, keyed: bool = False, bundled: bool = False
) -> None:
    """Note what a method's answers are made from, and drop those that were made from something else.

    Whether a key was set for the model, and whether the bundled record answered, is noted beside it, for reports:
    other answers do not come of that.

    Each method's note is a file of its own: processes that run different methods at once overwrite nothing.
    """
    if is_made_from(study, method, made_from):
        return
    answers = study.folder.answers(method)
    answers.unlink(missing_ok=True)
    save_manifest(answers.parent, {})
    write_json(_note(study, method), {"method": method, "keyed": keyed, "bundled": bundled, **made_from})


def is_made_from(study: Study, method: str, made_from: Mapping[str, JsonValue]) -> bool:
    """Tell whether a method's answers on disk are made from this."""
    return _made_from(study, method) == dict(made_from)


def standing_answers(study: Study, method: str, made_from: Mapping[str, JsonValue]) -> dict[Job, Answer]:
    """Return the answers that still hold: documents, questions, models and lengths are what they were."""
    return load_answers(study, method) if is_made_from(study, method, made_from) else {}


def answer_sources(study: Study) -> list[dict[str, JsonValue]]:
    """Return what the study's answers were made from, a note for each method."""
    notes = sorted((study.folder.root / "answers").glob(f"*{_NOTE}"))
    return [content for note in notes if (content := read_object(note)) is not None]


def _made_from(study: Study, method: str) -> dict[str, JsonValue] | None:
    content = read_object(_note(study, method))
    if content is None:
        return None
    return {name: value for name, value in content.items() if name not in _BESIDE}


def _note(study: Study, method: str) -> Path:
    return study.folder.answers(method).with_suffix(_NOTE)


def count_states(answers: Sequence[Answer]) -> dict[AnswerStatus, int]:
    """Return how many answers ended in each state; states without any are left out."""
    counts: dict[AnswerStatus, int] = {}
    for answer in answers:
        counts[answer.status] = counts.get(answer.status, 0) + 1
    return counts
