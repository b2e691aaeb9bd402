import asyncio
import itertools
import json
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from astrolabe.core.errors import ModelError
from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.protocols import LLM
from astrolabe.llm.scripted import AnyPrompt, Line, Script, Scripted
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation
from astrolabe.parts.entity_layers import Layering, most_of, with_layers
from astrolabe.parts.extract import ExtractReply
from astrolabe.parts.soft_clusters import SoftClusters
from tests.sensible import broader
from tests.six_passages import TracedKit, passage

TOPICS = ("tide", "lamp", "salt", "net")
HOW = Layering(clusters=SoftClusters(), types="theme", layers=50, sparse=0.98, change=0.05, cluster_tokens=12_000)


def graph_of(number: int) -> EntityGraph:
    """Return entities around four topics, each with a passage of its own, those of a topic in a chain."""
    entities = [
        Entity(
            name=f"{TOPICS[place % 4]} {place}",
            type="concept",
            description=f"{TOPICS[place % 4]} " * 8,
            passages=(f"p{place}",),
        )
        for place in range(number)
    ]
    relations = [
        Relation(source=place, target=place + 4, description="next", keywords=(), weight=1.0, passages=(f"p{place}",))
        for place in range(number - 4)
    ]
    return EntityGraph(entities=entities, relations=relations)


def says(prompt: AnyPrompt) -> Line:
    return broader(prompt.messages[-1].content)


def kit_of(number: int, script: Script = says) -> TracedKit:
    return TracedKit(script, held=[passage(f"p{place}", "-") for place in range(number)])


def members(prompt: AnyPrompt) -> list[str]:
    """Return the rows of the members that a prompt shows."""
    return re.findall(r"^.+ \(concept.*$", prompt.messages[-1].content, re.MULTILINE)


async def layered(number: int, kit: TracedKit | None = None, how: Layering = HOW) -> EntityGraph:
    kit = kit or kit_of(number)
    return await with_layers(graph_of(number), kit.held, kit, how)


# H7
async def test_broader_entities_carry_the_passages_of_all_their_members() -> None:
    graph = await layered(40)

    for place, entity in enumerate(graph.entities):
        if entity.layer:
            members = [graph.entities[other] for other in graph.neighbours(place) if other < place]
            expected = {name for member in members for name in member.passages}
            assert entity.passages
            assert set(entity.passages) == expected
    assert {entity.layer for entity in graph.entities} >= {0, 1}


# H6
async def test_entities_with_equal_descriptions_stay_members_of_their_own() -> None:
    graph = await layered(40)

    first = [entity for entity in graph.entities if entity.layer == 1]
    assert len({name for entity in first for name in entity.passages}) == 40


# H7
async def test_a_broader_entity_named_like_one_that_is_there_is_that_entity() -> None:
    def reuses(prompt: AnyPrompt) -> Line:  # noqa: ARG001 - whatever it is asked about
        entities = [{"name": "“TIDE 0”", "type": "theme", "description": "Another."}]
        relations = [{"source": "tide 4", "target": "Tide 0", "description": "of it", "strength": 2}]
        return json.dumps({"entities": entities, "relations": relations})

    graph = await layered(24, kit_of(24, reuses))

    assert len(graph.entities) == 24
    assert graph.entities[0] == graph_of(24).entities[0]
    joined = next(one for one in graph.relations if (one.source, one.target) == (0, 4))
    assert (joined.description, joined.weight) == ("next\nof it", 3.0)


# H2
async def test_clusters_of_a_layer_are_asked_about_at_the_same_time() -> None:
    kit = _Kit(held=kit_of(40).held)
    kit.model = _Slow(lambda: 0.2)
    began = time.monotonic()
    await layered(40, kit, replace(HOW, layers=1))
    took = time.monotonic() - began

    assert kit.model.asked >= 4
    assert kit.model.at_once == kit.model.asked
    assert took < 0.2 * kit.model.asked


# H3
async def test_a_hundred_failures_stop_nothing_and_are_gaps() -> None:
    kit = kit_of(24, lambda prompt: ModelError("failed", f"HTTP 500 at {prompt.name}"))

    graphs = [await layered(24, kit, replace(HOW, layers=1)) for _ in range(40)]

    assert len(kit.scripted.asked) >= 100
    assert all(len(graph.gaps.failed) == graph.gaps.asked > 0 for graph in graphs)
    assert all(graph.entities == tuple(graph_of(24).entities) for graph in graphs)
    assert (await layered(24)).gaps.failed == {}


# H4
async def test_a_cluster_that_is_too_long_keeps_the_members_with_most_relations() -> None:
    kit = kit_of(40)

    await layered(40, kit, replace(HOW, layers=1, cluster_tokens=60))

    for prompt in kit.scripted.asked:
        shown = prompt.messages[-1].content
        assert 2 <= shown.count(" relation") <= 5
        assert "2 relations" in shown
    first, second = kit_of(40), kit_of(40)
    for again in (first, second):
        await layered(40, again, replace(HOW, layers=1, cluster_tokens=60))
    assert first.scripted.asked == second.scripted.asked


