"""The shapes in which HotpotQA, 2WikiMultiHopQA and MuSiQue come, read into questions with paragraphs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

from pydantic import AliasChoices, Field, JsonValue, field_validator

from astrolabe.benchmark.gold_rules import Severity, fault
from astrolabe.benchmark.imported import ForeignRecord, Imported, part_of, placed, read_foreign, read_shape
from astrolabe.benchmark.pools import Paragraph, Posed, joined, pooled
from astrolabe.benchmark.set_answers import gold_answers, no_answers
from astrolabe.core.errors import Problem
from astrolabe.core.records import Extra
from astrolabe.core.text import Text

QUESTIONS: Final = "questions.jsonl"
_PASSAGES: Final = "passages.jsonl"


class Listed(ForeignRecord):
    """A passage of `passages.jsonl`."""

    passage_id: Text
    title: Text
    sentences: tuple[Text, ...]


class Row(ForeignRecord):
    """What a question has in every shape; `id` may be called `_id`."""

    id: Text = Field(min_length=1, validation_alias=AliasChoices("_id", "id"))
    question: Text = Field(min_length=1)
    answer: JsonValue

    def given(self, listed: Mapping[str, Listed]) -> Iterator[Paragraph]:
        """Yield the paragraphs that the question comes with; `listed` are those of the file beside it."""
        raise NotImplementedError

    def doubts(self, listed: Mapping[str, Listed]) -> Iterator[Problem]:  # noqa: ARG002 - some shapes need it
        """Yield what the row names and does not hold, and what can be read in two ways."""
        yield from ()

    def aliases(self) -> Sequence[str]:
        """Return further names of the answer."""
        return ()

    def kept(self) -> Extra:
        """Return the fields of this shape that are kept beside the unknown ones."""
        return {}


class ContextRow(Row):
    """HotpotQA and 2WikiMultiHopQA as they are published: titles with their sentences, and which of them support.

    Lists of pairs, or one object of two lists of equal length, as tables write them.
    """

    context: tuple[tuple[Text, tuple[Text, ...]], ...] = Field(min_length=1)
    supporting_facts: tuple[tuple[Text, int], ...]

    @field_validator("context", "supporting_facts", mode="before")
    @classmethod
    def _is_pairs(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        columns = [
            column for column in cast("dict[str, list[object] | str]", given).values() if isinstance(column, list)
        ]
        first, second = columns if len(columns) == 2 else ([], [None])  # noqa: PLR2004 - titles, and what belongs to each
        if len(first) != len(second):
            raise ValueError("is neither a list of pairs nor an object of two lists of equal length")
        return list(zip(first, second, strict=True))

    def given(self, listed: Mapping[str, Listed]) -> Iterator[Paragraph]:  # noqa: ARG002 - it holds its own
        """Yield the context, gold where a supporting fact names its title."""
        gold = {title for title, _ in self.supporting_facts}
        for title, sentences in self.context:
            yield Paragraph(title=title, text=joined(sentences), is_gold=title in gold, extra={})

    def doubts(self, listed: Mapping[str, Listed]) -> Iterator[Problem]:  # noqa: ARG002 - it holds its own
        """Yield the supporting titles that none or several of the paragraphs have."""
        titles = Counter(title for title, _ in self.context)
        for title in dict.fromkeys(title for title, _ in self.supporting_facts):
            if not titles[title]:
                yield _doubt("supporting_facts", title, "no paragraph of the context has this title")
            elif titles[title] > 1:
                yield _doubt("supporting_facts", title, f"{titles[title]} paragraphs have this title; all read as gold")

    def kept(self) -> Extra:
        """Return the supporting sentences."""
        return {"supporting_facts": [[title, sentence] for title, sentence in self.supporting_facts]}


class _Paragraph(ForeignRecord):
    title: Text
    paragraph_text: Text
    is_supporting: bool


class ParagraphRow(Row):
    """MuSiQue as it is published."""

    paragraphs: tuple[_Paragraph, ...] = Field(min_length=1)
    answer_aliases: tuple[Text, ...] = ()
    answerable: bool = True

    def given(self, listed: Mapping[str, Listed]) -> Iterator[Paragraph]:  # noqa: ARG002 - it holds its own
        """Yield the paragraphs; none where they do not hold the answer."""
        for one in self.paragraphs if self.answerable else ():
            yield Paragraph(title=one.title, text=one.paragraph_text, is_gold=one.is_supporting, extra={})

    def doubts(self, listed: Mapping[str, Listed]) -> Iterator[Problem]:  # noqa: ARG002 - it holds its own
        """Yield that the question cannot be answered."""
        if not self.answerable:
            yield _doubt("answerable", self.id, "its paragraphs do not hold the answer; the question is left out")

    def aliases(self) -> Sequence[str]:
        """Return the answer's other names."""
        return self.answer_aliases


