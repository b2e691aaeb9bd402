"""`extractive`, `llm_only` and `vanilla` on six passages: every search and every call, in order."""

from inline_snapshot import snapshot

from astrolabe.methods.extractive import Extractive
from astrolabe.methods.llm_only import LLMOnly
from astrolabe.methods.vanilla import Vanilla
from tests.six_passages import QUESTION, TracedKit

SCRIPT = {"answer.write": ["The moon moves them."]}


async def test_vanilla_searches_once_and_asks_once_with_the_passages_in_order_of_score() -> None:
    kit = TracedKit(SCRIPT)

    answer = await Vanilla(k=3).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open dense",
            "search 'What moves the tides of the oceans?' k=3: p1, p2, p6",
            "ask write.v1 (answer.write) with p1, p2, p6",
        ]
    )
    assert answer.text == "The moon moves them."
    assert [hit.passage_id for hit in answer.contexts] == snapshot(["p1", "p2", "p6"])
    assert answer.contexts == answer.retrieved


async def test_vanilla_by_words_searches_by_words() -> None:
    kit = TracedKit(SCRIPT)

    await Vanilla(k=2, retriever="bm25", size=100).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open bm25(size=100)",
            "search 'What moves the tides of the oceans?' k=2: p1, p2",
            "ask write.v1 (answer.write) with p1, p2",
        ]
    )


async def test_vanilla_fused_searches_both_ways_in_one_index() -> None:
    kit = TracedKit(SCRIPT)

    await Vanilla(k=2, retriever="fused").answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open fused",
            "open dense",
            "open bm25",
            "search 'What moves the tides of the oceans?' k=2: p1, p2",
            "ask write.v1 (answer.write) with p1, p2",
        ]
    )


async def test_llm_only_asks_once_and_shows_nothing() -> None:
    kit = TracedKit(SCRIPT)

    answer = await LLMOnly().answer(QUESTION, kit)

    assert kit.trace == snapshot(["ask write_alone.v1 (answer.write) with no passage"])
    assert (answer.contexts, answer.retrieved) == ((), ())


async def test_extractive_searches_once_compares_sentences_and_asks_nothing() -> None:
    kit = TracedKit()

    answer = await Extractive(k=4, sentences=2).answer(QUESTION, kit)

    assert kit.trace == snapshot(
        [
            "open dense",
            "search 'What moves the tides of the oceans?' k=4: p1, p2, p6, p3",
            "embed 4 as passage",
            "embed 1 as query",
        ]
    )
    assert answer.text == snapshot("""\
The moon pulls the water of the oceans, and tides follow it.
A tide table tells the harbour master when the water is high.\
""")
    assert [claim.passages for claim in answer.claims] == snapshot([("p1",), ("p6",)])
