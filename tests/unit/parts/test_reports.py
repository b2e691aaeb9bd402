import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Gaps
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.core.tokens import count_tokens
from astrolabe.core.usage import Usage
from astrolabe.llm.provider import RawReply
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.parts.communities import Community, Forest, forest_of
from astrolabe.parts.described_graph import DescribedGraph
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation
from astrolabe.parts.reports import CommunityReports, Finding, Report, Reports, reported
from tests.late import late
from tests.six_passages import TracedKit

REPLY = {
    "title": "Tides",
    "summary": "What moves the sea.",
    "rating": 7.5,
    "rating_explanation": "It is central.",
    "findings": [{"summary": "The moon pulls.", "explanation": "Twice a day."}, {"summary": "The sun helps."}],
}


def graph_of(
    edges: Sequence[tuple[int, int]], *, size: int | None = None, descriptions: Mapping[int, str] | None = None
) -> EntityGraph:
    """Return a graph of entities e0, e1, ... with a passage each."""
    size = size if size is not None else 1 + max(max(edge) for edge in edges)
    said = descriptions or {}
    entities = [
        Entity(name=f"e{place}", type="", description=said.get(place, f"Said of e{place}."), passages=(f"p{place}",))
        for place in range(size)
    ]
    relations = [
        Relation(source=one, target=other, description="", keywords=(), weight=1.0, passages=(f"p{one}",))
        for one, other in sorted(edges)
    ]
    return EntityGraph(entities=entities, relations=relations)


def blocks(count: int, size: int) -> EntityGraph:
    """Return a ring of dense groups, which Leiden finds."""
    inside = [
        (block * size + one, block * size + other)
        for block in range(count)
        for one in range(size)
        for other in range(one + 1, size)
    ]
    between = [(block * size, (block + 1) % count * size) for block in range(count)]
    return graph_of([*inside, *((min(pair), max(pair)) for pair in between)])


def sparse(size: int, edges: int) -> EntityGraph:
    pairs = np.random.default_rng(3).integers(0, size, (edges, 2)).tolist()
    return graph_of(sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}), size=size)


def material(prompt: AnyPrompt) -> str:
    return prompt.messages[-1].content


def tells(prompt: AnyPrompt) -> Line:  # noqa: ARG001 - whatever is asked
    return json.dumps(REPLY)


async def built(
    graph: EntityGraph, kit: TracedKit, *, max_size: int = 10, level: int = 2, tokens: int = 12_000
) -> Reports:
    return await reported(graph, await forest_of(graph, max_size=max_size), kit, level=level, tokens=tokens)


# U7
def test_a_reports_text_has_its_title_its_summary_and_every_finding() -> None:
    report = Report.model_validate(REPLY)

    assert report.text == "Tides\nWhat moves the sea.\n- The moon pulls. Twice a day.\n- The sun helps."


async def test_each_community_of_several_gets_one_report_written_from_its_entities_and_relations() -> None:
    kit = TracedKit(tells)

    reports = await built(blocks(3, 4), kit)

    assert kit.trace == ["ask report.v1 (index.report) with no passage"] * 3
    assert {place: report.title for place, report in reports.of.items()} == {0: "Tides", 1: "Tides", 2: "Tides"}
    assert reports.gaps == Gaps(asked=3)
    assert reports.row(0).text == reports.of[0].text
    assert reports.row(0).passages == reports.forest.communities[0].passages


# M2
async def test_a_report_is_shown_every_relation_inside_the_community_most_connected_first() -> None:
    kit = TracedKit(tells)

    await built(blocks(3, 4), kit)

    shown = material(kit.scripted.asked[0])
    assert [line.split(" (")[0] for line in shown.splitlines() if " relations" in line] == ["e0", "e1", "e2", "e3"]
    assert [line.split(" (")[0] for line in shown.splitlines() if "rank" in line] == [
        "e0 - e1",
        "e0 - e2",
        "e0 - e3",
        "e1 - e2",
        "e1 - e3",
        "e2 - e3",
    ]


# M1
async def test_reports_on_the_parts_stand_for_their_members_where_a_community_is_over_the_budget() -> None:
    said = {place: f"Said of e{place}. " + "It goes on and on. " * 20 for place in range(120)}
    graph = sparse(120, 170)
    graph = EntityGraph(
        entities=[
            Entity(name=one.name, type="", description=said[place], passages=one.passages)
            for place, one in enumerate(graph.entities)
        ],
        relations=graph.relations,
    )
    kit = TracedKit(tells, context_tokens=1_000)

    reports = await built(graph, kit, max_size=6)

    shown = [material(prompt) for prompt in kit.scripted.asked if "Reports on parts" in material(prompt)]
    assert any(community.kids for community in reports.forest.communities)
    assert shown
    assert all("What moves the sea." in text for text in shown)
    assert all(count_tokens(material(prompt)) < 1_200 for prompt in kit.scripted.asked)


async def test_a_community_within_the_budget_is_shown_as_it_is() -> None:
    kit = TracedKit(tells, context_tokens=100_000)

    await built(sparse(120, 170), kit, max_size=6)

    assert all("Reports on parts" not in material(prompt) for prompt in kit.scripted.asked)


async def test_levels_that_are_not_read_get_no_reports() -> None:
    graph = sparse(120, 170)
    kit = TracedKit(tells)

    reports = await built(graph, kit, max_size=3, level=0)

    levels = {reports.forest.communities[place].level for place in reports.of}
    assert levels == {0}
    assert max(community.level for community in reports.forest.communities) > 0