class _Supporting(ForeignRecord):
    passage_id: Text
    sentence_ids: tuple[int, ...] = ()


class ListedRow(Row):
    """Questions that name passages of the file `passages.jsonl` beside them."""

    passages: tuple[Text, ...] = Field(min_length=1)
    gold: tuple[_Supporting, ...]

    def given(self, listed: Mapping[str, Listed]) -> Iterator[Paragraph]:
        """Yield the passages that are there."""
        gold = {one.passage_id for one in self.gold}
        for name in self.passages:
            if one := listed.get(name):
                text = joined(one.sentences)
                yield Paragraph(title=one.title, text=text, is_gold=name in gold, extra={"passage_id": name})

    def doubts(self, listed: Mapping[str, Listed]) -> Iterator[Problem]:
        """Yield the passages that are not there: errors, for the question would be another."""
        for name in self.passages:
            if name not in listed:
                yield _doubt("passages", name, f"{_PASSAGES} has no such passage", severity="error")
        for one in self.gold:
            if one.passage_id not in self.passages:
                yield _doubt("gold", one.passage_id, "is not among the question's passages")

    def kept(self) -> Extra:
        """Return the supporting sentences."""
        return {"gold": [one.model_dump(mode="json") for one in self.gold]}


class _Marked(ForeignRecord):
    title: Text
    text: Text
    is_gold: bool


class MarkedRow(Row):
    """Questions of several data sets with passages that are marked as gold or not."""

    dataset: Text
    passages: tuple[_Marked, ...] = Field(min_length=1)

    def given(self, listed: Mapping[str, Listed]) -> Iterator[Paragraph]:  # noqa: ARG002 - it holds its own
        """Yield the passages."""
        for one in self.passages:
            yield Paragraph(title=one.title, text=one.text, is_gold=one.is_gold, extra={})

    def kept(self) -> Extra:
        """Return the data set's name."""
        return {"dataset": self.dataset}


def import_paragraphs(path: Path, source: str, shapes: Mapping[str, type[Row]]) -> Imported:
    """Read the questions of a file, or of `questions.jsonl` of a folder, with their paragraphs.

    Args:
        path: The file or folder.
        source: The format's name.
        shapes: What reads each shape that the format comes in, by a field that tells it.

    Raises:
        FileError: A file is missing, is in none of the shapes, or a record lacks a field; names every fault.
    """
    file = part_of(path, QUESTIONS) if path.is_dir() else path
    numbered = read_shape(file, shapes)
    by_list = any(isinstance(row, ListedRow) for _, row in numbered)
    beside = read_foreign(part_of(file.parent, _PASSAGES), Listed) if by_list else []
    listed = {one.passage_id: one for _, one in beside}
    posed: list[Posed] = []
    problems = _of_other_sets(source, [row.dataset for _, row in numbered if isinstance(row, MarkedRow)])
    for line, row in numbered:
        question, found = _read(line, row, listed)
        posed += [question] if question.answers and question.paragraphs else []
        problems += [replace(problem, line=line) for problem in found]
    imported = pooled(posed, source)
    ordered = sorted([*problems, *imported.problems], key=lambda problem: problem.line)
    return replace(imported, problems=tuple(placed(file, ordered)))


def _read(line: int, row: Row, listed: Mapping[str, Listed]) -> tuple[Posed, list[Problem]]:
    """Return the question, and what is doubtful about it."""
    items = gold_answers("answer", row.answer)
    first = tuple(dict.fromkeys((*items.answers[0], *row.aliases()))) if items.answers else ()
    paragraphs = list(row.given(listed))
    found = [*row.doubts(listed), *items.doubts]
    if not items.answers:
        found.append(no_answers("answer", row.answer))
    if paragraphs and not any(paragraph.is_gold for paragraph in paragraphs):
        found.append(_doubt("question", row.id, "no paragraph is marked as gold: there is no evidence to compare with"))
    extra: Extra = {**(row.model_extra or {}), **row.kept()}
    posed = Posed(
        line=line,
        id=row.id,
        text=row.question.strip(),
        answers=(first, *items.answers[1:]) if first else (),
        paragraphs=paragraphs,
        extra=extra,
    )
    return posed, found


def _doubt(name: str, value: JsonValue, problem: str, *, severity: Severity = "warning") -> Problem:
    return fault(name, value, problem, "Use files of one release", severity=severity)


def _of_other_sets(source: str, datasets: Sequence[str]) -> list[Problem]:
    counts = Counter(name for name in datasets if not name.startswith(source))
    if not counts:
        return []
    told = ", ".join(f"{number} of {name}" for name, number in sorted(counts.items()))
    return [_doubt("dataset", told, f"questions of other data sets than {source}; all are read, `extra` says which")]
