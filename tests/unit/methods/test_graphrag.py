import json
import re
from collections import Counter
from collections.abc import Mapping

import pytest

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Gaps
from astrolabe.core.records import Question
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.methods import METHODS
from astrolabe.methods.graphrag import GraphRAGGlobal, GraphRAGLocal
from astrolabe.parts.communities import Community, Forest
from astrolabe.parts.extract import FOUR_TYPES
from astrolabe.parts.reports import Finding, Report, Reports
from tests.late import late
from tests.sensible import sensible
from tests.six_passages import QUESTION, TracedKit, passage

BOTH = pytest.mark.parametrize("method", [GraphRAGGlobal(), GraphRAGLocal()], ids=["global", "local"])


def index_of(texts: Mapping[int, str], ratings: Mapping[int, float] | None = None, level: int = 0) -> Reports:
    """Return reports `R0`, `R1`, ... with these summaries; the lower its number, the more passages one has."""
    communities = [
        Community(
            id=place,
            level=level,
            parent=None,
            kids=(),
            entities=(place,),
            relations=(),
            passages=(f"p{place % 6 + 1}",),
            occurrence=1 - place / 1000,
        )
        for place in texts
    ]
    rated = ratings or {}
    return Reports(
        forest=Forest(communities=communities),
        of={
            place: Report(title=f"R{place}", summary=text, rating=rated.get(place, 5), findings=(Finding(summary="F"),))
            for place, text in texts.items()
        },
        gaps=Gaps(),
    )


def kit_over(index: Reports, script: object = sensible, *, context_tokens: int = 1_000) -> TracedKit:
    opened: dict[str, object] = {spell(GraphRAGGlobal().reports_of): index}
    return TracedKit(script, context_tokens=context_tokens, opened=opened)  # pyright: ignore[reportArgumentType] - a script


def blocks(kit: TracedKit) -> list[str]:
    """Return what was asked for points, without the question."""
    return [
        prompt.messages[-1].content.partition("Question:")[0]
        for prompt in kit.scripted.asked
        if prompt.name == "points.v1"
    ]


# U4, U5, U24
async def test_every_chosen_report_is_asked_exactly_once_in_order_and_no_block_is_above_the_budget() -> None:
    kit = kit_over(index_of({place: "word " * (place % 7 * 10 + 1) for place in range(60)}), context_tokens=150)

    await GraphRAGGlobal(reports=40).answer(QUESTION, kit)

    asked = [re.findall(r"\bR(\d+)", block) for block in blocks(kit)]
    assert [int(number) for block in asked for number in block] == list(range(40))
    assert all(count_tokens(re.sub(r"</?block-[^>]*>|Material:", "", block)) <= 150 for block in blocks(kit))


# U7
async def test_reports_are_asked_with_title_summary_and_findings() -> None:
    kit = kit_over(index_of({0: "The summary."}))

    await GraphRAGGlobal().answer(QUESTION, kit)

    assert "[1] R0\nThe summary.\n- F" in blocks(kit)[0]


# U24
async def test_a_report_above_the_block_size_is_cut_and_the_search_ends() -> None:
    kit = kit_over(index_of({0: "short", 1: "long " * 500, 2: "short"}), context_tokens=100)

    answer = await GraphRAGGlobal().answer(QUESTION, kit)

    assert answer.status == "ok"
    assert [re.findall(r"\bR(\d+)", block) for block in blocks(kit)] == [["0"], ["1"], ["2"]]


# U25: scores as texts; 15.2: all points of score 0 give the state, without a call
async def test_where_no_report_says_anything_no_answer_is_asked_for() -> None:
    def nothing(prompt: AnyPrompt) -> Line:
        return json.dumps({"points": [{"description": "x", "score": "0"}]}) if prompt.name == "points.v1" else "No."

    kit = kit_over(index_of({0: "a", 1: "b"}), nothing)

    answer = await GraphRAGGlobal().answer(QUESTION, kit)

    assert (answer.status, answer.text) == ("empty", "")
    assert "no report says anything about the question" in str(answer.reason)
    assert kit.trace == ["ask points.v1 (answer.points) with no passage"]


async def test_a_graph_without_reports_is_a_named_state() -> None:
    index = index_of({0: "a"})
    kit = kit_over(Reports(forest=index.forest, of={}, gaps=Gaps()))

    answer = await GraphRAGGlobal().answer(QUESTION, kit)

    assert answer.status == "empty"
    assert "0 blocks asked" in str(answer.reason)