# D29
async def test_an_entity_by_itself_is_its_own_report_without_a_call() -> None:
    kit = TracedKit(tells)

    reports = await built(graph_of([], size=3, descriptions={2: " "}), kit)

    assert kit.trace == []
    assert {place: report.text for place, report in reports.of.items()} == {0: "e0\nSaid of e0.", 1: "e1\nSaid of e1."}
    assert reports.gaps == Gaps(asked=0)


# D29
async def test_a_graph_of_nothing_has_no_reports() -> None:
    reports = await built(graph_of([], size=0), TracedKit(tells))

    assert (reports.forest.communities, reports.of, reports.gaps) == ((), {}, Gaps(asked=0))


# A9
async def test_a_report_that_fails_is_a_gap_and_no_text() -> None:
    def fails_once(prompt: AnyPrompt) -> Line:
        return ModelError("failed", "no answer in 60 s") if "e5" in material(prompt) else json.dumps(REPLY)

    reports = await built(blocks(3, 4), TracedKit(fails_once))

    (lost,) = [one.id for one in reports.forest.communities if 5 in one.entities]
    assert sorted(reports.of) == sorted({0, 1, 2} - {lost})
    assert reports.gaps.asked == 3
    assert reports.gaps.failed == {"report on 'e4' and 3 more (level 0)": "no answer in 60 s"}


# A9
@pytest.mark.parametrize(
    "reply",
    [
        "no object",
        json.dumps({**REPLY, "findings": []}),
        json.dumps({**REPLY, "rating": 11}),
        json.dumps({key: value for key, value in REPLY.items() if key != "rating"}),
        json.dumps({**REPLY, "title": ""}),
    ],
)
async def test_a_reply_that_is_no_report_is_asked_for_once_more_and_then_a_gap(reply: str) -> None:
    kit = TracedKit(lambda _: reply)

    reports = await built(blocks(1, 4), kit)

    assert reports.of == {}
    assert len(reports.gaps.failed) == 1
    assert len(kit.scripted.requests) == 2


async def test_a_report_that_was_cut_keeps_its_whole_findings_and_is_named() -> None:
    text = json.dumps(REPLY)[:-30]
    kit = TracedKit(lambda _: RawReply(text=text, usage=Usage(), finish="length"))

    reports = await built(blocks(1, 4), kit)

    assert reports.of[0].findings == (Finding(summary="The moon pulls.", explanation="Twice a day."),)
    assert (reports.cut_short, dict(reports.gaps.failed)) == ((0,), {})


async def test_the_graphs_gaps_are_the_reports_gaps_too() -> None:
    graph = blocks(3, 4)
    lacking = EntityGraph(
        entities=graph.entities, relations=graph.relations, gaps=Gaps(asked=10, failed={"p9": "cut off"})
    )

    reports = await built(lacking, TracedKit(tells))

    assert reports.gaps == Gaps(asked=13, failed={"p9": "cut off"})


async def test_the_order_in_which_reports_come_does_not_matter() -> None:
    graph = sparse(120, 170)
    first = TracedKit(tells, context_tokens=300)
    others = [late(TracedKit(tells, context_tokens=300), seed) for seed in (1, 2)]
    reports = await built(graph, first, max_size=6)

    for other in others:
        assert await built(graph, other, max_size=6) == reports
        assert sorted(map(material, other.scripted.asked)) == sorted(map(material, first.scripted.asked))


async def test_an_index_of_reports_is_built_over_the_described_graph_and_opens_as_it_was_saved(tmp_path: Path) -> None:
    spec = CommunityReports(gleanings=1, types="place")
    kit = TracedKit(tells, opened={spell(DescribedGraph(gleanings=1, types="place")): sparse(60, 80)})

    reports = await spec.build([], kit)
    spec.save(reports, tmp_path)
    opened = spec.load(tmp_path, [], kit)

    assert opened == reports
    assert set(DescribedGraph.prompts) < set(CommunityReports.prompts)


@pytest.mark.parametrize("wrong", ["max_size=1", "level=-1", "report_tokens=0", f'aspects="{"x" * 201}"'])
def test_what_cannot_be_built_is_refused_before_anything_runs(wrong: str) -> None:
    with pytest.raises(ConfigError, match="reports need"):
        parse_spelled(f"community_reports({wrong})", {CommunityReports.name: CommunityReports}, what="index")


async def test_reports_are_ordered_by_occurrence_then_rating_and_those_too_deep_or_missing_left_out() -> None:
    def community(place: int, level: int, occurrence: float) -> Community:
        return Community(
            id=place, level=level, parent=None, kids=(), entities=(0,), relations=(), passages=(), occurrence=occurrence
        )

    def rated(rating: float) -> Report:
        return Report(title="t", summary="s", rating=rating, findings=())

    forest = Forest(
        communities=[community(0, 0, 0.5), community(1, 0, 1), community(2, 1, 0.5), community(3, 1, 1), *[
            community(4, 2, 1), community(5, 2, 0.5),
        ]]
    )  # fmt: skip
    index = Reports(forest=forest, of={0: rated(1), 1: rated(2), 2: rated(9), 4: rated(9), 5: rated(9)}, gaps=Gaps())

    assert index.by_weight(2) == [4, 1, 2, 5, 0]
    assert index.by_weight(1) == [1, 2, 0]
    assert index.cost(0) == index.cost(0) == count_tokens("t\ns")
    assert index.around([0], level=1) == [2, 1, 0]
