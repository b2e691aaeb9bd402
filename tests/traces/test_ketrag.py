"""`ketrag` on six passages: every search and every call, in order."""

from typing import cast

from inline_snapshot import snapshot

from astrolabe.core.records import Answer
from astrolabe.core.spelling import parse_spelled
from astrolabe.methods import METHODS
from astrolabe.methods.ketrag import KETRAG
from tests.sensible import sensible
from tests.six_passages import QUESTION, TracedKit, material


def steps(answer: Answer) -> list[tuple[object, ...]]:
    """Return what was looked at: stage, mode, reason, nodes, how many edges."""
    looks = [cast("dict[str, list[dict[str, str]]]", step.output) for step in answer.trace]
    return [
        (
            step.id,
            step.stage,
            step.mode,
            step.reason,
            [f"{node['kind']} {node['label']}" for node in look["nodes"]],
            len(look["edges"]),
        )
        for step, look in zip(answer.trace, looks, strict=True)
    ]


async def test_ketrag_reads_four_fifths_of_the_passages_and_asks_once() -> None:
    kit = TracedKit(sensible)

    answer = await KETRAG(k=3, tokens=100, theta=0.7).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open keyword_graph",
            "open passage_skeleton",
            "ask extract.v1 (index.extract) with p1",
            "ask extract.v1 (index.extract) with p2",
            "ask extract.v1 (index.extract) with p3",
            "ask extract.v1 (index.extract) with p4",
            "ask extract.v1 (index.extract) with p6",
            "ask write.v1 (answer.write) with p6, p1, p2",
        ]
    )
    assert kit.scripted.asked[-1].messages[-1].content == snapshot("""\
Material:
<block-f0aabbe87ead2d66 name="context">
Things and how they are related:

oceans (concept, 2 relations): What is said of oceans.
tides (concept, 3 relations): What is said of tides.

Where they are spoken of:

A tide table tells the harbour master when the water is high.

More on the question:

The moon pulls the water of the oceans, and tides follow it.
Spring tides come when sun and moon pull together.
</block-f0aabbe87ead2d66>

Question:
<block-f0aabbe87ead2d66 name="question">
What moves the tides of the oceans?
</block-f0aabbe87ead2d66>

Answer in at most 3 short sentences.\
""")
    assert [(hit.passage_id, hit.source) for hit in answer.contexts] == snapshot(
        [("p6", "entity"), ("p1", "keyword"), ("p2", "keyword")]
    )
    assert [(hit.passage_id, hit.source) for hit in answer.retrieved] == snapshot(
        [("p1", "keyword"), ("p2", "keyword"), ("p6", "entity")]
    )
    assert steps(answer) == snapshot(
        [
            ("s1", "search.entities", "similarity", "", ["entity oceans", "entity tides", "entity tide"], 1),
            (
                "s2",
                "search.keywords",
                "similarity",
                "31 of 35 words led to 2 pieces",
                [
                    "keyword pulls",
                    "keyword oceans",
                    "keyword follow",
                    "keyword moon",
                    "keyword tides",
                    "keyword water",
                    "keyword spring",
                    "keyword come",
                    "keyword pull",
                    "keyword together",
                    "passage p1",
                    "passage p2",
                ],
                12,
            ),
        ]
    )


async def test_ketrag_as_published_reads_merged_pieces_twice_and_asks_for_a_short_answer() -> None:
    kit = TracedKit(sensible)

    await parse_spelled("ketrag@published", METHODS, what="method").answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open keyword_graph",
            "open piece_skeleton(types='organization, person, location, event', gleanings=1)",
            "ask extract.v1 (index.extract) with p1",
            "ask extract.v1 (index.extract) with p2",
            "ask extract.v1 (index.extract) with p3",
            "ask extract.v1 (index.extract) with p4",
            "ask extract.v1 (index.extract) with p6",
            "ask extract_more.v1 (index.extract) with p1",
            "ask extract_more.v1 (index.extract) with p2",
            "ask extract_more.v1 (index.extract) with p3",
            "ask extract_more.v1 (index.extract) with p4",
            "ask extract_more.v1 (index.extract) with p6",
            "ask write_short.v1 (answer.write) with p1, p2, p6, p3, p4, p5",
        ]
    )


async def test_ketrag_shows_the_relations_of_its_entities_after_them() -> None:
    kit = TracedKit(sensible)

    await KETRAG(k=2).answer(QUESTION, kit)

    assert material(kit.scripted.asked[-1]).partition("Where they are spoken of:")[0] == snapshot("""\
Things and how they are related:

oceans (concept, 2 relations): What is said of oceans.
tides (concept, 3 relations): What is said of tides.
water - oceans (themes: sea; weight 5, rank 7): water and oceans
tides - sun (themes: sea; weight 5, rank 6): tides and sun
oceans - tides (themes: sea; weight 5, rank 5): oceans and tides
tides - Spring (themes: sea; weight 5, rank 4): Spring and tides

More on the question:

The moon pulls the water of the oceans, and tides follow it.
Spring tides come when sun and moon pull together.
A tide table tells the harbour master when the water is high.
Salt pans dry sea water in the sun until crystals form.
Lighthouse lamps burned whale oil before paraffin came.
Nets of hemp rot when they are stored wet.\
""")
