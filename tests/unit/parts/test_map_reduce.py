import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.errors import ModelError
from astrolabe.core.records import Answer, Usage
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.provider import RawReply
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.parts.map_reduce import Block, blocks_of, map_points, map_reduce
from astrolabe.parts.sections import Row
from tests.late import late
from tests.six_passages import QUESTION, TracedKit

ROWS = [Row(f"Report {number} says a few words.", (f"p{number}", "p0")) for number in range(1, 5)]
BLOCKS = [Block(name="reports 1", rows=ROWS[:2]), Block(name="reports 2", rows=ROWS[2:])]


def points(*scored: tuple[str, object]) -> str:
    return json.dumps({"points": [{"description": text, "score": score} for text, score in scored]})


def says(first: Line, second: Line) -> TracedKit:
    """Return a kit whose model says one thing of the first block and another of the second."""

    def script(prompt: AnyPrompt) -> Line:
        if prompt.name != "points.v1":
            return "The answer."
        return first if "Report 1" in prompt.messages[-1].content else second

    return TracedKit(script)


async def reduced(kit: TracedKit, *, tokens: int = 1_000, blocks: Sequence[Block] = BLOCKS) -> Answer:
    return await map_reduce(QUESTION, blocks, kit, tokens=tokens, trace=(), prompt="write.v1")


def shown(kit: TracedKit) -> str:
    return kit.scripted.asked[-1].messages[-1].content


# U24
@given(st.lists(st.text(alphabet="ab c", max_size=60), max_size=12), st.integers(1, 40))
def test_every_row_stands_in_exactly_one_block_and_no_block_is_empty_or_too_large(
    texts: list[str], tokens: int
) -> None:
    rows = [Row(f"{place} {text}") for place, text in enumerate(texts)]

    blocks = blocks_of(rows, tokens=tokens, name="reports")

    kept = [row for block in blocks for row in block.rows]
    assert all(block.rows for block in blocks)
    assert len(kept) == len(rows)
    assert all(row.text.startswith(short.text) and short.text for row, short in zip(rows, kept, strict=True))
    assert all(sum(count_tokens(row.text) for row in block.rows) <= max(tokens - 4, 1) for block in blocks)
    assert [block.name for block in blocks] == [f"reports {number}" for number in range(1, len(blocks) + 1)]


# U24
def test_a_row_above_the_block_size_is_cut_and_has_a_block_to_itself() -> None:
    rows = [Row("one two"), Row("word " * 100, ("p1",)), Row("three four")]

    blocks = blocks_of(rows, tokens=14, name="reports")

    assert [[len(row.text.split()) for row in block.rows] for block in blocks] == [[2], [10], [2]]
    assert blocks[1].rows[0].passages == ("p1",)


async def test_points_of_all_blocks_come_by_score_ties_in_the_order_of_the_blocks() -> None:
    kit = says(points(("low", 10), ("high", 90)), points(("also high", 90), ("middle", 50)))

    mapped = await map_points(QUESTION, BLOCKS, kit)

    assert [(point.text, point.score) for point in mapped.points] == [
        ("high", 90),
        ("also high", 90),
        ("middle", 50),
        ("low", 10),
    ]
    assert (mapped.asked, dict(mapped.failed), mapped.useless) == (2, {}, 0)


# U25
async def test_scores_that_come_as_texts_are_numbers() -> None:
    mapped = await map_points(QUESTION, BLOCKS, says(points(("a", "9")), points(("b", "80"), ("c", 80.0))))

    assert [(point.text, point.score) for point in mapped.points] == [("b", 80), ("c", 80), ("a", 9)]


async def test_an_answer_is_written_from_the_points_and_names_the_passages_behind_them() -> None:
    cited = json.dumps({"points": [{"description": "cited", "score": 90, "entries": [2, 9, 2]}]})
    kit = says(cited, points(("uncited", 50)))

    answer = await reduced(kit)

    assert kit.trace == ["ask points.v1 (answer.points) with no passage"] * 2 + [
        "ask write.v1 (answer.write) with no passage"
    ]
    assert (answer.text, answer.contexts) == ("The answer.", ())
    assert "Points:\n\ncited\nuncited" in shown(kit)
    assert [(hit.passage_id, hit.score) for hit in answer.retrieved] == [
        ("p2", 90),
        ("p0", 90),
        ("p3", 50),
        ("p4", 50),
    ]


