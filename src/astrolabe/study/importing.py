"""Taking a benchmark into a study, with its scopes computed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from astrolabe.benchmark import CLUSTER_SIZE, Imported, compute_scopes
from astrolabe.core.errors import FileError, Problem
from astrolabe.core.protocols import Embedder
from astrolabe.core.records import Answer, Question, Scope
from astrolabe.documents import merge_documents
from astrolabe.store.lines import append_records, write_records
from astrolabe.study.answers import job_of, load_answers
from astrolabe.study.models import Asking, open_models
from astrolabe.study.study import Study, save_benchmark, save_documents


class Taken(NamedTuple):
    """What an import wrote into a study, and what there is to say about it."""

    written: list[Path]
    problems: list[Problem]


async def take_imported(study: Study, imported: Imported, asking: Asking) -> Taken:
    """Take an imported benchmark into the study: documents beside those there, questions in place of those there.

    Raises:
        FileError: The import found errors; nothing is written.
        UserError: Evidence names documents that neither the import nor the study holds.
    """
    if imported.errors:
        raise FileError(imported.errors[0].file, imported.errors)
    folder = study.folder
    written: list[Path] = []
    problems: list[Problem] = []
    if imported.documents:
        save_documents(study, merge_documents(study.documents, imported.documents).documents)
        written.append(folder.documents)
    if imported.questions:
        async with open_models(study.settings, folder.calls, asking) as models:
            problems = await take_questions(study, imported.questions, models.embedder, scopes=imported.scopes)
        written += [folder.questions, folder.scopes]
    written += _take_answers(study, imported.answers)
    if imported.labels:
        labels = folder.questions.parent / "labels.jsonl"
        write_records(labels, imported.labels)
        written.append(labels)
    if imported.comments:
        comments = folder.questions.parent / "comments.jsonl"
        write_records(comments, imported.comments)
        written.append(comments)
    return Taken(written, problems)


async def take_questions(
    study: Study,
    questions: Sequence[Question],
    embedder: Embedder,
    *,
    scopes: Sequence[Scope] = (),
    cluster_size: int = CLUSTER_SIZE,
) -> list[Problem]:
    """Give the questions their scopes and write both into the study; return what there is to say about them.

    A scope that a question names already stays, where the study or `scopes` has it.

    Raises:
        UserError: Evidence names documents that the study does not hold.
    """
    known = {**study.scopes, **{scope.id: scope for scope in scopes}}
    questions = [_with_known_scopes(question, known) for question in questions]
    vectors = await embedder.embed([question.text for question in questions], side="query")
    scoped = compute_scopes(
        questions,
        study.documents,
        vectors=vectors,
        rng=np.random.default_rng(study.settings.seed),
        cluster_size=cluster_size,
    )
    named = {scope for question in scoped.questions for scope in question.scopes.values()}
    made = {scope.id for scope in scoped.scopes}
    own = [scope for scope in known.values() if scope.id in named - made]
    save_benchmark(study, scoped.questions, [*scoped.scopes, *own])
    return list(scoped.problems)


def _with_known_scopes(question: Question, known: Mapping[str, Scope]) -> Question:
    """Return the question without the scopes that there is no record of: they are computed anew."""
    named = {name: scope for name, scope in question.scopes.items() if scope in known}
    return question.model_copy(update={"scopes": named})


def _take_answers(study: Study, answers: Sequence[Answer]) -> list[Path]:
    by_method: dict[str, list[Answer]] = {}
    for answer in answers:
        by_method.setdefault(answer.method, []).append(answer)
    for method, own in by_method.items():
        standing = load_answers(study, method)
        append_records(study.folder.answers(method), [one for one in own if standing.get(job_of(one)) != one])
    return [study.folder.answers(method) for method in by_method]
