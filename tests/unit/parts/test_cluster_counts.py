"""How many groups the leaves of a tree were answered in, and how few there could have been."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from astrolabe.core.records import Hit, Step
from astrolabe.methods.apt import APT
from astrolabe.parts.cluster_counts import ClusterCounts, cluster_counts, fewest_groups
from astrolabe.parts.evidence_clusters import Evidence, clusters
from astrolabe.parts.tree_node import Room
from tests.six_passages import QUESTION, TracedKit
from tests.traces.test_apt import script
from tests.unit.parts.test_evidence_clusters import NINE, fewest, of, questions, sizes

if TYPE_CHECKING:
    from pydantic import JsonValue

WIDE = Room(tokens=10_000, most=30, overlap=0.0)


def leaf(name: str, found: str, batch: Sequence[str] = (), *, refs: Sequence[int] = (), shown: int = 9) -> Step:
    """Return a node below the root that found a passage a letter."""
    hits = tuple(Hit(passage_id=one, rank=rank, score=1.0, source="dense") for rank, one in enumerate(found, 1))
    output: dict[str, JsonValue] = {"batch": [*batch], "refs": [*refs], "shown": shown, "room": None}
    return Step(id=name, parent="0", stage="node", mode="external", output=output, hits=hits)


def root(room: Room | None = WIDE) -> Step:
    """Return a root whose children may share calls."""
    return Step(id="0", stage="node", mode="vertical", output={"room": dict(room._asdict()) if room else None})


def test_the_nine_questions_need_three_groups_by_the_greedy_order_and_two_at_the_least() -> None:
    evidence = of(*NINE)

    assert len(clusters(evidence, sizes(evidence), budget=None)) == 3
    assert fewest_groups(evidence, sizes(evidence), Room(tokens=5, most=30, overlap=0.0)) == 2


@settings(max_examples=25)
@given(questions, st.integers(1, 12))
def test_the_fewest_groups_are_those_of_trying_every_partition(evidence: list[Evidence], budget: int) -> None:
    assert fewest_groups(evidence, sizes(evidence), Room(tokens=budget, most=30, overlap=0.0)) == fewest(
        evidence, budget
    )


def test_groups_are_counted_as_they_were_answered() -> None:
    trace = [root(), leaf("1", "ab", ["1", "2"]), leaf("2", "b", ["1", "2"]), leaf("3", "c"), leaf("4", "cd")]

    (counts,) = cluster_counts(trace, dict.fromkeys("abcd", 10))

    assert counts == ClusterCounts(children=4, greedy=3, relaxed=2, exact=2)


def test_a_node_that_waits_for_another_ends_a_stretch_and_one_alone_has_no_counts() -> None:
    trace = [root(), leaf("1", "a"), leaf("2", "a"), leaf("3", "a", refs=[1]), leaf("4", "a")]

    assert [one.children for one in cluster_counts(trace, {"a": 10})] == [2]


def test_passages_that_were_found_and_not_shown_bring_nothing_together() -> None:
    trace = [root(), leaf("1", "ab", shown=1), leaf("2", "b")]

    (counts,) = cluster_counts(trace, {"a": 10, "b": 10})

    assert (counts.relaxed, counts.exact) == (2, 2)


def test_the_fewest_groups_are_not_told_without_the_passages_sizes_or_for_many() -> None:
    many = [root(), *(leaf(str(number), "a") for number in range(1, 12))]

    assert [one.exact for one in cluster_counts([root(), leaf("1", "a"), leaf("2", "a")], {})] == [None]
    assert [one.exact for one in cluster_counts(many, {"a": 10})] == [None]


def test_a_tree_that_groups_by_nothing_has_no_counts() -> None:
    assert cluster_counts([root(None), leaf("1", "a"), leaf("2", "a")], {"a": 10}) == []


async def test_a_tree_of_apt_has_the_counts_of_its_two_stretches() -> None:
    kit = TracedKit(script)
    sizes = {passage.id: passage.tokens for passage in kit.held}

    answer = await APT(k=2).answer(QUESTION, kit)
    alone = await APT(k=2, batch=1).answer(QUESTION, kit)
    in_order = await APT(k=2, cluster=False).answer(QUESTION, kit)

    assert cluster_counts(answer.trace, sizes) == [ClusterCounts(children=2, greedy=1, relaxed=1, exact=1)] * 2
    assert cluster_counts(alone.trace, sizes) == [ClusterCounts(children=2, greedy=2, relaxed=1, exact=2)] * 2
    assert cluster_counts(in_order.trace, sizes) == []
