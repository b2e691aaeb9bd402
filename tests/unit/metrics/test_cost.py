from astrolabe.core.records import Answer, Step, Usage
from astrolabe.metrics.cost import Cost
from tests.scoring_kit import ScoringKit, question


async def test_a_cost_is_read_from_usage_and_trace() -> None:
    answer = Answer(
        question_id="q",
        text="Text.",
        usage=Usage(calls=3, recorded=1, prompt_tokens=10, completion_tokens=5, usd=None, seconds=1.5),
        duration_seconds=2.0,
        trace=(
            Step(id="1", stage="plan"),
            Step(id="2", parent="1", stage="search"),
            Step(id="3", parent="1", stage="search"),
            Step(id="4", parent="3", stage="write"),
        ),
    )

    score = await Cost().score(question(["a"]), answer, ScoringKit())

    assert score.value == 3.0
    assert score.parts["usd"] is None
    assert (score.parts["recorded"], score.parts["seconds"], score.parts["model_seconds"]) == (1.0, 2.0, 1.5)
    assert [score.parts[name] for name in ("steps", "depth", "breadth", "widest")] == [4.0, 3.0, 1.5, 2.0]


async def test_a_failed_answer_has_a_cost_and_no_trace_no_depth() -> None:
    answer = Answer(question_id="q", status="failed", reason="timeout", usage=Usage(calls=2))

    score = await Cost().score(question([]), answer, ScoringKit())

    assert (score.value, score.parts["depth"], score.parts["breadth"]) == (2.0, 0.0, 0.0)


async def test_a_trace_that_turns_in_a_circle_ends() -> None:
    trace = (Step(id="1", parent="2", stage="a"), Step(id="2", parent="1", stage="a"))

    score = await Cost().score(question([]), Answer(question_id="q", text="T.", trace=trace), ScoringKit())

    assert score.parts["depth"] == 2.0
