"""`graphrag_global` and `graphrag_local` on six passages: every search and every call, in order."""

import json

from inline_snapshot import snapshot

from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.methods.graphrag import GraphRAGGlobal, GraphRAGLocal
from tests.sensible import sensible
from tests.six_passages import QUESTION, TracedKit, material


async def test_global_asks_every_block_of_reports_and_writes_from_the_points() -> None:
    kit = TracedKit(sensible)

    answer = await GraphRAGGlobal().answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open community_reports",
            "open described_graph",
            "open extract",
            "ask extract.v1 (index.extract) with p1",
            "ask extract.v1 (index.extract) with p2",
            "ask extract.v1 (index.extract) with p3",
            "ask extract.v1 (index.extract) with p4",
            "ask extract.v1 (index.extract) with p5",
            "ask extract.v1 (index.extract) with p6",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask points.v1 (answer.points) with no passage",
            "ask write.v1 (answer.write) with no passage",
        ]
    )
    assert answer.status == "ok"
    assert [(hit.passage_id, hit.source) for hit in answer.retrieved] == snapshot(
        [("p1", "point"), ("p2", "point"), ("p3", "point")]
    )
    assert answer.contexts == ()
    assert [step.model_dump(include={"id", "stage", "mode", "reason", "output"}) for step in answer.trace] == snapshot(
        [
            {
                "id": "s1",
                "stage": "search.communities",
                "mode": "by occurrence, then rating",
                "reason": "5 of 5 reports, asked in blocks: 1; at most 50 are drawn",
                "output": {
                    "nodes": [
                        {
                            "id": "community 1",
                            "kind": "community",
                            "label": "On moon",
                            "score": 5.0,
                            "passages": ["p1", "p2", "p3"],
                        },
                        {
                            "id": "community 2",
                            "kind": "community",
                            "label": "On water",
                            "score": 5.0,
                            "passages": ["p3", "p6", "p1"],
                        },
                        {
                            "id": "community 3",
                            "kind": "community",
                            "label": "On tides",
                            "score": 5.0,
                            "passages": ["p1", "p2"],
                        },
                        {
                            "id": "community 0",
                            "kind": "community",
                            "label": "On Lighthouse",
                            "score": 5.0,
                            "passages": ["p4"],
                        },
                        {"id": "community 4", "kind": "community", "label": "Nets", "score": None, "passages": ["p5"]},
                    ],
                    "edges": [],
                },
            },
            {
                "id": "s2",
                "stage": "map.points",
                "mode": "",
                "reason": "1 block asked, 0 failed, 0 points of score 0",
                "output": {
                    "nodes": [
                        {
                            "id": "point 1",
                            "kind": "point",
                            "label": "On moon",
                            "score": 50,
                            "passages": ["p1", "p2", "p3"],
                        },
                        {"id": "reports 1", "kind": "summary", "label": "reports 1", "score": None, "passages": []},
                    ],
                    "edges": [{"source": "reports 1", "target": "point 1", "label": ""}],
                },
            },
        ]
    )


# M4: as many entities as wanted, not twice as many
async def test_local_enters_at_the_nearest_entities_and_asks_once() -> None:
    kit = TracedKit(sensible)

    answer = await GraphRAGLocal(k=2).answer(QUESTION, kit)

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
            "open community_reports",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "open entity_vectors",
            "ask write.v1 (answer.write) with p1, p2",
        ]
    )
    assert [(hit.passage_id, hit.source) for hit in answer.contexts] == snapshot([("p1", "entity"), ("p2", "entity")])
    assert [(hit.passage_id, hit.source) for hit in answer.retrieved] == snapshot([("p1", "entity"), ("p2", "entity")])
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
                    ],
                    "edges": [],
                },
            },
            {
                "id": "s2",
                "stage": "walk.neighbours",
                "mode": "",
                "reason": "",
                "output": {
                    "nodes": [
                        {"id": "oceans", "kind": "entity", "label": "oceans", "score": None, "passages": ["p1"]},
                        {"id": "tides", "kind": "entity", "label": "tides", "score": None, "passages": ["p1", "p2"]},
                        {
                            "id": "water",
                            "kind": "entity",
                            "label": "water",
                            "score": None,
                            "passages": ["p1", "p3", "p6"],
                        },
                        {"id": "sun", "kind": "entity", "label": "sun", "score": None, "passages": ["p2", "p3"]},
                        {"id": "Spring", "kind": "entity", "label": "Spring", "score": None, "passages": ["p2"]},
                        {
                            "id": "community 3",
                            "kind": "community",
                            "label": "On tides",
                            "score": 5.0,
                            "passages": ["p1", "p2"],
                        },
                    ],
                    "edges": [
                        {"source": "water", "target": "oceans", "label": ""},
                        {"source": "tides", "target": "sun", "label": ""},
                        {"source": "oceans", "target": "tides", "label": ""},
                        {"source": "tides", "target": "Spring", "label": ""},
                        {"source": "oceans", "target": "community 3", "label": ""},
                        {"source": "tides", "target": "community 3", "label": ""},
                    ],
                },
            },
        ]
    )
    assert kit.scripted.asked[-1].messages[-1].content == snapshot("""\
Material:
<block-0714af23c87c9aec name="context">
Reports:

On tides
What is known of tides.
- tides is spoken of. It is so.

Entities:

oceans (concept, 2 relations): What is said of oceans.
tides (concept, 3 relations): What is said of tides.

Relations:

water - oceans (themes: sea; weight 5, rank 7): water and oceans
tides - sun (themes: sea; weight 5, rank 6): tides and sun
oceans - tides (themes: sea; weight 5, rank 5): oceans and tides
tides - Spring (themes: sea; weight 5, rank 4): Spring and tides

Sources:

The moon pulls the water of the oceans, and tides follow it.
Spring tides come when sun and moon pull together.
</block-0714af23c87c9aec>

Question:
<block-0714af23c87c9aec name="question">
What moves the tides of the oceans?
</block-0714af23c87c9aec>

Answer in at most 3 short sentences.\
""")


