import asyncio
import json
from collections import Counter

import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.records import Question
from astrolabe.core.spelling import parse_spelled
from astrolabe.embed.hashed import HashedEmbedder
from astrolabe.llm.scripted import AnyPrompt, Line, Script
from astrolabe.methods import METHODS
from astrolabe.methods.archrag import ArchRAG
from astrolabe.parts.attributed_hierarchy import Cluster, Level
from astrolabe.parts.attributed_search import layer_blocks, search_layers
from astrolabe.parts.entity_graph import Entity, EntityGraph, Relation
from astrolabe.parts.entity_vectors import entity_text
from astrolabe.parts.extract import FOUR_TYPES
from astrolabe.parts.relation_vectors import relation_text
from astrolabe.parts.reports import Finding, Report
from astrolabe.parts.vectors import TextVectors
from tests.late import late
from tests.sensible import sensible
from tests.six_passages import QUESTION, TracedKit, passage

NAMES = ["moon tides", "sun tides", "salt pans", "lamps oil", "nets hemp"]
# Salt is an end of both of the last relations, a source of none.
GRAPH = EntityGraph(
    entities=[
        Entity(name=name, type="thing", description=f"All of {name}.", passages=(f"p{place + 1}",))
        for place, name in enumerate(NAMES)
    ],
    relations=[
        Relation(source=one, target=other, description=text, keywords=(), weight=1, passages=("p6",))
        for one, other, text in [(0, 1, "pull the tides"), (0, 2, "dry the salt"), (1, 2, "salt in the sun")]
    ],
)


def report(title: str, summary: str) -> Report:
    return Report(title=title, summary=summary, rating=4, findings=(Finding(summary="F"),))


async def level_of(*reports: Report) -> Level:
    clusters = tuple(
        Cluster(kids=(place,), entities=(place,), passages=(f"p{place + 1}",), report=one)
        for place, one in enumerate(reports)
    )
    return Level(
        clusters=clusters, texts=await TextVectors.over([cluster.text for cluster in clusters], HashedEmbedder())
    )


async def blocks(question: str, levels: list[Level], *, k: int, k_relations: int = 10, tokens: int = 500) -> list[str]:
    """Return what is asked for points, block by block."""
    embedder = HashedEmbedder()
    entities = await TextVectors.over([entity_text(entity) for entity in GRAPH.entities], embedder)
    relations = await TextVectors.over([relation_text(GRAPH, place) for place in range(3)], embedder)
    query = await entities.embed(question)
    assert query is not None
    found = search_layers(
        query, GRAPH, entities=entities, relations=relations, levels=levels, k=k, k_relations=k_relations
    )
    asked = layer_blocks(found, GRAPH, levels, tokens=tokens)
    return ["\n".join(row.text for row in block.rows) for block in asked]


# A1
async def test_every_level_is_searched_for_its_nearest() -> None:
    levels = [
        await level_of(report("Tides", "of the moon"), report("Salt", "of the sea"), report("Oil", "of whales")),
        await level_of(report("Sea", "tides and salt"), report("Light", "lamps")),
        await level_of(report("All", "tides, lamps and nets")),
    ]

    things, communities = await blocks("tides", levels, k=1)

    assert things.splitlines()[0] == "moon tides (thing, 2 relations): All of moon tides."
    assert communities.splitlines() == [
        "Tides (rating 4): of the moon",
        "Sea (rating 4): tides and salt",
        "All (rating 4): tides, lamps and nets",
    ]


# A1
async def test_as_published_only_the_lowest_communities_are_searched() -> None:
    script = many_names()
    everything = await ArchRAG(min_clusters=1, max_size=4).answer(QUESTION, TracedKit(script))
    lowest = await ArchRAG(min_clusters=1, max_size=4, levels="lowest").answer(QUESTION, TracedKit(script))

    reasons = [step.reason for step in (*everything.trace, *lowest.trace) if step.stage == "search.communities"]
    assert reasons[0].startswith("5 of level 1, ")
    assert "of level 2" in reasons[0]
    assert reasons[1] == "5 of level 1"


# A4, A5
async def test_the_last_relation_is_there_and_a_hit_entity_may_be_either_end() -> None:
    (things, *_) = await blocks("salt pans", [], k=1)

    assert things.splitlines() == [
        "salt pans (thing, 2 relations): All of salt pans.",
        "moon tides - salt pans (weight 1, rank 4): dry the salt",
        "sun tides - salt pans (weight 1, rank 4): salt in the sun",
    ]


async def test_no_more_relations_than_wanted_the_nearest_first() -> None:
    (things, *_) = await blocks("salt in the sun", [], k=3, k_relations=1)

    assert [line for line in things.splitlines() if "rank" in line] == [
        "sun tides - salt pans (weight 1, rank 4): salt in the sun"
    ]


async def test_what_two_levels_say_alike_is_asked_about_once() -> None:
    level = await level_of(report("Tides", "of the moon"))

    _, communities = await blocks("tides", [level, level], k=5)

    assert communities == "Tides (rating 4): of the moon"


async def test_blocks_keep_to_their_budget_and_hold_every_row() -> None:
    level = await level_of(*(report(f"Tides {number}", "of the moon " * 5) for number in range(5)))

    asked = await blocks("tides", [level], k=5, tokens=60)

    assert len(asked) > 2
    assert Counter("\n".join(asked).split())["Tides"] == 5


