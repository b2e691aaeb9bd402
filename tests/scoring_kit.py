"""A kit for metrics: a judge that plays a script, an embedder, and the passages of one scope."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from astrolabe.core.errors import ConfigError
from astrolabe.core.ids import passage_id
from astrolabe.core.protocols import LLM, Cut, Embedder, IndexSpec
from astrolabe.core.records import Answer, Document, Hit, Passage, Question, Span, Topic
from astrolabe.core.tokens import count_tokens
from astrolabe.embed.hashed import HashedEmbedder
from astrolabe.llm.scripted import AnyPrompt, Line, Scripted

T = TypeVar("T")


@dataclass
class ScoringKit:
    """A kit over some passages; without a judge, asking for one is the user's error."""

    judge: LLM | None = None
    held: Sequence[Passage] = ()
    embedder: Embedder = field(default_factory=HashedEmbedder)
    scope: str | None = None
    answer_tokens: int = 120
    context_tokens: int = 1000
    titled: Mapping[str, Document] = field(default_factory=dict[str, Document])

    @property
    def llm(self) -> LLM:
        if self.judge is None:
            raise ConfigError("no judge")
        return self.judge

    @property
    def documents(self) -> Sequence[str]:
        return list(dict.fromkeys(passage.document_id for passage in self.held))

    async def open(self, spec: IndexSpec[T]) -> T:
        raise AssertionError(f"a metric opens no index, not even {spec!r}")

    def passages(self, cut: Cut) -> Sequence[Passage]:  # noqa: ARG002 - they were cut before
        return self.held

    def read(self, passage: str) -> Passage:
        by_id = {held.id: held for held in self.held}
        return by_id[passage]

    def has_document(self, document: str) -> bool:
        return document in self.documents

    def document(self, document: str) -> Document:
        return self.titled[document] if document in self.titled else bare_document(document)


def bare_document(document: str, title: str = "") -> Document:
    """Return a document of which nothing but its id and title is known."""
    return Document(id=document, title=title, text="", source="", media_type="text/plain", sha256="")


def passages_of(texts: Mapping[str, str], *, size: int = 1_000_000) -> list[Passage]:
    """Return each document's text in passages of `size` characters."""
    return [
        Passage(
            id=passage_id(document, start, start + len(text[start : start + size])),
            document_id=document,
            text=text[start : start + size],
            start=start,
            end=start + len(text[start : start + size]),
            tokens=count_tokens(text[start : start + size]),
        )
        for document, text in texts.items()
        for start in range(0, len(text), size)
    ]


def hits(passages: Sequence[Passage]) -> tuple[Hit, ...]:
    """Return the passages as hits, the first the best."""
    return tuple(
        Hit(passage_id=passage.id, rank=rank, score=1.0 / rank, source="test")
        for rank, passage in enumerate(passages, 1)
    )


def question(
    expected: Sequence[str], unsupported: Sequence[str] = (), *, evidence: Mapping[str, Sequence[Span]] | None = None
) -> Question:
    """Return a question with topics A0, A1, ... and H0, H1, ..., and evidence spans by topic id."""
    spans = evidence or {}
    return Question(
        id="q",
        text="What is known about code generation?",
        topics=tuple(
            Topic(id=f"A{number}", text=text, evidence=tuple(spans.get(f"A{number}", ())))
            for number, text in enumerate(expected)
        ),
        hallucinations=tuple(
            Topic(id=f"H{number}", text=text, evidence=tuple(spans.get(f"H{number}", ())))
            for number, text in enumerate(unsupported)
        ),
    )


def answered(text: str, *, contexts: Sequence[Passage] = (), retrieved: Sequence[Passage] = ()) -> Answer:
    """Return an answer of status `ok`."""
    return Answer(question_id="q", method="m", text=text, contexts=hits(contexts), retrieved=hits(retrieved))


def shown_ids(prompt: AnyPrompt) -> dict[str, str]:
    """Return the ids under which a judge is shown the references, by the references' text."""
    user = prompt.messages[-1].content
    lines = [line.split(": ", 1) for line in user.split("\n") if line.startswith("T") and ': "' in line]
    return {json.JSONDecoder().raw_decode(text)[0]: label for label, text in lines}


def judge_of(found: Sequence[tuple[str, str | None]], *, stretch: str = "") -> Scripted:
    """Return a judge that finds these labels, each with the text of the reference that it means or null."""

    def line(prompt: AnyPrompt) -> Line:
        ids = shown_ids(prompt)
        topics = [
            {"label": label, "reference": ids[means] if means else None, "stretch": stretch} for label, means in found
        ]
        return json.dumps({"topics": topics})

    return Scripted(line)
