"""`ketrag`: what it shows within its budgets, and what is left where half of it is missing."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from astrolabe.core.errors import ConfigError
from astrolabe.core.records import Answer, Question
from astrolabe.core.spelling import parse_spelled
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.scripted import AnyPrompt, Line, Scripted
from astrolabe.methods import METHODS
from astrolabe.methods.ketrag import KETRAG
from astrolabe.parts.skeleton import SkeletonOf
from astrolabe.study.settings import AnswerSettings
from tests.late import late
from tests.sensible import sensible
from tests.six_passages import QUESTION, TEXTS, TracedKit, passage
from tests.small_study import questions, small_study
from tests.study_kits import kit_of

TITLES = ["Things and how they are related", "Where they are spoken of", "More on the question"]
SMALL = KETRAG(size=40, overlap=4, piece=12, k=2)


def context(prompt: AnyPrompt) -> str:
    """Return what the answer was written from."""
    return prompt.messages[-1].content.partition('name="context">\n')[2].partition("\n</block-")[0]


def sections(text: str) -> dict[str, str]:
    """Return the sections by their titles."""
    found: dict[str, str] = {}
    for title in reversed(TITLES):
        text, _, found[title] = text.partition(f"{title}:\n\n")
    return found


async def asked(method: KETRAG, tmp_path: Path, *, context_tokens: int = 6_000) -> tuple[Answer, str]:
    """Return the answer over the small study, which is really cut, and what it was written from."""
    llm = Scripted(sensible)
    kit = kit_of(small_study(tmp_path), llm, answers=AnswerSettings(context_tokens=context_tokens))
    answer = await method.answer(questions()[0], kit)
    return answer, context(llm.asked[-1])


# Acceptance of methods.md 15.2: no context over its budget.
@pytest.mark.parametrize(("tokens", "context_tokens"), [(80, 6_000), (12_000, 80), (40, 6_000)])
@pytest.mark.parametrize("theta", [0.0, 0.5, 1.0])
async def test_sections_stay_within_their_shares(
    tokens: int, context_tokens: int, theta: float, tmp_path: Path
) -> None:
    method = KETRAG(size=40, overlap=4, piece=12, k=2, tokens=tokens, theta=theta)
    _, text = await asked(method, tmp_path, context_tokens=context_tokens)

    budget = min(tokens, context_tokens)
    held = sections(text)
    shares = [theta / 2, theta / 2, 1 - theta]
    assert text
    for title, share in zip(TITLES, shares, strict=True):
        assert count_tokens(held[title]) <= int(budget * share)
        assert bool(held[title]) == (share > 0)


async def test_a_piece_is_shown_once_and_its_contexts_are_what_is_shown_in_order(tmp_path: Path) -> None:
    answer, text = await asked(SMALL, tmp_path)

    kit = kit_of(small_study(tmp_path / "again"))
    _ = kit.passages(SMALL.keyword_graph.cut)
    shown = [kit.read(hit.passage_id).text.strip() for hit in answer.contexts]
    places = [text.index(piece) for piece in shown]
    assert places == sorted(places)
    assert len(shown) == len(set(shown)) > 3
    assert all(text.count(piece) == 1 for piece in shown)


async def test_what_was_reached_is_ordered_by_similarity_and_says_how(tmp_path: Path) -> None:
    answer, _ = await asked(KETRAG(size=40, overlap=4, piece=12, k=2, tokens=100, theta=0.8), tmp_path)

    scores = [hit.score for hit in answer.retrieved]
    assert scores == sorted(scores, reverse=True)
    assert {hit.passage_id for hit in answer.contexts} <= {hit.passage_id for hit in answer.retrieved}
    assert {hit.source for hit in answer.retrieved} == {"keyword", "entity"}


async def test_pieces_that_only_an_entity_speaks_for_are_reached_but_no_context(tmp_path: Path) -> None:
    answer, text = await asked(KETRAG(size=40, overlap=4, piece=12, k=2, theta=1.0, text_share=0.0), tmp_path)

    assert answer.contexts == ()
    assert {hit.source for hit in answer.retrieved} == {"entity"}
    assert text.startswith(f"{TITLES[0]}:")


# K8
async def test_ten_entities_stay_ten(tmp_path: Path) -> None:
    answer, _ = await asked(KETRAG(size=40, overlap=4, piece=12, k=10), tmp_path)

    output = answer.trace[0].output
    assert isinstance(output, dict)
    assert len(output["nodes"]) == 10  # pyright: ignore[reportArgumentType] - a list


# K6
async def test_no_report_is_written() -> None:
    kit = TracedKit(sensible)

    await KETRAG().answer(QUESTION, kit)

    assert {prompt.name for prompt in kit.scripted.asked} == {"extract.v1", "write.v1"}


# K1
async def test_the_shared_answer_prompt_is_the_default_and_the_short_one_published() -> None:
    common, published = TracedKit(sensible), TracedKit(sensible)

    await KETRAG().answer(QUESTION, common)
    await parse_spelled("ketrag@published", METHODS, what="method").answer(QUESTION, published)

    assert (common.scripted.asked[-1].name, published.scripted.asked[-1].name) == ("write.v1", "write_short.v1")
    assert "shortest answer" in published.scripted.asked[-1].messages[0].content
    assert context(common.scripted.asked[-1]) == context(published.scripted.asked[-1])


# D29
async def test_without_a_graph_words_have_the_whole_budget_and_the_trace_says_so() -> None:
    def model(prompt: AnyPrompt) -> Line:
        return '{"entities": [], "relations": []}' if prompt.name == "extract.v1" else sensible(prompt)

    kit = TracedKit(model)

    answer = await KETRAG(tokens=45).answer(QUESTION, kit)

    assert answer.trace[0].reason == "no graph: the skeleton has no entity; words alone are searched"
    assert [hit.passage_id for hit in answer.contexts] == ["p1", "p2", "p6"]
    assert answer.status == "ok"


async def test_a_question_in_another_language_is_answered() -> None:
    question = Question(id="q", text="月亮为什么引起潮汐？")

    answer = await KETRAG().answer(question, TracedKit(sensible))

    assert answer.status == "ok"


async def test_one_passage_and_passages_of_one_text_are_answered_from() -> None:
    one = await KETRAG().answer(QUESTION, TracedKit(sensible, held=[passage("p1", TEXTS["p1"])]))
    same = [passage(f"p{number}", TEXTS["p1"]) for number in range(1, 13)]
    twelve = await KETRAG().answer(QUESTION, TracedKit(sensible, held=same))

    assert [hit.passage_id for hit in one.contexts] == ["p1"]
    assert [hit.passage_id for hit in twelve.contexts] == [f"p{number}" for number in range(1, 13)]


@pytest.mark.parametrize("method", [KETRAG(), KETRAG(skeleton="pieces", gleanings=1)])
async def test_the_order_in_which_replies_arrive_does_not_matter(method: KETRAG) -> None:
    answers = [await method.answer(QUESTION, late(TracedKit(sensible), seed)) for seed in range(3)]

    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("size", [16, 40, 1_200])
@pytest.mark.parametrize("budget", [0.1, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("skeleton", ["passages", "pieces"])
async def test_the_calls_that_are_made_lie_within_what_is_said(
    skeleton: SkeletonOf, budget: float, size: int, tmp_path: Path
) -> None:
    method = KETRAG(size=size, overlap=4, piece=8, skeleton=skeleton, budget=budget, gleanings=1)
    llm = Scripted(sensible)
    kit = kit_of(small_study(tmp_path), llm)

    await method.answer(questions()[0], kit)

    calls = method.calls
    assert calls.cut is not None
    passages = len(kit.passages(calls.cut))
    made = len(llm.asked) - 1
    assert calls.passage_low * passages <= made <= math.ceil(calls.passage_high * passages) + 1
    assert (calls.question_low, calls.question_high) == (1, 1)


async def test_a_question_without_content_finds_nothing_and_asks_nothing() -> None:
    kit = TracedKit(sensible)

    answer = await KETRAG().answer(Question(id="q", text="???"), kit)

    assert (answer.status, kit.trace[-1].startswith("ask write")) == ("empty", False)


_ANSWER = """
import asyncio
from astrolabe.methods.ketrag import KETRAG
from tests.sensible import sensible
from tests.six_passages import QUESTION, TracedKit
for method in (KETRAG(), KETRAG(skeleton="pieces")):
    kit = TracedKit(sensible)
    print(asyncio.run(method.answer(QUESTION, kit)).model_dump_json(), kit.scripted.asked[-1].messages)
"""


def test_the_seed_of_the_hashes_does_not_matter() -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", _ANSWER],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]

    first, second = [run.communicate()[0] for run in runs]

    assert first == second
    assert first.count('"status":"ok"') == 2


@pytest.mark.parametrize(
    "text",
    [
        "ketrag(theta=1.5)",
        "ketrag(text_share=-0.1)",
        "ketrag(budget=0)",
        "ketrag(words=0)",
        "ketrag(tokens=0)",
        "ketrag(relations=0)",
        "ketrag(piece=0)",
    ],
)
def test_parameters_that_show_nothing_are_refused_before_anything_runs(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_spelled(text, METHODS, what="method")
