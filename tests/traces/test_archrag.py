"""`archrag` on six passages: every search and every call, in order."""

from inline_snapshot import snapshot

from astrolabe.methods.archrag import ArchRAG
from tests.sensible import sensible
from tests.six_passages import QUESTION, TracedKit


async def test_archrag_searches_every_level_asks_for_points_and_writes_from_them() -> None:
    kit = TracedKit(sensible)

    answer = await ArchRAG(k=2, k_relations=3, min_clusters=1).answer(QUESTION, kit)

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
            "open attributed_hierarchy(min_clusters=1)",
            "open entity_vectors",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "open relation_vectors",
            "ask points.v1 (answer.points) with no passage",
            "ask points.v1 (answer.points) with no passage",
            "ask write.v1 (answer.write) with no passage",
        ]
    )
    assert answer.status == "ok"
    assert [(hit.passage_id, hit.source) for hit in answer.retrieved] == snapshot(
        [("p1", "point"), ("p4", "point"), ("p3", "point"), ("p5", "point")]
    )
    assert answer.contexts == ()
    assert [step.model_dump(include={"id", "stage", "mode", "reason", "output"}) for step in answer.trace] == snapshot(
        [
            {
                "id": "s1",
                "stage": "search.entities",
                "mode": "similarity",
                "reason": "",
                "output": {
                    "nodes": [
                        {"id": "oceans", "kind": "entity", "label": "oceans", "score": 0.49712, "passages": ["p1"]},
                        {"id": "tides", "kind": "entity", "label": "tides", "score": 0.49712, "passages": ["p1", "p2"]},
                        {
                            "id": "water",
                            "kind": "entity",
                            "label": "water",
                            "score": None,
                            "passages": ["p1", "p3", "p6"],
                        },
                        {"id": "Spring", "kind": "entity", "label": "Spring", "score": None, "passages": ["p2"]},
                    ],
                    "edges": [
                        {"source": "oceans", "target": "tides", "label": ""},
                        {"source": "water", "target": "oceans", "label": ""},
                        {"source": "tides", "target": "Spring", "label": ""},
                    ],
                },
            },
            {
                "id": "s2",
                "stage": "search.communities",
                "mode": "similarity",
                "reason": "2 of level 1, 1 of level 2",
                "output": {
                    "nodes": [
                        {
                            "id": "community 1.0",
                            "kind": "community",
                            "label": "On oceans",
                            "score": 0.49712,
                            "passages": ["p1", "p4", "p3", "p5"],
                        },
                        {
                            "id": "community 1.2",
                            "kind": "community",
                            "label": "On tides",
                            "score": 0.49712,
                            "passages": ["p2", "p1", "p6"],
                        },
                        {
                            "id": "community 2.0",
                            "kind": "community",
                            "label": "On On oceans",
                            "score": 0.49712,
                            "passages": ["p1", "p2", "p3", "p6", "p4", "p5"],
                        },
                    ],
                    "edges": [],
                },
            },
            {
                "id": "s3",
                "stage": "map.points",
                "mode": "",
                "reason": "2 blocks asked, 0 failed, 0 points of score 0",
                "output": {
                    "nodes": [
                        {
                            "id": "point 1",
                            "kind": "point",
                            "label": "oceans (concept, 2 relations): What is said of oceans.",
                            "score": 50,
                            "passages": ["p1"],
                        },
                        {
                            "id": "point 2",
                            "kind": "point",
                            "label": "On oceans (rating 5): What is known of oceans.",
                            "score": 50,
                            "passages": ["p1", "p4", "p3", "p5"],
                        },
                        {"id": "entities 1", "kind": "summary", "label": "entities 1", "score": None, "passages": []},
                        {
                            "id": "communities 1",
                            "kind": "summary",
                            "label": "communities 1",
                            "score": None,
                            "passages": [],
                        },
                    ],
                    "edges": [
                        {"source": "entities 1", "target": "point 1", "label": ""},
                        {"source": "communities 1", "target": "point 2", "label": ""},
                    ],
                },
            },
        ]
    )
    assert [prompt.messages[-1].content for prompt in kit.scripted.asked if prompt.name == "points.v1"] == snapshot(
        [
            """\
Material:
<block-278cf9019df4eca2 name="material">
[1] oceans (concept, 2 relations): What is said of oceans.

[2] tides (concept, 3 relations): What is said of tides.

[3] oceans - tides (themes: sea; weight 5, rank 5): oceans and tides

[4] water - oceans (themes: sea; weight 5, rank 7): water and oceans

[5] tides - Spring (themes: sea; weight 5, rank 4): Spring and tides
</block-278cf9019df4eca2>

Question:
<block-278cf9019df4eca2 name="question">
What moves the tides of the oceans?
</block-278cf9019df4eca2>

Reply with an object {"points": [{"description": ..., "score": ..., "entries": [...]}, ...]}.\
""",
            """\
Material:
<block-0265ffa2caf94597 name="material">
[1] On oceans (rating 5): What is known of oceans.

[2] On tides (rating 5): What is known of tides.

[3] On On oceans (rating 5): What is known of On oceans.
</block-0265ffa2caf94597>

Question:
<block-0265ffa2caf94597 name="question">
What moves the tides of the oceans?
</block-0265ffa2caf94597>

Reply with an object {"points": [{"description": ..., "score": ..., "entries": [...]}, ...]}.\
""",
        ]
    )


async def test_archrag_as_published_reads_twice_and_asks_the_model_itself() -> None:
    kit = TracedKit(sensible)

    answer = await ArchRAG(**ArchRAG.presets["published"]).answer(QUESTION, kit)  # pyright: ignore[reportArgumentType] - a table

    assert [step.partition("(size")[0] for step in kit.trace] == snapshot(
        [
            "open described_graph",
            "open extract",
            "ask extract.v1 (index.extract) with p1",
            "ask extract.v1 (index.extract) with p2",
            "ask extract.v1 (index.extract) with p3",
            "ask extract.v1 (index.extract) with p4",
            "ask extract.v1 (index.extract) with p5",
            "ask extract.v1 (index.extract) with p6",
            "ask extract_more.v1 (index.extract) with p1",
            "ask extract_more.v1 (index.extract) with p2",
            "ask extract_more.v1 (index.extract) with p3",
            "ask extract_more.v1 (index.extract) with p4",
            "ask extract_more.v1 (index.extract) with p5",
            "ask extract_more.v1 (index.extract) with p6",
            "open attributed_hierarchy",
            "open entity_vectors",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "open relation_vectors",
            "ask write_alone.v1 (answer.write) with no passage",
            "ask points.v1 (answer.points) with no passage",
            "ask points.v1 (answer.points) with no passage",
            "ask points.v1 (answer.points) with no passage",
            "ask write_knowing.v1 (answer.write) with no passage",
        ]
    )
    assert [(step.stage, step.reason) for step in answer.trace] == snapshot(
        [
            ("search.entities", ""),
            ("search.communities", "3 of level 1"),
            ("ask.own_answer", ""),
            ("map.points", "3 blocks asked, 0 failed, 0 points of score 0"),
        ]
    )
