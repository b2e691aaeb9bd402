"""`hipporag` and `hipporag2` on six passages: every search and every call, in order."""

from typing import cast

from inline_snapshot import snapshot

from astrolabe.core.records import Answer
from astrolabe.core.spelling import parse_spelled
from astrolabe.methods import METHODS
from astrolabe.methods.hipporag import HippoRAG, HippoRAG2
from tests.sensible import sensible
from tests.six_passages import QUESTION, TracedKit


def steps(answer: Answer) -> list[tuple[object, ...]]:
    """Return what was looked at: stage, mode, reason, what was asked, nodes."""
    looks = [cast("dict[str, list[dict[str, str]]]", step.output) for step in answer.trace]
    return [
        (
            step.id,
            step.stage,
            step.mode,
            step.reason,
            step.input,
            [f"{node['kind']} {node['label']}" for node in look["nodes"]],
        )
        for step, look in zip(answer.trace, looks, strict=True)
    ]


async def test_hipporag_reads_once_a_passage_names_walks_and_writes() -> None:
    kit = TracedKit(sensible)

    answer = await HippoRAG(k=3).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open fact_graph",
            "open triples",
            "ask triples.v1 (index.triples) with p1",
            "ask triples.v1 (index.triples) with p2",
            "ask triples.v1 (index.triples) with p3",
            "ask triples.v1 (index.triples) with p4",
            "ask triples.v1 (index.triples) with p5",
            "ask triples.v1 (index.triples) with p6",
            "ask question_entities.v1 (answer.entities) with no passage",
            "ask write.v1 (answer.write) with p1, p2, p3",
        ]
    )
    assert [(hit.passage_id, hit.source) for hit in answer.contexts] == snapshot(
        [("p1", "hipporag"), ("p2", "hipporag"), ("p3", "hipporag")]
    )
    assert answer.retrieved == answer.contexts
    assert steps(answer) == snapshot(
        [
            (
                "s1",
                "search.entities",
                "",
                "1 of 3 named are like no phrase",
                "What; tides; oceans",
                ["question question", "entity tides", "entity oceans"],
            ),
            (
                "s2",
                "search.walk",
                "personalised PageRank, damping 0.5",
                "",
                None,
                [
                    "entity oceans",
                    "entity tides",
                    "entity water",
                    "entity sun",
                    "entity tide",
                    "entity Spring",
                    "entity moon",
                    "entity Salt",
                    "entity The",
                    "passage p1",
                    "passage p2",
                    "passage p3",
                ],
            ),
        ]
    )


async def test_hipporag_as_published_reads_twice_and_searches_for_one_thought() -> None:
    kit = TracedKit(sensible)
    method = parse_spelled("hipporag@published", METHODS, what="method")

    answer = await method.answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open fact_graph(reading=in_two)",
            "open triples_in_two",
            "ask names.v1 (index.triples) with p1",
            "ask names.v1 (index.triples) with p2",
            "ask names.v1 (index.triples) with p3",
            "ask names.v1 (index.triples) with p4",
            "ask names.v1 (index.triples) with p5",
            "ask names.v1 (index.triples) with p6",
            "ask triples_of.v1 (index.triples) with p1",
            "ask triples_of.v1 (index.triples) with p2",
            "ask triples_of.v1 (index.triples) with p3",
            "ask triples_of.v1 (index.triples) with p4",
            "ask triples_of.v1 (index.triples) with p5",
            "ask triples_of.v1 (index.triples) with p6",
            "ask question_entities.v1 (answer.entities) with no passage",
            "ask thought.v1 (answer.thought) with p1, p2, p3, p6",
            "ask write_reasoned.v1 (answer.write) with p1, p2, p3, p6",
        ]
    )
    assert steps(answer) == snapshot(
        [
            (
                "s1",
                "search.entities",
                "",
                "1 of 3 named are like no phrase",
                "What; tides; oceans",
                ["question question", "entity tides", "entity oceans"],
            ),
            (
                "s2",
                "search.walk",
                "personalised PageRank, damping 0.1",
                "",
                None,
                [
                    "entity oceans",
                    "entity tides",
                    "entity water",
                    "entity sun",
                    "entity tide",
                    "entity Spring",
                    "entity moon",
                    "entity Salt",
                    "entity The",
                    "passage p1",
                    "passage p2",
                    "passage p3",
                    "passage p6",
                ],
            ),
            ("s3", "search.entities", "", "", "Next is tide.", ["question question", "entity tides"]),
            (
                "s4",
                "search.walk",
                "personalised PageRank, damping 0.1",
                "",
                None,
                [
                    "entity tides",
                    "entity sun",
                    "entity oceans",
                    "entity tide",
                    "entity Spring",
                    "entity water",
                    "entity moon",
                    "entity Salt",
                    "entity The",
                    "passage p1",
                    "passage p2",
                    "passage p3",
                    "passage p6",
                ],
            ),
        ]
    )


async def test_hipporag2_searches_facts_lets_the_model_choose_walks_and_writes() -> None:
    kit = TracedKit(sensible)

    answer = await HippoRAG2(k=3).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open passage_graph",
            "open fact_graph",
            "open triples",
            "ask triples.v1 (index.triples) with p1",
            "ask triples.v1 (index.triples) with p2",
            "ask triples.v1 (index.triples) with p3",
            "ask triples.v1 (index.triples) with p4",
            "ask triples.v1 (index.triples) with p5",
            "ask triples.v1 (index.triples) with p6",
            "open dense(size=1200, overlap=100)",
            "ask pick_facts.v1 (answer.facts) with no passage",
            "ask write.v1 (answer.write) with p1, p2, p6",
        ]
    )
    assert [(hit.passage_id, hit.source) for hit in answer.contexts] == snapshot(
        [("p1", "hipporag2"), ("p2", "hipporag2"), ("p6", "hipporag2")]
    )
    assert steps(answer) == snapshot(
        [
            (
                "s1",
                "search.facts",
                "",
                "",
                None,
                [
                    "fact oceans meets tides",
                    "fact water meets oceans",
                    "fact Spring meets tides",
                    "fact tides meets sun",
                    "fact tide meets water",
                    "entity oceans",
                    "entity tides",
                    "entity water",
                ],
            ),
            (
                "s2",
                "search.walk",
                "personalised PageRank, damping 0.5",
                "",
                None,
                [
                    "entity oceans",
                    "entity tides",
                    "entity water",
                    "entity sun",
                    "entity tide",
                    "entity moon",
                    "entity Spring",
                    "entity The",
                    "entity Salt",
                    "entity Lighthouse",
                    "passage p1",
                    "passage p2",
                    "passage p6",
                ],
            ),
        ]
    )
