import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Gaps
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.scripted import AnyPrompt, Line, Script
from astrolabe.parts.attributed_clusters import attributed, lifted
from astrolabe.parts.attributed_hierarchy import AttributedHierarchy, Hierarchy
from astrolabe.parts.described_graph import DescribedGraph
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation
from astrolabe.parts.reports import Report
from tests.late import late
from tests.sensible import sensible
from tests.six_passages import TracedKit

THEMES = [
    "moon tide water",
    "salt pan crystal",
    "lamp whale oil",
    "net hemp rot",
    "harbour table clock",
    "ship sail wind",
]


def graph_of(size: int, edges: Sequence[tuple[int, int]], *, described: bool = True) -> EntityGraph:
    """Return a graph whose entities have six themes in turn, a passage each."""
    return EntityGraph(
        entities=[
            Entity(
                name=f"e{place:03}",
                type="thing",
                description=f"{THEMES[place % 6]} number{place}" if described else "",
                passages=(f"p{place}",),
            )
            for place in range(size)
        ],
        relations=[
            Relation(
                source=one,
                target=other,
                description=f"r{one} to {other}",
                keywords=(),
                weight=1.0,
                passages=(f"p{one}",),
            )
            for one, other in sorted(edges)
        ],
    )


def sparse(size: int, edges: int) -> EntityGraph:
    pairs = np.random.default_rng(5).integers(0, size, (edges, 2)).tolist()
    return graph_of(size, sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}))


def kit_over(graph: EntityGraph, script: Script = sensible, *, context_tokens: int = 4_000) -> TracedKit:
    return TracedKit(script, context_tokens=context_tokens, opened={spell(DescribedGraph()): graph})


async def built(spec: AttributedHierarchy, kit: TracedKit) -> Hierarchy:
    return await kit.open(spec)


def clusters(
    rows: Sequence[Sequence[float]],
    ends: Sequence[tuple[int, int]],
    *,
    weighted: bool = True,
    percentile: float = 0.5,
    max_size: int = 15,
) -> list[int]:
    vectors = np.array(rows, dtype=np.float32)
    arrays = {"rows": vectors, "ends": np.array(ends, dtype=np.int64).reshape(-1, 2), "max_size": np.array(max_size)}
    arrays |= {"percentile": np.array(percentile), "weighted": np.array(weighted)}
    labels: list[int] = attributed(arrays)["cluster"].tolist()
    return labels


EAST, NORTH = [1.0, 0.0], [0.0, 1.0]


def test_nodes_that_are_alike_are_one_cluster_though_no_edge_joins_them() -> None:
    # Two pairs that point east and one that points north; only the pairs themselves are joined.
    labels = clusters([EAST, EAST, EAST, EAST, NORTH, NORTH], [(0, 1), (2, 3), (4, 5)])

    assert labels[0] == labels[1] == labels[2] == labels[3]
    assert labels[4] == labels[5] != labels[0]


# A6
def test_weights_reach_the_clustering() -> None:
    # A chain of four: its ends go with what they are like, if that weighs anything.
    rows = [EAST, EAST, NORTH, NORTH]
    ends = [(0, 1), (1, 2), (1, 3), (0, 2), (2, 3), (0, 3)]

    assert clusters(rows, ends, percentile=1) == [0, 0, 1, 1]
    assert clusters(rows, ends, percentile=1, weighted=False) == [0, 0, 0, 0]


# A10
def test_new_edges_are_chosen_by_the_angle_between_unit_rows() -> None:
    close = [np.cos(0.01), np.sin(0.01)]

    assert clusters([EAST, NORTH, close, NORTH], [(0, 1), (2, 3)], percentile=1)[0::2] == [0, 0]


def test_a_node_gets_at_most_as_many_new_edges_as_the_mean_degree() -> None:
    """Forty equal nodes with one edge each: were all pairs joined, they would be one cluster."""
    labels = clusters([EAST] * 40, [(place, place + 1) for place in range(0, 40, 2)])

    assert len(set(labels)) > 1


def test_without_any_edge_nothing_tells_how_alike_is_alike() -> None:
    assert len(set(clusters([EAST] * 4, []))) == 4


@given(st.integers(1, 20), st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=40))
def test_every_node_is_in_one_cluster_and_clusters_are_numbered_from_zero(
    size: int, pairs: list[tuple[int, int]]
) -> None:
    ends = sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1] and max(pair) < size})
    angles = np.linspace(0, 3, size)

    labels = clusters(np.column_stack([np.cos(angles), np.sin(angles)]).tolist(), ends, max_size=4)

    assert len(labels) == size
    assert set(labels) == set(range(max(labels) + 1))