async def test_global_writes_from_the_best_points_of_all_blocks_first_and_leaves_useless_ones_out() -> None:
    scores = {"On moon": 20, "On water": 0, "On tides": 90, "On Lighthouse": 60, "Nets": 0}

    def rates(prompt: AnyPrompt) -> Line:
        if prompt.name != "points.v1":
            return sensible(prompt)
        points = [
            {"description": title, "score": score, "entries": [1]}
            for title, score in scores.items()
            if f"] {title}\n" in prompt.messages[-1].content
        ]
        return json.dumps({"points": points})

    kit = TracedKit(rates)

    answer = await GraphRAGGlobal(block_tokens=40).answer(QUESTION, kit)

    assert material(kit.scripted.asked[-1]) == snapshot("""\
Points:

On tides
On Lighthouse
On moon\
""")
    assert answer.trace[1].reason == snapshot("4 blocks asked, 0 failed, 2 points of score 0")


async def test_what_is_described_more_than_once_is_described_anew_before_reports_are_written_from_it() -> None:
    def tells(prompt: AnyPrompt) -> Line:
        if prompt.name == "describe.v1":
            return "Described anew."
        if prompt.name != "extract.v1":
            return sensible(prompt)
        read = json.loads(str(sensible(prompt)))
        for one in read["entities"]:
            one["description"] = f"Said with {read['entities'][0]['name']}."
        return json.dumps(read)

    kit = TracedKit(tells)

    await GraphRAGGlobal(describe_at=1).answer(QUESTION, kit)

    asked = [step.split()[1] for step in kit.trace if step.startswith("ask")]
    assert list(dict.fromkeys(asked)) == ["extract.v1", "describe.v1", "report.v1", "points.v1", "write.v1"]
    reported = [prompt.messages[-1].content for prompt in kit.scripted.asked if prompt.name == "report.v1"]
    assert [[line for line in shown.splitlines() if " (" in line] for shown in reported] == snapshot(
        [
            [
                "Lighthouse (concept, 1 relation): Said with Lighthouse.",
                "lamps (concept, 1 relation): Said with Lighthouse.",
                "Lighthouse - lamps (themes: sea; weight 5, rank 2): Lighthouse and lamps",
            ],
            [
                "moon (concept, 3 relations): Described anew.",
                "sun (concept, 3 relations): Described anew.",
                "The (concept, 1 relation): Said with The.",
                "moon - sun (themes: sea; weight 5, rank 6): sun and moon",
                "The - moon (themes: sea; weight 5, rank 4): The and moon",
            ],
            [
                "water (concept, 5 relations): Described anew.",
                "Salt (concept, 1 relation): Said with Salt.",
                "tide (concept, 1 relation): Said with tide.",
                "water - Salt (themes: sea; weight 5, rank 6): Salt and water",
                "water - tide (themes: sea; weight 5, rank 6): tide and water",
            ],
            [
                "tides (concept, 3 relations): Described anew.",
                "oceans (concept, 2 relations): Said with The.",
                "Spring (concept, 1 relation): Said with Spring.",
                "oceans - tides (themes: sea; weight 5, rank 5): oceans and tides",
                "tides - Spring (themes: sea; weight 5, rank 4): Spring and tides",
            ],
        ]
    )
