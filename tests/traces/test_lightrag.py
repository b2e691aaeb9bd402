"""`lightrag_low`, `lightrag_high` and `lightrag_hybrid` on six passages: every index, search and call, in order."""

from inline_snapshot import snapshot
from pydantic import JsonValue

from astrolabe.core.records import Answer
from astrolabe.methods.lightrag import LightRAGHigh, LightRAGHybrid, LightRAGLow
from tests.sensible import sensible
from tests.six_passages import QUESTION, TracedKit


def looked_at(answer: Answer) -> list[str]:
    return [f"{step.stage} {step.mode} {step.input!r}: {', '.join(_drawn(step.output))}" for step in answer.trace]


def _drawn(output: JsonValue) -> list[str]:
    nodes = output["nodes"] if isinstance(output, dict) else None
    return [str(node["label"]) for node in nodes if isinstance(node, dict)] if isinstance(nodes, list) else []


async def test_low_extracts_merges_embeds_entities_asks_for_keywords_searches_and_writes() -> None:
    kit = TracedKit(sensible)

    answer = await LightRAGLow(k=2).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open described_graph",
            "open extract",
            "ask extract.v1 (index.extract) with p1",
            "ask extract.v1 (index.extract) with p2",
            "ask extract.v1 (index.extract) with p3",
            "ask extract.v1 (index.extract) with p4",
            "ask extract.v1 (index.extract) with p5",
            "ask extract.v1 (index.extract) with p6",
            "ask keywords.v1 (answer.keywords) with no passage",
            "open entity_vectors",
            "ask write.v1 (answer.write) with p1, p2",
        ]
    )
    assert looked_at(answer) == snapshot(
        [
            "ask.keywords  'What moves the tides of the oceans?': high-level: moves, low-level: What, tides, oceans",
            "search.entities similarity 'What, tides, oceans': oceans, tides",
            "walk.neighbours  None: oceans, tides",
        ]
    )
    assert [hit.passage_id for hit in answer.contexts] == snapshot(["p1", "p2"])


async def test_high_embeds_relations_and_no_entities() -> None:
    kit = TracedKit(sensible)

    answer = await LightRAGHigh(k=2).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open described_graph",
            "open extract",
            "ask extract.v1 (index.extract) with p1",
            "ask extract.v1 (index.extract) with p2",
            "ask extract.v1 (index.extract) with p3",
            "ask extract.v1 (index.extract) with p4",
            "ask extract.v1 (index.extract) with p5",
            "ask extract.v1 (index.extract) with p6",
            "ask keywords.v1 (answer.keywords) with no passage",
            "open relation_vectors",
            "ask write.v1 (answer.write) with p1",
        ]
    )
    assert looked_at(answer) == snapshot(
        [
            "ask.keywords  'What moves the tides of the oceans?': high-level: moves, low-level: What, tides, oceans",
            "search.relations similarity 'moves': The - moon, moon - water",
            "walk.neighbours  None: moon, water, The",
        ]
    )
    assert [hit.passage_id for hit in answer.contexts] == snapshot(["p1"])


async def test_hybrid_searches_both_and_merges_them_in_turns() -> None:
    kit = TracedKit(sensible)

    answer = await LightRAGHybrid(k=2).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open described_graph",
            "open extract",
            "ask extract.v1 (index.extract) with p1",
            "ask extract.v1 (index.extract) with p2",
            "ask extract.v1 (index.extract) with p3",
            "ask extract.v1 (index.extract) with p4",
            "ask extract.v1 (index.extract) with p5",
            "ask extract.v1 (index.extract) with p6",
            "ask keywords.v1 (answer.keywords) with no passage",
            "open entity_vectors",
            "open relation_vectors",
            "ask write.v1 (answer.write) with p1, p2",
        ]
    )
    assert looked_at(answer) == snapshot(
        [
            "ask.keywords  'What moves the tides of the oceans?': high-level: moves, low-level: What, tides, oceans",
            "search.entities similarity 'What, tides, oceans': oceans, tides",
            "search.relations similarity 'moves': The - moon, moon - water",
            "walk.neighbours  None: oceans, moon, tides, water, The",
        ]
    )
    assert [hit.passage_id for hit in answer.contexts] == snapshot(["p1", "p2"])


async def test_published_goes_through_each_passage_again_before_it_merges() -> None:
    kit = TracedKit(sensible)

    await LightRAGHybrid(gleanings=1).answer(QUESTION, kit)

    asked = [step.split()[1] for step in kit.trace if step.startswith("ask")]
    assert sorted(asked) == sorted([*["extract.v1", "extract_more.v1"] * 6, "keywords.v1", "write.v1"])