def test_lifting_keeps_each_edge_between_clusters_once() -> None:
    label = np.array([0, 0, 1, 1, 2])
    ends = np.array([[0, 1], [0, 2], [3, 1], [4, 2]])

    assert lifted(label, ends).tolist() == [[0, 1], [1, 2]]
    assert lifted(label, ends[:0]).tolist() == []


async def test_levels_share_out_what_is_below_them_until_there_are_too_few() -> None:
    graph = sparse(120, 160)

    hierarchy = await built(AttributedHierarchy(min_clusters=3, max_size=5), kit_over(graph))

    below = 120
    assert len(hierarchy.levels) >= 2
    for level in hierarchy.levels:
        kids = [kid for cluster in level.clusters for kid in cluster.kids]
        assert sorted(kids) == list(range(below))
        assert sorted(entity for cluster in level.clusters for entity in cluster.entities) == list(range(120))
        below = len(level.clusters)
    assert all(len(level.clusters) >= 3 for level in hierarchy.levels)
    assert hierarchy.levels[-1].clusters[0].passages[0].startswith("p")


async def test_no_more_levels_than_wanted_and_the_first_is_there_however_small() -> None:
    graph = sparse(120, 160)

    capped = await built(AttributedHierarchy(min_clusters=1, max_size=5, max_level=1), kit_over(graph))
    small = await built(AttributedHierarchy(), kit_over(graph_of(3, [(0, 1), (1, 2)])))

    assert len(capped.levels) == 1
    assert [len(level.clusters) for level in small.levels] == [1]


async def test_a_report_above_is_written_from_the_reports_below_then_entities_then_relations() -> None:
    kit = kit_over(sparse(60, 90), context_tokens=4_000)

    hierarchy = await built(AttributedHierarchy(min_clusters=1, max_size=6), kit)

    first = [prompt for prompt in kit.scripted.asked if "Reports on parts" not in prompt.messages[-1].content]
    above = [prompt for prompt in kit.scripted.asked if "Reports on parts" in prompt.messages[-1].content]
    assert len(hierarchy.levels) >= 2
    assert first
    for prompt in above:
        shown = prompt.messages[-1].content
        assert shown.index("Reports on parts") < shown.index("Entities:") < shown.index("Relations:")
        assert "(rating 5): What is known of" in shown


# A5
async def test_a_report_is_shown_the_relations_that_come_from_outside_after_those_inside() -> None:
    # Two dense groups of the same theme each, and one relation from the second into the first.
    first, second = [0, 6, 12, 18], [1, 7, 13, 19]
    inside = [(one, other) for group in (first, second) for one in group for other in group if one < other]
    kit = kit_over(graph_of(20, [*inside, (0, 1)]))

    await built(AttributedHierarchy(max_level=1), kit)

    shown = [prompt.messages[-1].content for prompt in kit.scripted.asked]
    groups = [text for text in shown if "e006 (thing" in text or "e007 (thing" in text]
    assert len(groups) == 2
    for text in groups:
        relations = [line for line in text.splitlines() if "rank" in line]
        assert len(relations) == 7
        assert relations[-1].startswith("e000 - e001")


@pytest.mark.parametrize("tokens", [60, 200])
async def test_a_report_is_written_from_no_more_tokens_than_it_may(tokens: int) -> None:
    kit = kit_over(sparse(60, 90))

    await built(AttributedHierarchy(min_clusters=1, max_size=6, report_tokens=tokens), kit)

    for prompt in kit.scripted.asked:
        material = prompt.messages[-1].content.partition('name="group">')[2].partition("</block")[0]
        rows = [line for line in material.splitlines() if not line.endswith(":")]
        assert 0 < sum(map(count_tokens, rows)) <= tokens


# A9
async def test_a_report_that_fails_is_a_gap_that_nothing_finds() -> None:
    def fails(prompt: AnyPrompt) -> Line:
        return ModelError("failed", "gone") if "e000 (thing" in prompt.messages[-1].content else sensible(prompt)

    kit = kit_over(graph_of(6, [(0, 1), (2, 3), (4, 5)]), fails)
    hierarchy = await built(AttributedHierarchy(max_level=1, percentile=1), kit)

    (level,) = hierarchy.levels
    (lost,) = [place for place, cluster in enumerate(level.clusters) if 0 in cluster.entities]
    query = await level.texts.embed("What is known of e002 and e000?")
    assert query is not None
    assert level.clusters[lost].report is None
    assert lost not in [near.place for near in level.nearest(query, k=9)]
    assert len(level.nearest(query, k=9)) == len(level.clusters) - 1
    assert hierarchy.gaps.asked == sum(len(cluster.kids) > 1 for cluster in level.clusters)
    assert list(hierarchy.gaps.failed.values()) == ["gone"]