def many_names() -> Script:
    """Return a sensible model that reads forty things in every passage."""

    def script(prompt: AnyPrompt) -> Line:
        if prompt.name != "extract.v1":
            return sensible(prompt)
        entities = [{"name": f"tide {number}", "type": "t", "description": f"d{number}"} for number in range(40)]
        relations = [
            {"source": f"tide {number}", "target": f"tide {(number * 7 + 1) % 40}", "description": "x"}
            for number in range(40)
        ]
        return json.dumps({"entities": entities, "relations": relations})

    return script


# A3
async def test_the_models_own_answer_is_asked_for_only_where_wanted_and_then_marked_as_such() -> None:
    without, with_own = TracedKit(sensible), TracedKit(sensible)

    await ArchRAG().answer(QUESTION, without)
    await ArchRAG(own_answer=True).answer(QUESTION, with_own)

    assert not any("write_alone" in step for step in without.trace)
    (asked,) = [
        prompt.messages[-1].content
        for prompt in with_own.scripted.asked
        if prompt.name == "points.v1" and "What the model itself makes of the question" in prompt.messages[-1].content
    ]
    assert "without any material:\nThe moon pulls the water." in asked


# A3
async def test_an_own_answer_that_fails_is_said_and_the_rest_goes_on() -> None:
    def fails(prompt: AnyPrompt) -> Line:
        return ModelError("refused", "no opinion") if prompt.name == "write_alone.v1" else sensible(prompt)

    answer = await ArchRAG(own_answer=True).answer(QUESTION, TracedKit(fails))

    assert answer.status == "ok"
    assert [step.reason for step in answer.trace if step.stage == "ask.own_answer"] == ["no own answer: no opinion"]


# A2
async def test_blocks_are_asked_at_the_same_time_and_each_once() -> None:
    under_way: list[int] = []
    waiting = 0
    kit = TracedKit(sensible)
    ask = kit.scripted.ask

    async def slow(prompt: AnyPrompt) -> object:
        nonlocal waiting
        if prompt.name == "points.v1":
            waiting += 1
            under_way.append(waiting)
            await asyncio.sleep(0.01)
            waiting -= 1
        return await ask(prompt)

    kit.scripted.ask = slow  # pyright: ignore[reportAttributeAccessIssue] - the same, later
    answer = await ArchRAG(block_tokens=40).answer(QUESTION, kit)

    assert max(under_way) == len(under_way) > 1
    assert answer.status == "ok"


# D29
async def test_a_scope_in_which_nothing_was_found_has_no_graph() -> None:
    def nothing(prompt: AnyPrompt) -> Line:
        return json.dumps({"entities": [], "relations": []}) if prompt.name == "extract.v1" else "x"

    answer = await ArchRAG().answer(QUESTION, TracedKit(nothing))

    assert (answer.status, answer.reason) == ("empty", "no graph: the extraction found nothing in 6 of 6 passages")


# D29
@pytest.mark.parametrize("names", [["Moon"], ["Moon", "Sun", "Tides"]])
async def test_entities_without_relations_are_answered_from(names: list[str]) -> None:
    def alone(prompt: AnyPrompt) -> Line:
        entities = [{"name": name, "type": "thing", "description": f"On {name}."} for name in names]
        return json.dumps({"entities": entities, "relations": []}) if prompt.name == "extract.v1" else sensible(prompt)

    answer = await ArchRAG().answer(QUESTION, TracedKit(alone))

    assert answer.status == "ok"
    assert [step.reason for step in answer.trace if step.stage == "search.communities"] == ["no level"]


async def test_odd_scopes_and_questions_are_answered_or_named() -> None:
    text = "The moon pulls the water of the oceans."
    question = Question(id="q", text="是什么推动海洋的潮汐?")
    scopes = [[passage("p1", text)], [passage(f"p{number}", text) for number in range(50)]]

    answers = [await ArchRAG().answer(question, TracedKit(sensible, held=held)) for held in scopes]
    blank = await ArchRAG().answer(Question(id="q", text="???"), TracedKit(sensible))

    assert all(answer.status == "ok" or answer.reason for answer in (*answers, blank))


async def test_the_order_in_which_replies_arrive_changes_no_answer() -> None:
    answer = await ArchRAG().answer(QUESTION, TracedKit(sensible))

    for seed in range(3):
        assert await ArchRAG().answer(QUESTION, late(TracedKit(sensible), seed)) == answer


def test_published_is_the_script_as_it_works() -> None:
    method = parse_spelled("archrag@published", METHODS, what="method")

    assert isinstance(method, ArchRAG)
    assert (method.size, method.overlap, method.types, method.gleanings) == (600, 100, FOUR_TYPES, 1)
    assert (method.max_level, method.min_clusters, method.percentile, method.max_size) == (6, 10, 0.8, 15)
    assert (method.k, method.k_relations, method.block_tokens, method.point_tokens) == (5, 10, 4_000, 4_000)
    # A1, A6, A3
    assert (method.levels, method.weighted, method.own_answer) == ("lowest", False, True)
    assert (ArchRAG().levels, ArchRAG().weighted, ArchRAG().own_answer) == ("all", True, False)


@pytest.mark.parametrize(
    "wrong", ["k=0", "k_relations=0", "block_tokens=0", "point_tokens=0", "levels=2", "max_level=0", "hierarchy=true"]
)
def test_parameters_that_are_wrong_or_unknown_are_refused_before_anything_runs(wrong: str) -> None:
    with pytest.raises(ConfigError):
        parse_spelled(f"archrag({wrong})", METHODS, what="method")
