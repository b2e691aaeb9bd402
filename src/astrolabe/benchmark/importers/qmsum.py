"""QMSum: questions about meeting transcripts, with the turns that support each answer."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue

from astrolabe.benchmark.gold import imported_document
from astrolabe.benchmark.gold_rules import fault
from astrolabe.benchmark.imported import ForeignRecord, Imported, part_of, placed, read_foreign
from astrolabe.core.errors import FileError, Problem
from astrolabe.core.ids import content_id
from astrolabe.core.records import Comment, Document, Question, Span, Topic
from astrolabe.core.text import Text
from astrolabe.parts.sentences import sentence_spans

_Turns = tuple[int, int]


class _Turn(ForeignRecord):
    turn: int
    speaker: Text
    text: Text


class _MeetingTopic(ForeignRecord):
    topic: Text
    spans: tuple[_Turns, ...] = ()


class _Meeting(ForeignRecord):
    doc_id: Text
    turns: tuple[_Turn, ...] = Field(min_length=1)
    topics: tuple[_MeetingTopic, ...] = ()


class _MeetingQuestion(ForeignRecord):
    question_id: Text = Field(min_length=1)
    doc_id: Text
    kind: Literal["general", "specific"]
    question: Text = Field(min_length=1)
    answer: Text = Field(min_length=1)
    evidence_spans: tuple[_Turns, ...] = ()


@dataclass(frozen=True, slots=True)
class _Transcript:
    """A meeting's document and each turn's half-open place in its text."""

    document: Document
    places: dict[int, tuple[int, int]]

    def span(self, turns: _Turns) -> Span:
        """Return the stretch from the first to the last of `turns`, both included."""
        start = self.places[turns[0]][0]
        end = self.places[turns[1]][1]
        return Span(document_id=self.document.id, start=start, end=end, quote=self.document.text[start:end])


def import_qmsum(path: Path) -> Imported:
    """Read `documents.jsonl` and `questions.jsonl` of a folder.

    A meeting becomes one document, a turn a line `Speaker: text`. A question's topics are the
    sentences of its answer. The source names supporting turns for the answer as a whole, so each
    topic of a specific question carries all of them as evidence; a general question has the whole
    meeting as evidence and no spans. Every kind is `single_sum`; the source's `general` or `specific`
    is in `extra`. The topic list of a meeting becomes comments of type `topic`.

    Raises:
        FileError: A file is missing, a record lacks a field, or a question names a meeting or turns
            that are not there.
    """
    meetings = [meeting for _, meeting in read_foreign(part_of(path, "documents.jsonl"), _Meeting)]
    transcripts = {meeting.doc_id: _transcript(meeting) for meeting in meetings}
    questions_file = part_of(path, "questions.jsonl")
    numbered = read_foreign(questions_file, _MeetingQuestion)
    unknown = [problem for row in numbered for problem in _unknown(*row, transcripts)]
    if unknown:
        raise FileError(str(questions_file), placed(questions_file, unknown))
    return Imported(
        questions=tuple(_question(question, transcripts[question.doc_id]) for _, question in numbered),
        documents=tuple(transcript.document for transcript in transcripts.values()),
        comments=tuple(
            comment for meeting in meetings for comment in _comments(meeting, transcripts[meeting.doc_id].document)
        ),
    )


def _transcript(meeting: _Meeting) -> _Transcript:
    lines: list[str] = []
    places: dict[int, tuple[int, int]] = {}
    start = 0
    for turn in meeting.turns:
        line = f"{turn.speaker}: {turn.text}"
        lines.append(line)
        places[turn.turn] = (start, start + len(line))
        start += len(line) + 1
    extra: dict[str, JsonValue] = {**(meeting.model_extra or {}), "doc_id": meeting.doc_id}
    document = imported_document(
        "\n".join(lines),
        title=f"Meeting {meeting.doc_id}",
        source=f"qmsum/{meeting.doc_id}",
        extra=extra,
    )
    return _Transcript(document, places)


def _question(question: _MeetingQuestion, transcript: _Transcript) -> Question:
    spans = tuple(transcript.span(turns) for turns in question.evidence_spans)
    sentences = dict.fromkeys(question.answer[start:end] for start, end in sentence_spans(question.answer))
    return Question(
        id=question.question_id,
        text=question.question.strip(),
        kind="single_sum",
        topics=tuple(
            Topic(id=f"A{number}", text=sentence, evidence=spans) for number, sentence in enumerate(sentences, start=1)
        ),
        evidence=(transcript.document.id,),
        extra={
            **(question.model_extra or {}),
            "doc_id": question.doc_id,
            "source_kind": question.kind,
            "answer": question.answer,
        },
    )


def _comments(meeting: _Meeting, document: Document) -> Iterator[Comment]:
    for topic in meeting.topics:
        spans: list[JsonValue] = [[first, last] for first, last in topic.spans]
        yield Comment(
            id=content_id("c", document.id, topic.topic, repr(topic.spans)),
            document_id=document.id,
            author_label="annotator",
            type="topic",
            text=topic.topic,
            source=document.source,
            extra={"turns": spans},
        )


def _unknown(line: int, question: _MeetingQuestion, transcripts: dict[str, _Transcript]) -> Iterator[Problem]:
    if question.doc_id not in transcripts:
        yield fault(
            "doc_id",
            question.doc_id,
            "documents.jsonl has no such meeting",
            "Use both files of one release",
            line=line,
        )
        return
    places = transcripts[question.doc_id].places
    for first, last in question.evidence_spans:
        if first not in places or last not in places or last < first:
            yield fault(
                "evidence_spans",
                [first, last],
                f"meeting {question.doc_id!r} has no such turns; its turns are 0 to {max(places)}",
                "Give the first and the last turn, both included",
                line=line,
            )
