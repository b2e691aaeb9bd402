"""What must hold of a benchmark's questions beyond their fields: rules, each a small generator."""

import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final, Generic, Literal, TypeVar

from pydantic import BaseModel

from astrolabe.core.errors import Problem
from astrolabe.core.records import Document, Question, Span, Topic

M = TypeVar("M", bound=BaseModel)
Corpus = Mapping[str, Document]
Severity = Literal["error", "warning"]
_YEAR_OR_MONTH: Final = re.compile(r"\d{4}(-(0[1-9]|1[0-2]))?")
_SHOWN: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Unique(Generic[M]):
    """The records with the first of each id, and a problem for each later one."""

    records: list[tuple[int, M]]
    problems: list[Problem]


def keep_first(
    numbered: Sequence[tuple[int, M]],
    *,
    key: Callable[[M], Hashable],
    content: Callable[[M], object],
    field: str,
) -> Unique[M]:
    """Return each record once.

    The same id again with the same content is a warning; with other content it is an error, for
    renumbering or choosing would be a guess. Both lines are named.
    """
    first: dict[Hashable, tuple[int, M]] = {}
    problems: list[Problem] = []
    for line, record in numbered:
        line_before, before = first.setdefault(key(record), (line, record))
        if before is record:
            continue
        same = content(record) == content(before)
        problems.append(
            fault(
                field,
                key(record),
                f"stands on line {line_before} already, with "
                + ("the same content; kept once" if same else "other content"),
                "Remove one of the two lines" if same else "Give each record an id of its own",
                line=line,
                severity="warning" if same else "error",
            )
        )
    return Unique(records=list(first.values()), problems=problems)


def fault(
    field: str,
    value: object,
    problem: str,
    fix: str,
    *,
    line: int = 0,
    severity: Severity = "error",
) -> Problem:
    """Return a problem with its value shown as JSON, shortened."""
    shown = json.dumps(value, ensure_ascii=False, default=str) if value != "" else ""
    return Problem(
        line=line,
        field=field,
        value=shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "...",
        problem=problem,
        fix=fix,
        severity=severity,
    )


def gold_problems(numbered: Sequence[tuple[int, Question]], corpus: Corpus | None) -> Iterator[Problem]:
    """Yield what is wrong with each question's gold, under its line.

    Evidence is checked only where a corpus is given.
    """
    for line, question in numbered:
        for rule in (_has_gold, _topic_ids, _topic_texts, _time_range):
            yield from (replace(found, line=line) for found in rule(question))
        if corpus is not None:
            yield from (replace(found, line=line) for found in _evidence(question, corpus))


def _has_gold(question: Question) -> Iterator[Problem]:
    has_topics = any(topic.state != "rejected" for topic in question.topics)
    if question.kind == "set" and not any(any(names) for names in question.answers):
        yield fault(
            "answers",
            question.id,
            "a question of kind 'set' has no answers",
            "Add its items, each a list of its names",
        )
    if has_topics:
        return
    if question.hallucinations:
        yield fault(
            "topics",
            question.id,
            "hallucination topics without expected topics: empty answer topic set",
            "Add at least one expected topic",
        )
    elif question.kind != "set":
        yield fault(
            "topics",
            question.id,
            "no topics: empty answer topic set, so nothing can be scored",
            'Add at least one expected topic, or "kind": "set" so that its answers are scored'
            if question.answers
            else "Add at least one expected topic, or remove the question",
        )


def _topic_ids(question: Question) -> Iterator[Problem]:
    ids = Counter(topic.id for topic in (*question.topics, *question.hallucinations))
    for topic, times in ids.items():
        if times > 1:
            yield fault(
                "topics.id",
                topic,
                f"{times} topics of question {question.id!r} have this id",
                "Give each topic an id of its own, such as A1, A2, H1",
            )


def _topic_texts(question: Question) -> Iterator[Problem]:
    expected = Counter(_plain(topic) for topic in question.topics)
    for topic in question.hallucinations:
        if _plain(topic) in expected:
            yield fault(
                "hallucinations",
                topic.text,
                f"also an expected topic of question {question.id!r}; metrics take it out of those",
                "Keep it on one side only",
                severity="warning",
            )
    for field, topics in (
        ("topics", question.topics),
        ("hallucinations", question.hallucinations),
    ):
        times = Counter(_plain(topic) for topic in topics)
        for text in (text for text, count in times.items() if count > 1):
            yield fault(
                field,
                text,
                f"stands {times[text]} times in question {question.id!r} and would count as often",
                "Keep it once",
                severity="warning",
            )


def _plain(topic: Topic) -> str:
    return " ".join(topic.text.casefold().split())


def _time_range(question: Question) -> Iterator[Problem]:
    if question.time_range is None:
        return
    start, end = question.time_range.start, question.time_range.end
    for name, value in (("start", start), ("end", end)):
        if value is not None and not _is_date(value):
            yield fault(
                f"time_range.{name}",
                value,
                "is no date",
                "Write YYYY, YYYY-MM or YYYY-MM-DD, or null where it is open",
            )
    if start and end and _is_date(start) and _is_date(end):
        shared = min(len(start), len(end), len("YYYY-MM-DD"))
        if start[:shared] > end[:shared]:
            yield fault(
                "time_range",
                f"{start} to {end}",
                "ends before it starts",
                "Swap the two dates",
            )


def _is_date(value: str) -> bool:
    if _YEAR_OR_MONTH.fullmatch(value):
        return True
    for reads in (date.fromisoformat, datetime.fromisoformat):
        try:
            reads(value)
        except ValueError:
            continue
        return value[4:5] == "-" and value[7:8] == "-"
    return False


def _evidence(question: Question, corpus: Corpus) -> Iterator[Problem]:
    for document in dict.fromkeys(question.evidence):
        yield from _known("evidence", document, question, corpus)
    for field, topics in (
        ("topics", question.topics),
        ("hallucinations", question.hallucinations),
    ):
        for topic in topics:
            for span in topic.evidence:
                where = f"{field}.{topic.id}.evidence"
                unknown = list(_known(where, span.document_id, question, corpus))
                yield from unknown or _quotes(where, span, corpus[span.document_id].text)


def _known(field: str, document: str, question: Question, corpus: Corpus) -> Iterator[Problem]:
    if document not in corpus:
        yield fault(
            field,
            document,
            f"question {question.id!r} names a document that is not in the corpus",
            "Add the document, or remove it from the evidence",
        )
    elif corpus[document].status in {"empty", "failed"}:
        yield fault(
            field,
            document,
            f"question {question.id!r} names a document without text "
            f"({corpus[document].status}: {corpus[document].reason})",
            "Mend the document, or remove it from the evidence",
        )


def _quotes(field: str, span: Span, text: str) -> Iterator[Problem]:
    if span.start < span.end <= len(text) and text[span.start : span.end] == span.quote:
        return
    found = text.find(span.quote) if span.quote else -1
    yield fault(
        field,
        span.quote,
        f"is not the text of {span.document_id!r} from {span.start} to {span.end}",
        f"It stands at {found} to {found + len(span.quote)}: correct the offsets"
        if found >= 0
        else "Quote the document's own text, and count offsets in characters",
    )
