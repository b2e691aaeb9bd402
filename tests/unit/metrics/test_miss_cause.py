import json

import pytest

from astrolabe.core.records import Answer, Hit, Span
from astrolabe.llm.scripted import Scripted
from astrolabe.metrics.miss_cause import MissCause
from tests.scoring_kit import ScoringKit, answered, passages_of, question

TEXTS = {
    "d-1": "Copy mechanisms take rare tokens over. " + "Filler words stand here. " * 8,
    "d-2": "Training data is limited for rare languages. " + "Other words stand here. " * 8,
}
PASSAGES = passages_of(TEXTS, size=60)
COPY, LIMITED = PASSAGES[0], next(passage for passage in PASSAGES if passage.document_id == "d-2")
OTHER = PASSAGES[2]
SAID = "The weather was fine in Oslo."


def span(document: str, quote: str) -> Span:
    start = TEXTS[document].index(quote)
    return Span(document_id=document, start=start, end=start + len(quote), quote=quote)


COPY_SPAN = span("d-1", "Copy mechanisms take rare tokens over.")
ELSEWHERE = Span(document_id="d-9", start=0, end=10, quote="0123456789")


async def cause_of(answer: Answer, *spans: Span) -> object:
    """Return the cause for one missed topic with these evidence spans."""
    asked = question(["copy mechanism for rare tokens"], evidence={"A0": spans})
    score = await MissCause().score(asked, answer, ScoringKit(held=PASSAGES))
    missed = score.detail["missed"]
    assert isinstance(missed, list)
    assert isinstance(missed[0], dict)
    return missed[0]["cause"]


async def test_evidence_outside_the_scope_is_named() -> None:
    assert await cause_of(answered(SAID, contexts=[OTHER]), ELSEWHERE) == "not in scope"


async def test_evidence_that_no_search_brought_is_not_retrieved() -> None:
    assert await cause_of(answered(SAID, contexts=[OTHER], retrieved=[OTHER]), COPY_SPAN) == "not retrieved"


async def test_evidence_that_was_found_and_not_shown_was_cut() -> None:
    answer = answered(SAID, contexts=[OTHER], retrieved=[OTHER, COPY])

    assert await cause_of(answer, COPY_SPAN) == "retrieved but cut"


async def test_evidence_that_the_model_was_shown_was_not_used() -> None:
    answer = answered(SAID, contexts=[COPY], retrieved=[OTHER, COPY])

    assert await cause_of(answer, COPY_SPAN) == "in context but not used"


async def test_one_span_of_several_is_enough() -> None:
    assert await cause_of(answered(SAID, contexts=[COPY]), ELSEWHERE, COPY_SPAN) == "in context but not used"


async def test_less_than_half_of_a_span_is_not_there() -> None:
    long = Span(document_id="d-1", start=0, end=130, quote=TEXTS["d-1"][:130])

    assert await cause_of(answered(SAID, contexts=[COPY]), long) == "not retrieved"
    assert await cause_of(answered(SAID, contexts=PASSAGES[:2]), long) == "in context but not used"


async def test_what_cannot_be_told_is_unsure() -> None:
    unknown = answered(SAID).model_copy(
        update={"contexts": (Hit(passage_id="summary-1", rank=1, score=1.0, source="tree"),)}
    )

    assert await cause_of(answered(SAID, contexts=[COPY])) == "unsure"
    assert await cause_of(answered(SAID), COPY_SPAN) == "unsure"
    assert await cause_of(unknown, COPY_SPAN) == "unsure"


async def test_the_shares_add_up_to_what_was_missed() -> None:
    asked = question(
        ["copy mechanism for rare tokens", "limited training data", "syntax errors", "beam search"],
        evidence={"A0": [COPY_SPAN], "A1": [span("d-2", "Training data is limited")], "A2": [ELSEWHERE]},
    )
    answer = answered("A copy mechanism helps with rare tokens.", contexts=[COPY], retrieved=[COPY, LIMITED])

    score = await MissCause().score(asked, answer, ScoringKit(held=PASSAGES))

    shares = {name: share for name, share in score.parts.items() if not name.startswith("h_")}
    assert shares == {
        "not_in_scope": 0.25,
        "not_retrieved": 0.0,
        "retrieved_but_cut": 0.25,
        "in_context_but_not_used": 0.0,
        "unsure": 0.25,
    }
    assert score.value == pytest.approx(2 / 3)


