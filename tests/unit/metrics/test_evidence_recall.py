import pytest

from astrolabe.core.records import Question, Span, Topic
from astrolabe.metrics.evidence_recall import EvidenceRecall
from tests.scoring_kit import ScoringKit, answered, passages_of

TEXTS = {"d-1": "0123456789" * 2, "d-2": "abcdefghij" * 2, "d-3": "x" * 20}
PASSAGES = passages_of(TEXTS, size=10)
KIT = ScoringKit(held=PASSAGES)


def asked(*places: tuple[str, int, int], evidence: tuple[str, ...] = ()) -> Question:
    spans = tuple(
        Span(document_id=document, start=start, end=end, quote=TEXTS[document][start:end])
        for document, start, end in places
    )
    return Question(id="q", text="?", topics=(Topic(id="A1", text="a", evidence=spans),), evidence=evidence)


async def test_pages_passages_and_characters_are_counted_apart() -> None:
    question = asked(("d-1", 0, 10), ("d-1", 6, 16), ("d-2", 0, 20))
    answer = answered("Text.", contexts=[PASSAGES[0]], retrieved=[PASSAGES[0], PASSAGES[2], PASSAGES[3]])

    score = await EvidenceRecall().score(question, answer, KIT)

    assert score.value == 0.5
    assert score.parts == pytest.approx(
        {
            "pages": 0.5,
            "passages": 1 / 3,
            "characters": 14 / 40,
            "pages_retrieved": 1.0,
            "passages_retrieved": 2 / 3,
            "characters_retrieved": 34 / 40,
        }
    )
    assert score.detail["missing"] == ["d-2"]


async def test_the_questions_own_evidence_documents_come_first() -> None:
    score = await EvidenceRecall().score(asked(evidence=("d-1", "d-3")), answered("T.", contexts=[PASSAGES[0]]), KIT)

    assert score.value == 0.5
    assert score.parts["passages"] is None


async def test_the_same_passage_twice_counts_once() -> None:
    question = asked(("d-1", 0, 20))
    answer = answered("Text.", contexts=[PASSAGES[0], PASSAGES[0]])

    assert (await EvidenceRecall().score(question, answer, KIT)).parts["characters"] == 0.5


async def test_without_gold_or_without_passages_there_is_no_number() -> None:
    without_gold = await EvidenceRecall().score(asked(), answered("T.", contexts=[PASSAGES[0]]), KIT)
    without_passages = await EvidenceRecall().score(asked(("d-1", 0, 10)), answered("Text."), KIT)

    assert without_gold.reason == "the question has no gold evidence"
    assert without_passages.reason == "the answer names no passage of this scope"
    assert without_gold.value is without_passages.value is None


async def test_what_was_found_and_all_cut_is_a_zero() -> None:
    score = await EvidenceRecall().score(asked(("d-1", 0, 10)), answered("Text.", retrieved=[PASSAGES[0]]), KIT)

    assert (score.value, score.parts["pages_retrieved"]) == (0.0, 1.0)
