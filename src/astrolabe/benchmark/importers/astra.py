"""The records of the ASTRA-QA release: `question`, `answer` (A) and `com_err` (H)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import Field, JsonValue

from astrolabe.benchmark.gold import kind_named, numbered_topics
from astrolabe.benchmark.gold_rules import fault, gold_problems, keep_first
from astrolabe.benchmark.imported import ForeignRecord, Imported, part_of, placed, read_foreign
from astrolabe.benchmark.topic_lists import parse_topics
from astrolabe.core.errors import Problem
from astrolabe.core.ids import content_id
from astrolabe.core.records import Kind, Question
from astrolabe.core.text import Text

_ID_FIELDS: Final = ("id", "question_id", "qid")
_KIND_FIELDS: Final = ("kind", "type", "question_type")


class _Release(ForeignRecord):
    question: Text = Field(min_length=1)
    answer: tuple[Text, ...] | Text
    com_err: tuple[Text, ...] | Text | None = None


def import_astra(path: Path) -> Imported:
    """Read the release's questions.

    `answer` and `com_err` may be lists or strings in brackets; where a string can be read in two ways a
    warning says so and how it was read (see `parse_topics`). The kind comes from a field of the record
    (`kind`, `type`, `question_type`), else from the file's name, else it is `other`, with a warning. An
    id comes from a field (`id`, `question_id`, `qid`), else it is made of kind, question and topics. All
    other fields go to `extra`. Topics in both A and H are kept in both, and named in a warning.

    Args:
        path: A file (JSON lines or one JSON list), or a folder of them.

    Raises:
        FileError: A file cannot be read, or a record lacks `question` or `answer`.
    """
    questions: list[Question] = []
    problems: list[Problem] = []
    for file in _files(path):
        numbered: list[tuple[int, Question]] = []
        found: list[Problem] = []
        for line, release in read_foreign(file, _Release):
            question, doubts = _question(release, file)
            numbered.append((line, question))
            found.extend(replace(doubt, line=line) for doubt in doubts)
        unique = keep_first(numbered, key=lambda question: question.id, content=lambda question: question, field="id")
        questions.extend(question for _, question in unique.records)
        found = [*found, *unique.problems, *gold_problems(numbered, None)]
        problems.extend(sorted(placed(file, found), key=lambda problem: problem.line))
    problems.extend(_in_two_files(path, questions))
    return Imported(questions=tuple(questions), problems=tuple(problems))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.iterdir() if file.suffix in {".jsonl", ".json"})
    return found or [part_of(path, "*.jsonl")]


def _question(release: _Release, file: Path) -> tuple[Question, list[Problem]]:
    """Return the record, and what is doubtful about it."""
    extra = dict(release.model_extra or {})
    kind, doubts = _kind(extra, file)
    expected, doubts_expected = _topics("answer", release.answer)
    unsupported, doubts_unsupported = _topics("com_err", release.com_err or ())
    given_id = next((extra.pop(name) for name in _ID_FIELDS if extra.get(name) not in {None, ""}), None)
    question = Question(
        id=str(given_id) if isinstance(given_id, str | int) else content_id("q", kind, release.question, *expected),
        text=release.question,
        kind=kind,
        topics=numbered_topics(expected, "A"),
        hallucinations=numbered_topics(unsupported, "H"),
        extra=extra,
    )
    return question, [*doubts, *doubts_expected, *doubts_unsupported]


def _topics(field: str, given: tuple[str, ...] | str) -> tuple[tuple[str, ...], list[Problem]]:
    read = parse_topics(given)
    doubts = [_doubt(field, given, read.doubt, "Write the topics as a JSON list")] if read.doubt else []
    twice = [topic for topic, times in Counter(read.topics).items() if times > 1]
    doubts += [_doubt(field, topic, "stands more than once; kept once", "Keep it once") for topic in twice]
    return read.topics, doubts


def _kind(extra: dict[str, JsonValue], file: Path) -> tuple[Kind, list[Problem]]:
    named = next((extra[name] for name in _KIND_FIELDS if extra.get(name)), None)
    found = kind_named(named if isinstance(named, str) else file.stem)
    if found is not None:
        return found, []
    if named is None:
        problem = f"no record field and no part of the file's name {file.name!r} tells the kind"
    else:
        problem = "is no known kind"
    fix = "Name the file single_sum, pair_comp, multi_comp, enumeration or temporal, or add 'kind'"
    return "other", [_doubt("kind", named or "", f"{problem}; read as 'other'", fix)]


def _doubt(field: str, value: object, problem: str, fix: str) -> Problem:
    return fault(field, value, problem, fix, severity="warning")


def _in_two_files(path: Path, questions: list[Question]) -> Iterator[Problem]:
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            problem = fault("id", question.id, "stands in two files", "Give each question an id of its own")
            yield from placed(path, [problem])
        seen.add(question.id)