# D29
@BOTH
async def test_a_scope_in_which_nothing_was_found_has_no_graph(method: GraphRAGGlobal | GraphRAGLocal) -> None:
    def nothing(prompt: AnyPrompt) -> Line:
        return json.dumps({"entities": [], "relations": []}) if prompt.name == "extract.v1" else "x"

    answer = await method.answer(QUESTION, TracedKit(nothing))

    assert (answer.status, answer.reason) == ("empty", "no graph: the extraction found nothing in 6 of 6 passages")


# D29
@BOTH
@pytest.mark.parametrize("names", [["Moon"], ["Moon", "Sun", "Tides"]])
async def test_entities_without_relations_are_answered_from(
    method: GraphRAGGlobal | GraphRAGLocal, names: list[str]
) -> None:
    def alone(prompt: AnyPrompt) -> Line:
        entities = [{"name": name, "type": "thing", "description": f"On {name}."} for name in names]
        return json.dumps({"entities": entities, "relations": []}) if prompt.name == "extract.v1" else sensible(prompt)

    kit = TracedKit(alone)
    answer = await method.answer(QUESTION, kit)

    assert answer.status == "ok"
    assert Counter(prompt.name for prompt in kit.scripted.asked)["report.v1"] == 0


@BOTH
async def test_identical_and_single_passages_and_a_question_in_another_script_are_answered(
    method: GraphRAGGlobal | GraphRAGLocal,
) -> None:
    question = Question(id="q", text="是什么推动海洋的潮汐?")
    text = "The moon pulls the water of the oceans."
    scopes = [[passage("p1", text)], [passage(f"p{number}", text) for number in range(50)]]

    answers = [await method.answer(question, TracedKit(sensible, held=held)) for held in scopes]

    assert all(answer.status == "ok" or answer.reason for answer in answers)


@BOTH
async def test_the_order_in_which_replies_arrive_changes_no_answer(method: GraphRAGGlobal | GraphRAGLocal) -> None:
    answer = await method.answer(QUESTION, TracedKit(sensible))

    for seed in range(3):
        assert await method.answer(QUESTION, late(TracedKit(sensible), seed)) == answer


@pytest.mark.parametrize("name", ["graphrag_global", "graphrag_local"])
def test_published_has_the_parameters_of_the_papers_run(name: str) -> None:
    method = parse_spelled(f"{name}@published", METHODS, what="method")

    assert isinstance(method, GraphRAGGlobal | GraphRAGLocal)
    assert (method.types, method.gleanings, method.component) == (FOUR_TYPES, 1, "largest")
    assert (method.size, method.overlap, method.max_size, method.level) == (1200, 100, 10, 2)
    if isinstance(method, GraphRAGGlobal):
        assert (method.reports, method.block_tokens, method.point_tokens) == (512, 16_384, 16_384)
    else:
        assert (method.k, method.relation_tokens, method.community_tokens, method.passage_tokens) == (
            5,
            4_800,
            3_200,
            4_000,
        )


# U2, U6
@pytest.mark.parametrize(
    "spelled",
    [
        "graphrag_global(reports=0)",
        "graphrag_global(block_tokens=0)",
        "graphrag_global(point_tokens=-1)",
        "graphrag_global(max_size=1)",
        "graphrag_global(gleanings=-1)",
        "graphrag_global(component=some)",
        "graphrag_global(enable_local=true)",
        "graphrag_local(k=0)",
        "graphrag_local(passage_tokens=0)",
        "graphrag_local(level=-1)",
    ],
)
def test_parameters_that_are_wrong_or_unknown_are_refused_before_anything_runs(spelled: str) -> None:
    with pytest.raises(ConfigError):
        parse_spelled(spelled, METHODS, what="method")


def test_both_ways_of_asking_share_their_index() -> None:
    assert GraphRAGGlobal().reports_of == GraphRAGLocal().reports_of


async def test_relations_come_by_the_degrees_of_their_ends_or_by_similarity() -> None:
    by_degree, by_similarity = TracedKit(sensible), TracedKit(sensible)
    question = Question(id="q", text="What is said of Spring and tides?")

    await GraphRAGLocal(k=4).answer(question, by_degree)
    await GraphRAGLocal(k=4, order="similarity").answer(question, by_similarity)

    def first_relation(kit: TracedKit) -> str:
        shown = kit.scripted.asked[-1].messages[-1].content.splitlines()
        return next(line for line in shown if "rank" in line).partition(" (")[0]

    assert first_relation(by_similarity) == "tides - Spring"
    assert first_relation(by_degree) != "tides - Spring"
    assert "open relation_vectors" not in by_degree.trace