async def test_a_model_that_invents_ever_more_cannot_keep_it_going() -> None:
    calls: list[int] = []

    def invents(prompt: AnyPrompt) -> Line:  # noqa: ARG001 - whatever it is asked about
        calls.append(1)
        names = [f"new {len(calls)} {number}" for number in range(20)]
        return json.dumps({"entities": [{"name": name} for name in names], "relations": []})

    graph = await layered(40, kit_of(40, invents))

    assert len(calls) <= 80
    assert len(graph.entities) <= 40 + 3 * len(calls)
    assert sum(graph.dropped.values()) == 17 * len(calls)


async def test_of_more_clusters_than_a_layer_may_have_the_largest_are_asked_about() -> None:
    kit, every = kit_of(40), kit_of(40)
    how = replace(HOW, layers=1)

    graph = await layered(40, kit, replace(how, clusters=SoftClusters(most=2)))
    await layered(40, every, how)

    shown = [len(members(prompt)) for prompt in every.scripted.asked]
    assert sorted(len(members(prompt)) for prompt in kit.scripted.asked) == sorted(shown)[-2:]
    assert graph.dropped == {"cluster beyond the largest of a layer, not asked about": len(shown) - 2}


@pytest.mark.parametrize("most", [1, 2, 5])
async def test_no_model_makes_more_of_layers_than_is_said(most: int) -> None:
    how = replace(HOW, clusters=SoftClusters(most=most), change=0.0, sparse=1.0)
    bound = most_of(how)
    for new in range(1, 4):
        names = itertools.count()

        def invents(prompt: AnyPrompt, new: int = new, names: "itertools.count[int]" = names) -> Line:  # noqa: ARG001
            return json.dumps({"entities": [{"name": f"new {next(names)}"} for _ in range(new)], "relations": []})

        kit = kit_of(120, invents)
        graph = await layered(120, kit, how)

        assert 1 <= len(kit.scripted.asked) <= bound.clusters
        assert len(graph.entities) - 120 <= bound.entities


def test_what_layers_ask_at_most_does_not_grow_with_the_entities() -> None:
    assert most_of(HOW) == (214, 367)
    assert most_of(replace(HOW, layers=1)) == (49, 3 * 49)
    assert most_of(replace(HOW, layers=0)) == (0, 0)


async def test_relations_that_are_not_from_a_member_to_a_broader_entity_are_counted() -> None:
    def strays(prompt: AnyPrompt) -> Line:  # noqa: ARG001 - whatever it is asked about
        entities = [{"name": "Sea", "type": "theme", "description": "All."}]
        relations = [
            {"source": "Nobody", "target": "Sea", "description": "?"},
            {"source": "Sea", "target": "tide 0", "description": "?"},
        ]
        return json.dumps({"entities": entities, "relations": relations})

    kit = kit_of(24, strays)
    graph = await layered(24, kit, replace(HOW, layers=1))

    assert len(graph.relations) == 20
    assert sum(graph.dropped.values()) == 2 * len(kit.scripted.asked)
    assert [entity.name for entity in graph.entities if entity.layer] == ["Sea"]


# D29
@pytest.mark.parametrize("number", [0, 1, 2])
async def test_two_entities_or_fewer_have_nothing_above_them(number: int) -> None:
    kit = kit_of(number)

    graph = await layered(number, kit)

    assert (len(graph.entities), kit.scripted.asked) == (number, [])


@pytest.mark.parametrize("stop", [{"sparse": 0.0}, {"layers": 0}])
async def test_it_ends_where_it_is_told_to(stop: dict[str, float]) -> None:
    kit = kit_of(24)

    await layered(24, kit, replace(HOW, **stop))  # pyright: ignore[reportArgumentType] - each is one of the fields

    assert kit.scripted.asked == []


class _Slow:
    """A model whose replies take a while, each as long as it is told."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._inner = Scripted(says)
        self._open = 0
        self.id = "scripted"
        self.asked = 0
        self.at_once = 0

    async def ask(self, prompt: Prompt[ExtractReply]) -> Reply[ExtractReply]:
        self.asked += 1
        self._open += 1
        self.at_once = max(self.at_once, self._open)
        await asyncio.sleep(self._seconds())
        self._open -= 1
        return await self._inner.ask(prompt)


class _Kit(TracedKit):
    model: "LLM | _Slow"

    @property
    def llm(self) -> LLM:
        return self.model  # pyright: ignore[reportReturnType] - it is asked for extractions alone


# H5, H11
async def test_the_order_in_which_replies_arrive_does_not_matter() -> None:
    graphs: list[EntityGraph] = []
    for seed in range(3):
        drawn = random.Random(seed)  # noqa: S311 - no secret
        kit = _Kit(held=kit_of(40).held)
        kit.model = _Slow(lambda drawn=drawn: drawn.random() / 100)
        graphs.append(await layered(40, kit))

    assert _content(graphs[0]) == _content(graphs[1]) == _content(graphs[2])


def _content(graph: EntityGraph) -> tuple[Sequence[Entity], Sequence[Relation]]:
    return graph.entities, graph.relations