async def test_an_answer_that_misses_nothing_lost_nothing() -> None:
    score = await MissCause().score(
        question(["copy mechanism"]), answered("A copy mechanism helps with tokens."), ScoringKit()
    )

    assert score.value == 0.0
    assert score.detail["missed"] == []


async def test_an_answer_whose_misses_are_all_unsure_has_no_number() -> None:
    score = await MissCause().score(question(["copy mechanism"]), answered(SAID), ScoringKit())

    assert (score.value, score.status) == (None, "unscored")
    assert score.reason == "no miss has a known cause: the topic has no evidence spans"
    assert score.parts["unsure"] == 1.0


@pytest.mark.parametrize(
    ("said", "contexts", "held", "origin"),
    [
        ("Training data is limited for rare languages.", [LIMITED], PASSAGES, "in context"),
        ("Training data is limited for rare languages.", [COPY], PASSAGES, "in scope, not in context"),
        ("Quantum annealing hardware is used.", [COPY], PASSAGES, "not in the scope"),
        ("Quantum annealing hardware is used.", [], [], "unsure"),
    ],
)
async def test_an_unsupported_topic_has_an_origin(
    said: str, contexts: list[object], held: list[object], origin: str
) -> None:
    asked = question(["syntax errors"], ["limited training data for rare languages", "quantum annealing hardware"])
    shown = [passage for passage in PASSAGES if passage in contexts]
    kit = ScoringKit(held=PASSAGES if held else [])

    score = await MissCause().score(asked, answered(said, contexts=shown), kit)

    hit = score.detail["hit"]
    assert isinstance(hit, list)
    assert [told["cause"] for told in hit if isinstance(told, dict)] == [origin]


async def test_by_topics_the_judge_tells_what_was_missed() -> None:
    reply = json.dumps({"topics": [{"label": "x", "reference": "T1", "stretch": ""}]})
    kit = ScoringKit(Scripted({"judge_topics": [reply]}), held=PASSAGES)

    score = await MissCause(by="topics").score(question(["copy mechanism"]), answered(SAID), kit)

    assert score.metric == "miss_cause(by=topics)"
    assert (score.value, score.detail["judge"]) == (0.0, "scripted")


async def test_a_failed_answer_has_no_cause() -> None:
    answer = Answer(question_id="q", status="failed", reason="timeout")

    score = await MissCause().score(question(["a"]), answer, ScoringKit())

    assert (score.status, score.reason) == ("unscored", "the answer is failed: timeout")


async def test_an_unsupported_topic_with_evidence_is_placed_by_it() -> None:
    asked = question(["syntax errors"], ["copy mechanism for rare tokens"], evidence={"H0": [COPY_SPAN]})
    said = "A copy mechanism helps with rare tokens."

    shown = await MissCause().score(asked, answered(said, contexts=[COPY]), ScoringKit(held=PASSAGES))
    apart = await MissCause().score(asked, answered(said, contexts=[OTHER]), ScoringKit(held=PASSAGES))

    assert (shown.parts["h_in_context"], shown.parts["h_in_scope"]) == (1.0, 0.0)
    assert (apart.parts["h_in_context"], apart.parts["h_in_scope"]) == (0.0, 1.0)


async def test_an_empty_span_is_reached_by_the_passage_around_it() -> None:
    point = Span(document_id="d-1", start=5, end=5, quote="")

    assert await cause_of(answered(SAID, contexts=[COPY]), point) == "in context but not used"
    assert await cause_of(answered(SAID, contexts=[OTHER]), point) == "not retrieved"
