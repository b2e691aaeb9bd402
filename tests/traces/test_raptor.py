"""RAPTOR on six passages: every call and every search, in order."""

from inline_snapshot import snapshot

from astrolabe.methods.raptor import Raptor
from tests.six_passages import QUESTION, TracedKit, material

SUMMARIES = ["Moon and sun make tides.", "Lamps and nets.", "Salt and a tide table.", "The sea."]
SCRIPT = {"index.summarise": SUMMARIES, "answer.write": ["The moon moves them."]}


async def test_raptor_summarises_clusters_then_searches_passages_and_summaries_together() -> None:
    kit = TracedKit(SCRIPT)
    raptor = Raptor(k=4, size=20, overlap=0, cluster_tokens=40, summary_tokens=20, top=3)

    answer = await raptor.answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open summary_tree(size=20, overlap=0, cluster_tokens=40, top=3, summary_tokens=20)",
            "ask summarise.v1 (index.summarise) with p1, p2, p4",
            "ask summarise.v1 (index.summarise) with p1, p2, p6",
            "ask summarise.v1 (index.summarise) with p3, p4, p5",
            "ask write.v1 (answer.write) with p1, p2",
        ]
    )
    assert answer.text == "The moon moves them."
    assert material(kit.scripted.asked[-1]) == snapshot("""\
Texts and summaries of several texts, the nearest to the question first:

The moon pulls the water of the oceans, and tides follow it.
Salt and a tide table.
Moon and sun make tides.
Spring tides come when sun and moon pull together.\
""")
    assert [(hit.passage_id, hit.source) for hit in answer.contexts] == snapshot([("p1", "passage"), ("p2", "passage")])
    assert [(hit.passage_id, hit.source) for hit in answer.retrieved] == snapshot(
        [("p1", "passage"), ("p3", "summary"), ("p4", "summary"), ("p5", "summary"), ("p2", "summary")]
    )
    (step,) = answer.trace
    assert (step.stage, step.input, step.output) == snapshot(
        (
            "search.tree",
            "What moves the tides of the oceans?",
            {
                "nodes": [
                    {
                        "id": "p1",
                        "kind": "passage",
                        "label": "The moon pulls the water of the oceans, and tides follow it.",
                        "score": 0.471404,
                        "passages": ["p1"],
                    },
                    {
                        "id": "s-aa72556b28d82375",
                        "kind": "summary",
                        "label": "Salt and a tide table.",
                        "score": 0.333333,
                        "passages": ["p3", "p4", "p5"],
                    },
                    {
                        "id": "s-28810eda5d484e48",
                        "kind": "summary",
                        "label": "Moon and sun make tides.",
                        "score": 0.288675,
                        "passages": ["p1", "p2", "p4"],
                    },
                    {
                        "id": "p2",
                        "kind": "passage",
                        "label": "Spring tides come when sun and moon pull together.",
                        "score": 0.218218,
                        "passages": ["p2"],
                    },
                    {
                        "id": "s-a1b8517adeac32e7",
                        "kind": "summary",
                        "label": "Lamps and nets.",
                        "score": None,
                        "passages": ["p1", "p2", "p6"],
                    },
                ],
                "edges": [
                    {"source": "s-28810eda5d484e48", "target": "p1", "label": "sums up"},
                    {"source": "s-a1b8517adeac32e7", "target": "p1", "label": "sums up"},
                    {"source": "s-28810eda5d484e48", "target": "p2", "label": "sums up"},
                    {"source": "s-a1b8517adeac32e7", "target": "p2", "label": "sums up"},
                ],
            },
        )
    )


async def test_raptor_over_few_passages_writes_no_summary() -> None:
    kit = TracedKit({"answer.write": ["The moon moves them."]})

    answer = await Raptor(k=2).answer(QUESTION, kit)

    assert kit.trace == snapshot(["open summary_tree", "ask write.v1 (answer.write) with p1, p2"])
    assert answer.contexts == answer.retrieved