async def test_each_block_is_asked_with_its_rows_under_numbers() -> None:
    kit = says(points(), points())

    await map_points(QUESTION, BLOCKS, kit)

    assert "[1] Report 1 says a few words.\n\n[2] Report 2 says a few words." in (
        kit.scripted.asked[0].messages[-1].content
    )


async def test_points_that_score_nothing_are_dropped_and_counted() -> None:
    kit = says(points(("useless", 0), ("useful", 5)), points(("as useless", 0)))

    answer = await reduced(kit)

    assert "useless" not in shown(kit)
    assert answer.trace[0].reason == "2 blocks asked, 0 failed, 2 points of score 0"


async def test_no_points_end_in_a_named_state_without_asking_for_an_answer() -> None:
    kit = says(points(("useless", 0)), points())

    answer = await reduced(kit)

    assert answer.status == "empty"
    assert str(answer.reason).startswith("no report says anything about the question (2 blocks asked")
    assert [prompt.name for prompt in kit.scripted.asked] == ["points.v1"] * 2
    assert answer.trace[0].stage == "map.points"


# U12
@pytest.mark.parametrize(
    "broken",
    [
        "",
        "no object at all",
        '["a", "b"]',
        RawReply(text="<think>points about", usage=Usage(), finish="length"),
        RawReply(text='{"points": [{"descr', usage=Usage(), finish="length"),
        json.dumps({"points": [{"description": "x", "score": 900}]}),
        ModelError("failed", "the server is gone"),
    ],
)
async def test_a_block_that_fails_is_counted_and_stops_no_other(broken: Line) -> None:
    kit = says(broken, points(("useful", 5)))

    answer = await reduced(kit)

    assert answer.status == "ok"
    assert answer.trace[0].reason.startswith("2 blocks asked, 1 failed, 0 points of score 0; reports 1 failed: ")


# U12
async def test_of_a_reply_that_was_cut_the_whole_points_count() -> None:
    cut = points(("whole", 70), ("also whole", 60))[:-25]
    kit = says(RawReply(text=cut, usage=Usage(), finish="length"), points())

    mapped = await map_points(QUESTION, BLOCKS, kit)

    assert [point.text for point in mapped.points] == ["whole"]


# U12
@pytest.mark.parametrize("thought", ["<think>hm</think>{}", "```json\n{}\n```"])
async def test_thoughts_and_fences_around_points_cost_nothing(thought: str) -> None:
    kit = says(thought.replace("{}", points(("useful", 5))), points())

    mapped = await map_points(QUESTION, BLOCKS, kit)

    assert [point.text for point in mapped.points] == ["useful"]
    assert mapped.failed == {}


async def test_where_every_block_fails_the_answer_is_the_first_failure() -> None:
    answer = await reduced(says(ModelError("refused", "no"), ModelError("failed", "gone")))

    assert (answer.status, answer.reason) == ("refused", "no block gave points: no")
    assert "reports 2 failed: gone" in answer.trace[0].reason


async def test_points_are_shown_best_first_within_the_budget() -> None:
    long = [(f"Point {score} " + "and so on " * 20, score) for score in (30, 90, 60)]
    kit = says(points(*long), points())

    answer = await reduced(kit, tokens=140)

    assert "Point 90" in shown(kit)
    assert "Point 60" in shown(kit)
    assert "Point 30" not in shown(kit)
    drawn = json.dumps(answer.trace[0].output)
    assert drawn.index("Point 90") < drawn.index("Point 60")
    assert "Point 30" not in drawn


async def test_blocks_are_asked_at_the_same_time_and_the_order_of_replies_does_not_matter() -> None:
    def kit() -> TracedKit:
        return says(points(("a", 5), ("b", 9)), points(("c", 9)))

    answers = [await reduced(late(kit(), seed)) for seed in range(3)]

    assert answers == [await reduced(kit())] * 3


def test_a_question_in_another_script_is_no_crash() -> None:
    assert blocks_of([Row("数据很多。" * 50)], tokens=20, name="reports")[0].rows[0].text
