"""What every metric promises."""

import inspect
import json

import pytest

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Metric
from astrolabe.core.records import Answer, AnswerStatus, Score, Span
from astrolabe.core.spelling import parse_spelled
from astrolabe.llm.scripted import AnyPrompt, Line, Scripted
from astrolabe.metrics import METRICS
from tests.scoring_kit import ScoringKit, answered, passages_of, question, shown_ids

EVERY = pytest.mark.parametrize("kind", METRICS.values(), ids=METRICS)
TEXTS = {"d-1": "Copy mechanisms take rare tokens over.", "d-2": "Beam search is wide."}
PASSAGES = passages_of(TEXTS)
ASKED = question(
    ["copy mechanism for rare tokens", "limited data"],
    ["beam search"],
    evidence={"A1": [Span(document_id="d-1", start=0, end=4, quote="Copy")]},
).model_copy(update={"answers": (("beam search",), ("rare tokens", "tokens"))})
ANSWER = answered(
    "A copy mechanism takes rare tokens over. Beam search is wide.", contexts=PASSAGES, retrieved=PASSAGES
)


def judge(prompt: AnyPrompt) -> Line:
    """Find the first reference, in whichever form the prompt asks for it."""
    if prompt.name.startswith("judge_labels"):
        return json.dumps({"topics": ["limited data", "noise"]})
    if prompt.name.startswith("judge_set"):
        return json.dumps({"items": [{"text": "Beam search", "gold": "G1"}, {"text": "width", "gold": None}]})
    ids = shown_ids(prompt)
    return json.dumps({"topics": [{"label": "x", "reference": ids["limited data"], "stretch": "Beam"}]})


async def scored(kind: type[Metric], answer: Answer = ANSWER) -> Score:
    return await kind().score(ASKED, answer, ScoringKit(Scripted(judge), held=PASSAGES))


@EVERY
async def test_a_score_names_its_question_method_scope_and_metric(kind: type[Metric]) -> None:
    answer = ANSWER.model_copy(update={"scope": "hard"})

    score = await scored(kind, answer)

    assert (score.question_id, score.method, score.scope) == ("q", "m", "hard")
    assert parse_spelled(score.metric, METRICS, what="metric") == kind()
    assert score.status == "scored"


@EVERY
async def test_value_and_range_agree(kind: type[Metric]) -> None:
    score = await scored(kind)
    low, high = sorted(kind().range)

    assert score.value is not None
    assert low <= score.value <= high
    assert low != high


@EVERY
async def test_scoring_twice_gives_the_same(kind: type[Metric]) -> None:
    assert await scored(kind) == await scored(kind)


@EVERY
async def test_the_order_of_topics_changes_no_figure(kind: type[Metric]) -> None:
    turned = ASKED.model_copy(update={"topics": ASKED.topics[::-1]})

    score = await kind().score(turned, ANSWER, ScoringKit(Scripted(judge), held=PASSAGES))

    assert score.parts == (await scored(kind)).parts


@EVERY
async def test_a_record_survives_being_written_and_read(kind: type[Metric]) -> None:
    score = await scored(kind)

    assert Score.model_validate_json(score.model_dump_json()) == score


@EVERY
@pytest.mark.parametrize("status", ["empty", "refused", "truncated", "unparsed", "failed"])
async def test_an_answer_that_is_none_gets_no_number_but_its_cost(kind: type[Metric], status: AnswerStatus) -> None:
    answer = Answer(question_id="q", method="m", text="some", status=status, reason="because")

    score = await scored(kind, answer)

    if METRICS["cost"] is kind:
        assert score.value == 0.0
    else:
        assert (score.value, score.status) == (None, "unscored")
        assert "because" in (score.reason or "")


@EVERY
async def test_prose_from_the_judge_is_an_error_by_name_not_a_number(kind: type[Metric]) -> None:
    prose = Scripted(lambda _: "I think it is rather good.")

    try:
        score = await kind().score(ASKED, ANSWER, ScoringKit(prose, held=PASSAGES))
    except ModelError as error:
        assert error.status == "unparsed"  # noqa: PT017 - metrics without a judge raise nothing
    else:
        assert not prose.asked
        assert score.status == "scored"


@EVERY
def test_a_metric_says_what_it_measures_and_how_it_is_spelled(kind: type[Metric]) -> None:
    described = inspect.getdoc(kind) or ""
    named = [name for name, known in METRICS.items() if known is kind]

    assert "better" in described or "0 to 1" in described
    assert [type(parse_spelled(name, METRICS, what="metric")) for name in named] == [kind]


def test_the_catalogue_is_by_name_in_order() -> None:
    assert list(METRICS) == sorted(METRICS)
