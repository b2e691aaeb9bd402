"""Checking the files that people write, before anything is paid for."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

from pydantic import JsonValue
from pydantic_core import from_json

from astrolabe.benchmark.answers import numbered_answers
from astrolabe.benchmark.documents_beside import check_documents, documents_file
from astrolabe.benchmark.gold_rules import Corpus, Unique, fault, gold_problems, keep_first
from astrolabe.benchmark.imported import no_records, placed
from astrolabe.benchmark.simple_form import SimpleQuestion
from astrolabe.core.errors import FileError, Problem
from astrolabe.core.records import Answer, Comment, Document, Question
from astrolabe.store.lines import Checked, check_records, text_lines

_MARKS: Final = (
    ("answers", {"question_id"}),
    ("comments", {"author_label"}),
    ("comments", {"alignment"}),
    ("documents", {"sha256"}),
    ("documents", {"media_type"}),
    ("questions", {"topics"}),
    ("questions", {"hallucinations"}),
    ("questions", {"question"}),
    ("questions", {"kind"}),
    ("questions", {"evidence"}),
)


def question_schema() -> dict[str, JsonValue]:
    """Return the JSON Schema of a line of `bench.jsonl`."""
    schema: dict[str, JsonValue] = Question.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def read_benchmark(path: Path, *, documents: Sequence[Document] | None = None) -> list[Question]:
    """Return a benchmark's questions, in order; a line that stands twice counts once.

    Args:
        path: A file of Question records.
        documents: What evidence is checked against; without them the file `documents.jsonl` or
            `corpus.jsonl` beside it is, and where there is none evidence is not checked.

    Raises:
        FileError: The benchmark has errors (a question without topics is one); names all of them.
    """
    unique, problems = _benchmark(path, documents)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise FileError(str(path), errors)
    return [question for _, question in unique.records]


def check_benchmark(path: Path, *, documents: Sequence[Document] | None = None) -> list[Problem]:
    """Return every problem of a file of Question records, in the order of its lines.

    Arguments as in `read_benchmark`. The simple form (`question` and plain topics) is checked too,
    with a warning that it must be imported before it is used.

    Raises:
        FileError: A file cannot be read at all.
    """
    return _benchmark(path, documents)[1]


def check_answers(
    path: Path, *, questions: Sequence[Question] | None = None, method: str | None = None
) -> list[Problem]:
    """Return every problem of a file of answers (JSON lines or CSV).

    With questions, an answer to none of them is a warning, and so is a method that leaves some of
    them out; when nothing in the file answers any of them, that is an error.

    Raises:
        FileError: The file cannot be read at all.
    """
    checked = numbered_answers(path, method=method)
    problems = list(checked.problems)
    if questions is not None and checked.records:
        problems.extend(placed(path, _unmatched(checked.records, questions)))
    return sorted(problems, key=lambda problem: problem.line)


def check_comments(path: Path, *, documents: Sequence[Document] | None = None) -> list[Problem]:
    """Return every problem of a file of Comment records.

    Raises:
        FileError: The file cannot be read at all.
    """
    checked = check_records(path, Comment)
    unique = keep_first(checked.records, key=lambda comment: comment.id, content=lambda comment: comment, field="id")
    problems = [*checked.problems, *unique.problems]
    known = None if documents is None else {document.id for document in documents}
    for line, comment in checked.records:
        if not comment.text.strip():
            problems.append(fault("text", comment.id, "the comment is empty", "Remove the line", line=line))
        if known is not None and comment.document_id not in {None, *known}:
            problems.append(
                fault(
                    "document_id",
                    comment.document_id,
                    "is not in the corpus",
                    "Add the document, or write null",
                    line=line,
                )
            )
    return _ordered(path, checked, problems)


def check_file(
    path: Path,
    *,
    documents: Sequence[Document] | None = None,
    questions: Sequence[Question] | None = None,
) -> list[Problem]:
    """Return every problem of a file of questions, answers, comments or documents.

    Its fields tell which it is; a CSV file holds answers.

    Raises:
        FileError: The file cannot be read at all.
    """
    if path.suffix.casefold() == ".csv":
        return check_answers(path, questions=questions)
    checks: dict[str, Callable[[], list[Problem]]] = {
        "questions": lambda: check_benchmark(path, documents=documents),
        "answers": lambda: check_answers(path, questions=questions),
        "comments": lambda: check_comments(path, documents=documents),
        "documents": lambda: check_documents(path)[1],
    }
    found = _what(path)
    if found in checks:
        return checks[found]()
    doubt = fault(
        "file",
        found,
        "is neither a benchmark nor answers, comments or documents",
        "A benchmark's lines have 'topics', answers 'question_id', comments 'author_label'",
    )
    return placed(path, [doubt])


def _what(path: Path) -> str:
    """Return which file it is, or its first fields where none of them tells."""
    seen: set[str] = set()
    for line in text_lines(path):
        seen |= _fields(line.text)
        for kind, mark in _MARKS:
            if mark <= seen:
                return kind
    return ", ".join(sorted(seen)[:10])


def _fields(text: str) -> set[str]:
    try:
        read = cast("object", from_json(text))
    except ValueError:
        return set()
    return {str(key) for key in cast("dict[object, object]", read)} if isinstance(read, dict) else set()


def _benchmark(path: Path, documents: Sequence[Document] | None) -> tuple[Unique[Question], list[Problem]]:
    beside = documents_file(path) if documents is None else None
    found, problems_beside = check_documents(beside) if beside else (documents, [])
    corpus: Corpus | None = None if found is None else {document.id: document for document in found}
    checked, notes = _numbered_questions(path)
    unique = keep_first(
        checked.records,
        key=lambda question: question.id,
        content=lambda question: question,
        field="id",
    )
    problems = [*checked.problems, *unique.problems, *gold_problems(checked.records, corpus), *notes]
    return unique, [*_ordered(path, checked, problems), *problems_beside]


def _numbered_questions(path: Path) -> tuple[Checked[Question], list[Problem]]:
    if not is_simple_form(path):
        return check_records(path, Question), []
    simple = check_records(path, SimpleQuestion)
    records = [(line, record.as_question()) for line, record in simple.records]
    note = fault(
        "file",
        "",
        "is the simple form of a benchmark",
        "Turn it into records with: astrolabe import jsonl",
        severity="warning",
    )
    return Checked(records, simple.problems), [note]


def is_simple_form(path: Path) -> bool:
    """Tell whether a benchmark's lines say `question` where records say `text`."""
    first = next((_fields(line.text) for line in text_lines(path)), set[str]())
    return "question" in first and "text" not in first