async def test_a_cluster_of_one_says_what_it_is_made_of_without_a_call() -> None:
    kit = kit_over(graph_of(4, [(0, 1), (0, 2), (1, 2)]))

    hierarchy = await built(AttributedHierarchy(max_level=1), kit)

    (alone,) = [cluster for cluster in hierarchy.levels[0].clusters if len(cluster.kids) == 1]
    assert alone.report == Report(title="e003", summary="net hemp rot number3", rating=0.0, findings=())
    assert alone.row.text == "e003: net hemp rot number3"
    assert len(kit.scripted.asked) == 1


# D29
@pytest.mark.parametrize("size", [0, 1, 3])
async def test_entities_without_relations_have_no_levels(size: int) -> None:
    kit = kit_over(graph_of(size, []))

    hierarchy = await built(AttributedHierarchy(), kit)

    assert (hierarchy.levels, kit.scripted.asked) == ((), [])


async def test_the_order_of_the_graph_and_of_the_replies_does_not_matter() -> None:
    graph = sparse(60, 90)
    places = list(range(60))[::-1]
    back = {old: new for new, old in enumerate(places)}
    turned = EntityGraph(
        entities=[graph.entities[place] for place in places],
        relations=[
            Relation(
                source=min(back[one.source], back[one.target]),
                target=max(back[one.source], back[one.target]),
                description=one.description,
                keywords=(),
                weight=1.0,
                passages=one.passages,
            )
            for one in graph.relations
        ],
    )
    spec = AttributedHierarchy(min_clusters=1, max_size=6, max_level=1)

    plain, later = await built(spec, kit_over(graph)), await built(spec, late(kit_over(graph), 3))
    other = await built(spec, kit_over(turned))

    assert [level.clusters for level in later.levels] == [level.clusters for level in plain.levels]
    assert [sorted(back[entity] for entity in cluster.entities) for cluster in plain.levels[0].clusters] == [
        list(cluster.entities) for cluster in other.levels[0].clusters
    ]


async def test_a_hierarchy_opens_as_it_was_saved(tmp_path: Path) -> None:
    spec = AttributedHierarchy(min_clusters=1, max_size=6)
    kit = kit_over(sparse(60, 90))
    hierarchy = await built(spec, kit)

    spec.save(hierarchy, tmp_path)
    opened = spec.load(tmp_path, [], kit)

    query = await hierarchy.levels[0].texts.embed("moon tide")
    assert query is not None
    assert opened.gaps == hierarchy.gaps
    assert [level.clusters for level in opened.levels] == [level.clusters for level in hierarchy.levels]
    assert [level.nearest(query, k=3) for level in opened.levels] == [
        level.nearest(query, k=3) for level in hierarchy.levels
    ]


async def test_what_the_graph_lacks_the_hierarchy_lacks_once() -> None:
    graph = graph_of(3, [(0, 1), (1, 2)])
    lacking = EntityGraph(
        entities=graph.entities, relations=graph.relations, gaps=Gaps(asked=10, failed={"p9": "cut off"})
    )

    hierarchy = await built(AttributedHierarchy(), kit_over(lacking))

    assert hierarchy.gaps == Gaps(asked=11, failed={"p9": "cut off"})


@pytest.mark.parametrize(
    "wrong", ["max_level=0", "min_clusters=0", "max_size=1", "percentile=1.5", "percentile=-0.1", "report_tokens=0"]
)
def test_what_cannot_be_built_is_refused_before_anything_runs(wrong: str) -> None:
    with pytest.raises(ConfigError, match="a hierarchy needs"):
        parse_spelled(f"attributed_hierarchy({wrong})", {AttributedHierarchy.name: AttributedHierarchy}, what="index")


def test_many_nodes_are_clustered_in_a_process_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of(6, [(0, 1), (2, 3), (4, 5)])
    spec = AttributedHierarchy(max_level=1)
    beside = asyncio.run(built(spec, kit_over(graph)))
    monkeypatch.setattr("astrolabe.parts.attributed_hierarchy._HEAVY_NODES", 2)

    own = asyncio.run(built(spec, kit_over(graph)))

    assert [level.clusters for level in own.levels] == [level.clusters for level in beside.levels]
    assert json.dumps([cluster.kids for cluster in own.levels[0].clusters])
