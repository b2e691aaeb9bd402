"""FanOutQA: questions that need one fact from each of many Wikipedia pages."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import Field, JsonValue

from astrolabe.benchmark.gold_rules import fault, keep_first
from astrolabe.benchmark.imported import ForeignRecord, Imported, part_of, placed, read_foreign
from astrolabe.benchmark.set_answers import gold_answers, no_answers
from astrolabe.core.errors import Problem
from astrolabe.core.records import Question
from astrolabe.core.text import Text

_NAME: Final = "questions.jsonl"


class _Page(ForeignRecord):
    title: Text
    url: Text = ""


class _Part(ForeignRecord):
    evidence: _Page | None = None
    decomposition: "tuple[_Part, ...]" = ()


class _Fanned(ForeignRecord):
    id: Text = Field(min_length=1)
    question: Text = Field(min_length=1)
    answer: JsonValue
    gold_pages: tuple[_Page, ...] | None = None
    decomposition: tuple[_Part, ...] | None = None
    necessary_evidence: tuple[_Page, ...] | None = None


def import_fanoutqa(path: Path) -> Imported:
    """Read questions whose answer is a set, a table or a single fact.

    An object as answer is read as its pairs, `key: value` an item: one warning says of how many questions. Page texts
    are no part of the data, so there are no documents: the gold pages (`gold_pages`, else `necessary_evidence`, else
    those of the decomposition's steps) are in `extra` under `gold_pages`, where `evidence_recall` finds them by title
    in whatever corpus the study holds; each scope is then that whole corpus. Everything else is in `extra`, ids of
    pages and revisions as they are (some are still to be filled in at the source).

    Args:
        path: The file (JSON lines or one JSON list), or a folder that holds it as `questions.jsonl`.

    Raises:
        FileError: The file is missing, or a record lacks a field.
    """
    file = part_of(path, _NAME) if path.is_dir() else path
    numbered = read_foreign(file, _Fanned)
    problems: list[Problem] = []
    questions: list[tuple[int, Question]] = []
    for line, row in numbered:
        items = gold_answers("answer", row.answer)
        found = [*items.doubts, *_page_doubts(row)]
        if items.answers:
            questions.append((line, _question(row, items.answers)))
        else:
            found.append(no_answers("answer", row.answer))
        problems += [replace(problem, line=line) for problem in found]
    unique = keep_first(questions, key=lambda question: question.id, content=lambda question: question, field="id")
    problems += [*unique.problems, *_read_as_pairs([row for _, row in numbered])]
    return Imported(
        questions=tuple(question for _, question in unique.records),
        problems=tuple(placed(file, sorted(problems, key=lambda problem: problem.line))),
    )


def _question(row: _Fanned, answers: tuple[tuple[str, ...], ...]) -> Question:
    pages = [page.model_dump(mode="json", exclude_none=True) for page in _pages(row)]
    extra: dict[str, JsonValue] = {**(row.model_extra or {}), "answer": row.answer, "gold_pages": [*pages]}
    if row.decomposition is not None:
        extra["decomposition"] = [part.model_dump(mode="json") for part in row.decomposition]
    return Question(id=row.id, text=row.question.strip(), kind="set", answers=answers, extra=extra)


def _pages(row: _Fanned) -> list[_Page]:
    given = row.gold_pages or row.necessary_evidence or tuple(_evidence(row.decomposition or ()))
    return list({page.url or page.title: page for page in given}.values())


def _evidence(parts: Sequence[_Part]) -> Iterator[_Page]:
    for part in parts:
        if part.evidence is not None:
            yield part.evidence
        yield from _evidence(part.decomposition)


def _page_doubts(row: _Fanned) -> Iterator[Problem]:
    if not _pages(row):
        yield fault(
            "gold_pages",
            row.id,
            "neither gold_pages nor a step of the decomposition names a page: no evidence to compare with",
            "Add its pages if you need evidence_recall",
            severity="warning",
        )


def _read_as_pairs(rows: Sequence[_Fanned]) -> Iterator[Problem]:
    objects = sum(isinstance(row.answer, dict) for row in rows)
    if objects:
        yield fault(
            "answer",
            f"{objects} of {len(rows)} answers",
            "are objects: their keys, values or both could be the items; read as `key: value`",
            "The object itself is in extra.answer",
            severity="warning",
        )
