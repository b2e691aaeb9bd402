"""SQuALITY: questions about short stories, four written references each, and people's ratings."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pydantic import Field, JsonValue

from astrolabe.benchmark.gold import first_line, imported_document, numbered_topics
from astrolabe.benchmark.gold_rules import fault
from astrolabe.benchmark.imported import ForeignRecord, Imported, part_of, placed, read_foreign
from astrolabe.core.errors import FileError, Problem
from astrolabe.core.records import Answer, Document, Label, Question
from astrolabe.core.text import Text
from astrolabe.core.words import words
from astrolabe.parts.sentences import sentence_spans

_SCALES: Final = ("correctness_rating", "selection_rating", "overall_rating")


class _Story(ForeignRecord):
    doc_id: Text
    text: Text


class _Reference(ForeignRecord):
    writer: Text
    uid: Text
    text: Text


class _StoryQuestion(ForeignRecord):
    question_id: Text = Field(min_length=1)
    doc_id: Text
    question: Text = Field(min_length=1)
    references: tuple[_Reference, ...]


class _Review(ForeignRecord):
    reviewer: Text
    correctness_rating: float
    selection_rating: float
    overall_rating: float


class _Rated(ForeignRecord):
    question_id: Text
    system: Text = Field(min_length=1)
    response: Text
    reviews: tuple[_Review, ...]


def import_squality(path: Path) -> Imported:
    """Read `documents.jsonl`, `questions.jsonl` and, where it is there, `human_eval.jsonl` of a folder.

    A question's topics are the sentences of its references, each sentence once (compared by its
    words), in the order of the references; `extra` names under `references` the topics of each
    writer, so that one reference can be taken alone. A reference that people rated as the answer of
    `human` is left out, for it would be compared with itself. The topics come from people's
    references without anybody having checked them as topics.

    Every kind is `single_sum`, and the story is the evidence. Rated answers become Answers, their
    reviews Labels on the scales `correctness_rating`, `selection_rating` (coverage) and
    `overall_rating`, 0 to 100. Marked faults and ranks are not imported.

    Raises:
        FileError: A file is missing, a record lacks a field, or a question names an unknown story.
    """
    stories = read_foreign(part_of(path, "documents.jsonl"), _Story)
    documents = {story.doc_id: _document(story) for _, story in stories}
    questions_file = part_of(path, "questions.jsonl")
    numbered = read_foreign(questions_file, _StoryQuestion)
    unknown = list(_unknown_stories(numbered, documents))
    if unknown:
        raise FileError(str(questions_file), placed(questions_file, unknown))
    ratings = path / "human_eval.jsonl"
    rated = [row for _, row in read_foreign(ratings, _Rated)] if ratings.is_file() else []
    by_people = {(row.question_id, _plain(row.response)) for row in rated if row.system == "human"}
    return Imported(
        questions=tuple(_question(question, documents[question.doc_id], by_people) for _, question in numbered),
        documents=tuple(documents.values()),
        answers=tuple(_answer(row) for row in rated),
        labels=tuple(_labels(rated)),
        problems=tuple(placed(path, [] if rated else [_no_ratings()])),
    )


def _document(story: _Story) -> Document:
    extra: dict[str, JsonValue] = {**(story.model_extra or {}), "doc_id": story.doc_id}
    return imported_document(
        story.text,
        title=first_line(story.text),
        source=f"squality/{story.doc_id}",
        extra=extra,
    )


def _question(question: _StoryQuestion, story: Document, by_people: set[tuple[str, str]]) -> Question:
    references = [
        reference
        for reference in question.references
        if (question.question_id, _plain(reference.text)) not in by_people
    ]
    sentences: dict[str, str] = {}
    written: dict[str, list[str]] = {}
    for reference in references:
        for start, end in sentence_spans(reference.text):
            sentence = reference.text[start:end]
            if plain := _plain(sentence):
                first = sentences.setdefault(plain, sentence)
                written.setdefault(reference.writer, []).append(first)
    topics = numbered_topics(list(sentences.values()), "A")
    ids = {topic.text: topic.id for topic in topics}
    return Question(
        id=question.question_id,
        text=question.question,
        kind="single_sum",
        topics=topics,
        evidence=(story.id,),
        extra={
            **(question.model_extra or {}),
            "doc_id": question.doc_id,
            "references": {writer: [*dict.fromkeys(ids[text] for text in texts)] for writer, texts in written.items()},
        },
    )


def _plain(text: str) -> str:
    return " ".join(words(text))


def _answer(row: _Rated) -> Answer:
    bare = not row.response.strip()
    return Answer(
        question_id=row.question_id,
        method=row.system,
        text="" if bare else row.response,
        status="empty" if bare else "ok",
        reason="the release holds no text" if bare else None,
    )


def _labels(rated: Sequence[_Rated]) -> Iterator[Label]:
    for row in rated:
        for review in row.reviews:
            values = (review.correctness_rating, review.selection_rating, review.overall_rating)
            for scale, value in zip(_SCALES, values, strict=True):
                yield Label(
                    question_id=row.question_id,
                    method=row.system,
                    rater=review.reviewer,
                    scale=scale,
                    value=value,
                )


def _unknown_stories(
    numbered: Sequence[tuple[int, _StoryQuestion]], documents: dict[str, Document]
) -> Iterator[Problem]:
    for line, question in numbered:
        if question.doc_id not in documents:
            yield fault(
                "doc_id",
                question.doc_id,
                "documents.jsonl has no such story",
                "Use both files of one release",
                line=line,
            )


def _no_ratings() -> Problem:
    return fault(
        "path",
        "human_eval.jsonl",
        "is not there: no rated answers, and every reference counts as unrated",
        "Add the release's file of ratings if you need them",
        severity="warning",
    )
