"""HiRAG on six passages: every call and every search, in order."""

from typing import cast

from inline_snapshot import snapshot

from astrolabe.methods.hirag import HiRAG
from tests.sensible import sensible
from tests.six_passages import QUESTION, TracedKit, material


async def test_hirag_reads_layers_reports_then_joins_communities_and_asks_once() -> None:
    kit = TracedKit(sensible)

    answer = await HiRAG(k=3, wider=4, max_size=4).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open layered_reports(max_size=4)",
            "open described_graph",
            "open extract",
            "ask extract.v1 (index.extract) with p1",
            "ask extract.v1 (index.extract) with p2",
            "ask extract.v1 (index.extract) with p3",
            "ask extract.v1 (index.extract) with p4",
            "ask extract.v1 (index.extract) with p5",
            "ask extract.v1 (index.extract) with p6",
            "ask attribute_entities.v1 (index.attribute) with no passage",
            "ask attribute_entities.v1 (index.attribute) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask report.v1 (index.report) with no passage",
            "ask write.v1 (answer.write) with p1, p2, p6",
        ]
    )
    assert material(kit.scripted.asked[-1]) == snapshot("""\
Background:

On tides
What is known of tides.
- tides is spoken of. It is so.

On tide
What is known of tide.
- tide is spoken of. It is so.

What joins them:

tides - All about water (weight 5, rank 17): It falls under it.
oceans - All about water (weight 5, rank 15): It falls under it.
tide - All about water (weight 5, rank 15): It falls under it.
Spring - All about water (weight 5, rank 14): It falls under it.
oceans - tides (themes: sea; weight 5, rank 8): oceans and tides
tides - Spring (themes: sea; weight 5, rank 7): Spring and tides
tides - All about tides (weight 5, rank 7): It falls under it.
tide - All about tides (weight 5, rank 5): It falls under it.

Things:

oceans (concept, 3 relations): What is said of oceans.
tides (concept, 5 relations): What is said of tides.
tide (concept, 3 relations): What is said of tide.

Passages:

The moon pulls the water of the oceans, and tides follow it.
Spring tides come when sun and moon pull together.
A tide table tells the harbour master when the water is high.\
""")
    assert [(hit.passage_id, hit.source) for hit in answer.contexts] == snapshot(
        [("p1", "entity"), ("p2", "entity"), ("p6", "entity")]
    )
    assert [(hit.passage_id, hit.source) for hit in answer.retrieved] == snapshot(
        [("p1", "entity"), ("p2", "entity"), ("p6", "entity")]
    )
    assert [(step.stage, step.reason, drawn(step.output)) for step in answer.trace] == snapshot(
        [
            ("search.entities", "", (["oceans", "tides", "tide"], [])),
            (
                "search.communities",
                "",
                (
                    ["On tides", "On tide", "oceans", "tides", "tide"],
                    ["oceans - community 1", "tides - community 1", "tide - community 0"],
                ),
            ),
            (
                "walk.bridge",
                "",
                (
                    ["oceans", "tides", "All about water (layer 1)", "tide", "All about tides (layer 1)", "Spring"],
                    [
                        "tides - All about water",
                        "oceans - All about water",
                        "tide - All about water",
                        "Spring - All about water",
                        "oceans - tides",
                        "tides - Spring",
                        "tides - All about tides",
                        "tide - All about tides",
                    ],
                ),
            ),
        ]
    )


async def test_hirag_in_steps_reads_each_passage_in_four_calls() -> None:
    kit = TracedKit(sensible)

    await HiRAG(extraction="in_steps", gleanings=1, layers=0).answer(QUESTION, kit)

    asked = [step.split(" with ")[0] for step in kit.trace if step.startswith("ask") and "extract" in step]
    assert sorted(set(asked)) == snapshot(["ask entities.v1 (index.extract)", "ask relations.v1 (index.extract)"])
    assert len(asked) == 6 * 4


def drawn(output: object) -> tuple[list[str], list[str]]:
    """Return what a step draws: its nodes and its edges."""
    shown = cast("dict[str, list[dict[str, str]]]", output)
    return [node["label"] for node in shown["nodes"]], [
        f"{edge['source']} - {edge['target']}" for edge in shown["edges"]
    ]
