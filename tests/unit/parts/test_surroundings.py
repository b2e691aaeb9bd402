"""Section 6 of GraphRAG's local search, field by field, on a graph that can be worked by hand."""

from collections.abc import Mapping

import pytest

from astrolabe.core.protocols import Gaps
from astrolabe.core.tokens import count_tokens
from astrolabe.parts.communities import Community, Forest
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation
from astrolabe.parts.reports import Report, Reports
from astrolabe.parts.surroundings import Budgets, surroundings
from astrolabe.parts.vectors import Near
from astrolabe.parts.write import Shown
from tests.six_passages import QUESTION, TracedKit, passage

PASSAGES = [passage(f"p{number}", f"Passage {number} of the sea.\n  It has two lines.") for number in range(1, 7)]


def entity(name: str, *passages: str) -> Entity:
    return Entity(name=name, type="thing", description=f"All of {name}.", passages=passages)


def relation(source: int, target: int, weight: float, *passages: str) -> Relation:
    return Relation(source=source, target=target, description="", keywords=(), weight=weight, passages=passages)


# Moon 0, Tides 1, Sun 2, Salt 3, Lamp 4. Degrees: Moon 2, Tides 3, Sun 2, Salt 2, Lamp 1.
GRAPH = EntityGraph(
    entities=[
        entity("Moon", "p1", "p2"),
        entity("Tides", "p1", "p2", "p3"),
        entity("Sun", "p2", "p4"),
        entity("Salt", "p3"),
        entity("Lamp", "p5"),
    ],
    relations=[
        relation(0, 1, 9, "p1"),
        relation(0, 2, 2, "p2"),
        relation(1, 2, 3, "p2"),
        relation(1, 3, 1, "p3"),
        relation(3, 4, 1, "p6"),
    ],
)


def community(place: int, level: int, entities: tuple[int, ...], *passages: str) -> Community:
    return Community(
        id=place,
        level=level,
        parent=None,
        kids=(),
        entities=entities,
        relations=(),
        passages=passages,
        occurrence=len(passages) / 5,
    )


def report(title: str, rating: float) -> Report:
    return Report(title=title, summary=f"On {title}.", rating=rating, findings=())


INDEX = Reports(
    forest=Forest(
        communities=[
            community(0, 0, (0, 1, 2), "p1", "p2", "p3", "p4"),
            community(1, 0, (3, 4), "p3", "p5"),
            community(2, 1, (0, 1), "p1", "p2", "p3"),
            community(3, 1, (2,), "p2", "p4"),
            community(4, 3, (0, 1), "p1"),
        ]
    ),
    of={0: report("sea", 3), 1: report("trade", 9), 2: report("pull", 8), 4: report("too deep", 10)},
    gaps=Gaps(),
)
ROOM = Budgets(community_tokens=500, entity_tokens=500, relation_tokens=500, passage_tokens=500)


def found(
    *places: int, budgets: Budgets = ROOM, context_tokens: int = 2_000, index: Reports = INDEX, level: int = 2
) -> Shown:
    kit = TracedKit({}, held=PASSAGES, context_tokens=context_tokens)
    near = [Near(place, 0.9 - 0.1 * rank) for rank, place in enumerate(places)]
    return surroundings(QUESTION, near, graph=GRAPH, index=index, kit=kit, level=level, budgets=budgets)


def sections(shown: Shown) -> Mapping[str, list[str]]:
    """Return the lines of each section, by its title."""
    lines = [line for line in shown.text.splitlines() if line.strip()]
    titles = [place for place, line in enumerate(lines) if line.endswith(":")]
    ends = [*titles[1:], len(lines)]
    return {lines[start]: lines[start + 1 : end] for start, end in zip(titles, ends, strict=True)}


# U3, U5, U6, U9
def test_the_four_sections_show_every_field_in_its_order() -> None:
    shown = sections(found(0, 3))

    assert shown == {
        # Three of two hits each hold one of the entities; sea and pull hold Moon, trade holds Salt: then by rating.
        "Reports:": ["trade", "On trade.", "pull", "On pull.", "sea", "On sea."],
        "Entities:": ["Moon (thing, 2 relations): All of Moon.", "Salt (thing, 2 relations): All of Salt."],
        # The sums of degrees: 5, 5, 4, 3; of equal ones the heavier first.
        "Relations:": [
            "Moon - Tides (weight 9, rank 5)",
            "Tides - Salt (weight 1, rank 5)",
            "Moon - Sun (weight 2, rank 4)",
            "Salt - Lamp (weight 1, rank 3)",
        ],
        # Moon's first: p2 speaks of Tides and Sun, p1 of Tides only; then Salt's.
        "Sources:": [
            *("Passage 2 of the sea.", "  It has two lines."),
            *("Passage 1 of the sea.", "  It has two lines."),
            *("Passage 3 of the sea.", "  It has two lines."),
        ],
    }


def test_reports_come_by_how_many_of_the_entities_they_are_on_then_by_rating() -> None:
    shown = sections(found(0, 1, 2))

    assert shown["Reports:"][::2] == ["sea", "pull"]


def test_reports_below_the_level_are_not_read() -> None:
    assert "too deep" not in found(0, 1).text
    assert sections(found(0, 1, level=3))["Reports:"][::2] == ["too deep", "pull", "sea"]
    assert sections(found(0, 1, level=0))["Reports:"][::2] == ["sea"]


# H10: a missing report is no error
def test_communities_without_a_report_are_left_out() -> None:
    nothing = Reports(forest=INDEX.forest, of={}, gaps=Gaps())

    assert "Reports:" not in found(0, 1, index=nothing).text


@pytest.mark.parametrize("context_tokens", [30, 60, 120, 2_000])
def test_each_section_keeps_to_its_budget_and_all_to_what_the_model_may_be_shown(context_tokens: int) -> None:
    budgets = Budgets(community_tokens=9, entity_tokens=14, relation_tokens=30, passage_tokens=25)

    shown = sections(found(0, 1, 3, budgets=budgets, context_tokens=context_tokens))

    spent = [sum(count_tokens(line) for line in lines) for lines in shown.values()]
    assert all(taken <= limit for taken, limit in zip(spent, (9, 14, 30, 25), strict=True))
    assert sum(spent) <= max(context_tokens, 4)


def test_contexts_are_the_passages_shown_and_retrieved_is_everything_reached() -> None:
    shown = found(
        0, 3, budgets=Budgets(community_tokens=500, entity_tokens=500, relation_tokens=500, passage_tokens=20)
    )

    assert [hit.passage_id for hit in shown.contexts] == ["p2"]
    assert [(hit.passage_id, hit.source, hit.rank) for hit in shown.retrieved] == [
        ("p2", "entity", 1),
        ("p1", "entity", 2),
        ("p3", "entity", 3),
        ("p6", "relation", 4),
        ("p5", "community", 5),
        ("p4", "community", 6),
    ]
    assert [round(hit.score, 1) for hit in shown.retrieved] == [0.9, 0.9, 0.8, 0.0, 0.0, 0.0]


def test_no_entity_near_shows_nothing() -> None:
    shown = found()

    assert (shown.text, shown.contexts, shown.retrieved) == ("", [], [])


def test_a_passage_keeps_its_lines() -> None:
    held = PASSAGES[2]

    assert held.text in found(3).text
