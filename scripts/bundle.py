#!/usr/bin/env python3
"""Bring the bundled questions in step with the bundled documents.

Run it after a change of a document or a quote: document ids are made anew from the texts, and each
span's offsets from its quote. A quote that its document does not hold, or holds more than once, is
named; then nothing is written and the exit code is 1.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from astrolabe.core.ids import document_id
from astrolabe.core.records import Question, Span, Topic

BUNDLE: Final = Path(__file__).parents[1] / "src" / "astrolabe" / "bundled"


class Named(NamedTuple):
    """A document's present id and text."""

    id: str
    text: str


def main() -> int:
    """Check every quote, then write the files with fresh ids and offsets; return the exit code."""
    sources_path = BUNDLE / "sources.json"
    sources: list[dict[str, str | None]] = json.loads(sources_path.read_text(encoding="utf-8"))
    documents: dict[str, Named] = {}
    for source in sources:
        text = (BUNDLE / str(source["file"])).read_text(encoding="utf-8")
        documents[str(source["id"])] = Named(document_id(text), text)
        source["id"] = document_id(text)

    books = {path: _questions(path) for path in (BUNDLE / "benchmark.jsonl", BUNDLE / "example.jsonl")}
    problems = [found for book in books.values() for question in book for found in _problems(question, documents)]
    if problems:
        sys.stderr.write("\n".join(problems) + "\n")
        return 1

    for path, book in books.items():
        _write(path, "\n".join(_refreshed(question, documents).model_dump_json() for question in book))
    _write(sources_path, json.dumps(sources, ensure_ascii=False, indent=2))
    return 0


def _questions(path: Path) -> list[Question]:
    return [Question.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _problems(question: Question, documents: Mapping[str, Named]) -> Iterator[str]:
    for identity in question.evidence:
        if identity not in documents:
            yield f"{question.id}: evidence {identity!r} is not in sources.json"
    for topic in question.topics:
        for span in topic.evidence:
            where = f"{question.id}, {topic.id}, {span.document_id!r}"
            if span.document_id not in documents:
                yield f"{where}: not in sources.json"
                continue
            found = documents[span.document_id].text.count(span.quote)
            if found != 1:
                yield f"{where}: quote found {found} times, must be once: {span.quote!r}"


def _refreshed(question: Question, documents: Mapping[str, Named]) -> Question:
    evidence = tuple(documents[identity].id for identity in question.evidence)
    topics = tuple(_retold(topic, documents) for topic in question.topics)
    return question.model_copy(update={"evidence": evidence, "topics": topics})


def _retold(topic: Topic, documents: Mapping[str, Named]) -> Topic:
    spans = tuple(_found(span.quote, documents[span.document_id]) for span in topic.evidence)
    return topic.model_copy(update={"evidence": spans})


def _found(quote: str, document: Named) -> Span:
    start = document.text.index(quote)
    return Span(document_id=document.id, start=start, end=start + len(quote), quote=quote)


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
