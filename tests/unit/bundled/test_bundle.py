"""The bundled corpus and benchmark say what is true of them."""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from typing import Final, NamedTuple

import pytest

from astrolabe.core.ids import document_id
from astrolabe.core.records import Kind, Question, Topic

BUNDLE: Final = files("astrolabe") / "bundled"
ABSTRACT_KINDS: Final[tuple[Kind, ...]] = (
    "single_sum",
    "pair_comp",
    "multi_comp",
    "enumeration",
    "temporal",
)


class Source(NamedTuple):
    """One entry of `sources.json`."""

    id: str
    file: str
    title: str
    date: str | None
    language: str
    licence: str
    credit: str
    source_url: str


def _text(name: str) -> str:
    return (BUNDLE / name).read_bytes().decode("utf-8")


SOURCES: Final = tuple(Source(**entry) for entry in json.loads(_text("sources.json")))
TEXTS: Final = {source.id: _text(source.file) for source in SOURCES}
QUESTIONS: Final = tuple(Question.model_validate_json(line) for line in _text("benchmark.jsonl").splitlines())


def _topics() -> Iterator[tuple[Question, Topic]]:
    for question in QUESTIONS:
        for topic in question.topics:
            yield question, topic


def _words(documents: set[str]) -> int:
    return sum(len(TEXTS[identity].split()) for identity in documents)


def test_every_span_is_the_quoted_stretch_of_its_document() -> None:
    for question, topic in _topics():
        assert topic.evidence, (question.id, topic.id)
        for span in topic.evidence:
            assert TEXTS[span.document_id][span.start : span.end] == span.quote
            assert 8 <= len(span.quote.split()) <= 60


def test_a_quote_stands_once_in_its_document() -> None:
    for _, topic in _topics():
        for span in topic.evidence:
            assert TEXTS[span.document_id].count(span.quote) == 1


def test_a_document_id_is_made_of_the_text_of_its_file() -> None:
    assert all(source.id == document_id(TEXTS[source.id]) for source in SOURCES)
    assert len(TEXTS) == len(SOURCES)


def test_sources_name_exactly_the_files_that_are_there() -> None:
    present = sorted(f"documents/{file.name}" for file in (BUNDLE / "documents").iterdir())

    assert [source.file for source in SOURCES] == present
    assert len(present) >= 12


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.file)
def test_a_document_is_clean_text_with_its_title_and_date(source: Source) -> None:
    text = TEXTS[source.id]
    lines = text.split("\n")

    assert lines[0] == f"# {source.title}"
    assert source.date is None or lines[2] == f"Date: {source.date}"
    assert text == unicodedata.normalize("NFC", text)
    assert all(line == line.rstrip() for line in lines)
    assert not {"\r", "\0", "\ufeff"} & set(text)


def test_the_licence_page_credits_each_document() -> None:
    licences = _text("LICENSES.md")

    for source in SOURCES:
        entry = f'- `{source.file}`: "{source.title}". {source.credit}. Licence: {source.licence}.'
        assert entry in licences
        assert f"<{source.source_url}>" in licences
        assert "SA" not in source.licence.split("-")


def test_there_are_enough_questions_of_each_abstract_kind() -> None:
    kinds = Counter(question.kind for question in QUESTIONS)

    assert len(QUESTIONS) >= 17
    assert set(kinds) == set(ABSTRACT_KINDS)
    assert min(kinds.values()) >= 3


def test_ids_are_unique_and_in_order() -> None:
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)
    for question in QUESTIONS:
        topics, hallucinations = question.topics, question.hallucinations
        assert [topic.id for topic in topics] == [f"A{i + 1}" for i in range(len(topics))]
        assert [topic.id for topic in hallucinations] == [f"H{i + 1}" for i in range(len(hallucinations))]


def test_a_question_has_4_to_18_topics_of_3_to_15_words() -> None:
    for question in QUESTIONS:
        assert 4 <= len(question.topics) <= 18
        for topic in (*question.topics, *question.hallucinations):
            assert 3 <= len(topic.text.split()) <= 15, topic.text


def test_no_hallucination_topic_is_an_answer_topic_and_each_says_why_it_is_wrong() -> None:
    for question in QUESTIONS:
        wrong = {topic.text.casefold() for topic in question.hallucinations}
        assert not wrong & {topic.text.casefold() for topic in question.topics}
        assert all(topic.reason and not topic.evidence for topic in question.hallucinations)
    assert sum(len(question.hallucinations) >= 3 for question in QUESTIONS) >= 9


def test_the_evidence_of_a_question_is_what_its_topics_quote() -> None:
    for question in QUESTIONS:
        quoted = {span.document_id for topic in question.topics for span in topic.evidence}
        assert set(question.evidence) == quoted


def test_comparisons_have_as_many_groups_as_documents_and_other_kinds_none() -> None:
    least = {"pair_comp": 2, "multi_comp": 3}
    for question in QUESTIONS:
        groups = {topic.group for topic in question.topics}
        if question.kind in least:
            assert None not in groups
            assert len(groups) == len(question.evidence) >= least[question.kind]
        else:
            assert groups == {None}


def test_only_temporal_questions_have_a_time_range() -> None:
    for question in QUESTIONS:
        assert (question.time_range is not None) == (question.kind == "temporal")


@pytest.mark.parametrize("kind", ABSTRACT_KINDS)
def test_the_pool_of_a_kind_is_three_times_a_question_s_evidence(kind: Kind) -> None:
    evidence = [set(question.evidence) for question in QUESTIONS if question.kind == kind]
    mean = sum(map(_words, evidence)) / len(evidence)

    assert _words({identity for documents in evidence for identity in documents}) >= 3 * mean


def test_the_sample_for_language_models_is_one_question_of_each_kind() -> None:
    sample: list[str] = json.loads(_text("quickstart.json"))["llm_sample"]
    kinds = {question.id: question.kind for question in QUESTIONS}

    assert [kinds[identity] for identity in sample] == list(ABSTRACT_KINDS)