def is_full_form(path: Path) -> bool:
    """Tell whether a benchmark's lines are records, which say `text` where the simple form says `question`."""
    first = next((_fields(line.text) for line in text_lines(path)), set[str]())
    return "text" in first and "question" not in first


def _unmatched(numbered: Sequence[tuple[int, Answer]], questions: Sequence[Question]) -> list[Problem]:
    known = {question.id for question in questions}
    problems = [
        fault(
            "question_id",
            answer.question_id,
            "the benchmark has no such question; the answer is not scored",
            "Correct the id, or remove the line",
            line=line,
            severity="warning",
        )
        for line, answer in numbered
        if answer.question_id not in known
    ]
    answered: dict[tuple[str, str | None], set[str]] = {}
    for _, answer in numbered:
        answered.setdefault((answer.method, answer.scope), set()).add(answer.question_id)
    if not any(ids & known for ids in answered.values()):
        return [replace(problems[0], line=0, severity="error", problem="no answer is to a question of the benchmark")]
    for (method, scope), ids in answered.items():
        if missing := sorted(known - ids):
            within = f" in scope {scope!r}" if scope else ""
            problems.append(
                fault(
                    "question_id",
                    missing[0],
                    f"method {method!r}{within} leaves out {len(missing)} of {len(known)} questions; "
                    "they count as not answered",
                    "Add the missing answers",
                    severity="warning",
                )
            )
    return problems


def _ordered(
    path: Path, checked: Checked[Document] | Checked[Question] | Checked[Comment], problems: list[Problem]
) -> list[Problem]:
    if not checked.records and not checked.problems:
        return [no_records(path)]
    return sorted(placed(path, problems), key=lambda problem: problem.line)
