"""`hipporag` and `hipporag2`: what they rank, what they fall back on, and what they ask exactly."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import cast

import numpy as np
import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.records import Answer, Question
from astrolabe.core.spelling import parse_spelled
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.methods import METHODS
from astrolabe.methods.hipporag import HippoRAG, HippoRAG2
from astrolabe.parts.fact_graph import FactGraph
from astrolabe.parts.fact_walk import Link, best_passages, fact_seeds, link_seeds, linked, passage_scores, walked
from astrolabe.parts.pagerank import Numbers
from astrolabe.parts.passage_graph import PassageGraph
from astrolabe.parts.rank import best
from tests.late import late
from tests.sensible import sensible
from tests.six_passages import QUESTION, TEXTS, TracedKit, passage

BOTH = pytest.mark.parametrize("method", [HippoRAG(), HippoRAG(thoughts=2), HippoRAG2()])


def but(replies: Mapping[str, Line]) -> TracedKit:
    """Return a kit whose model is sensible but for some prompts."""

    def model(prompt: AnyPrompt) -> Line:
        return replies.get(prompt.name) or sensible(prompt)

    return TracedKit(model)


def reasons(answer: Answer) -> list[str]:
    return [step.reason for step in answer.trace]


def named(*names: str) -> str:
    return json.dumps({"entities": names})


def ranking(answer: Answer) -> list[str]:
    return [hit.passage_id for hit in answer.retrieved]


def solved(weights: Numbers, seeds: Numbers, damping: float) -> Numbers:
    """Return a walk's shares by solving its linear equations; from a node without an edge it goes back to the seeds."""
    start = seeds / seeds.sum()
    steps = np.column_stack([row / row.sum() if row.any() else start for row in weights])
    return cast("Numbers", np.linalg.solve(np.eye(len(seeds)) - damping * steps, (1 - damping) * start))


# Parity, acceptance of methods.md 15.2: seeds = linked nodes / df.
@pytest.mark.parametrize("damping", [0.1, 0.5])
async def test_the_ranking_is_that_of_a_dense_computation_on_the_same_graph(damping: float) -> None:
    kit = but({"question_entities.v1": named("water", "sun")})
    answer = await HippoRAG(damping=damping).answer(QUESTION, kit)

    index = await kit.built(FactGraph())
    facts = index.facts
    said = np.zeros((len(facts.passages), len(facts.facts)))
    for row, column in facts.mentions.tolist():
        said[row, column] = 1
    ends = np.zeros((len(facts.facts), len(facts.phrases)))
    for row, fact in enumerate(facts.facts):
        ends[row, [fact.subject, fact.object]] = 1
    weights = sum(np.outer(end, end) - np.diag(end) for end in ends) + np.zeros((len(facts.phrases),) * 2)
    for one, other, score in zip(*index.synonyms, strict=True):
        weights[one, other] += score
        weights[other, one] += score
    seeds = np.zeros(len(facts.phrases))
    for name in ("water", "sun"):
        place = facts.phrases.index(name)
        seeds[place] = 1 / sum(said[row] @ ends[:, place] > 0 for row in range(len(said)))
    scores = said @ ends @ solved(weights, seeds, damping)
    expected = sorted(np.flatnonzero(scores > 0).tolist(), key=lambda row: -scores[row])[:5]
    assert ranking(answer) == [facts.passages[row] for row in expected]
    assert [hit.score for hit in answer.retrieved] == pytest.approx(
        [scores[row] / scores.max() for row in expected], abs=1e-5
    )


async def test_the_ranking_of_passages_as_nodes_is_that_of_a_dense_computation() -> None:
    kit = but({"pick_facts.v1": json.dumps({"facts": [2, 1]})})
    answer = await HippoRAG2().answer(QUESTION, kit)

    index = await kit.built(PassageGraph())
    facts = index.graph.facts
    asked = (await kit.embedder.embed([QUESTION.text], side="query"))[0]
    near = index.fact_vectors.rows @ asked
    near = 0.001 + 0.999 * (near - near.min()) / (near.max() - near.min())
    first, second = best(near, 2)
    given: dict[int, list[float]] = {}
    for fact in (second, first):
        for end in (facts.facts[fact].subject, facts.facts[fact].object):
            given.setdefault(end, []).append(float(near[fact]) / int(facts.passages_of_phrase[end]))
    alike = index.passage_vectors.rows @ asked
    seeds = np.zeros(len(facts.phrases) + len(facts.passages))
    for end, scores in given.items():
        seeds[end] = sum(scores) / len(scores)
    seeds[len(facts.phrases) :] = 0.05 * (0.001 + 0.999 * (alike - alike.min()) / (alike.max() - alike.min()))
    shares = solved(cast("Numbers", index.weights.toarray()), seeds, 0.5)[len(facts.phrases) :]
    assert ranking(answer) == [facts.passages[row] for row in best(shares.astype(np.float32), 5)]


async def test_seeds_weigh_less_the_more_passages_speak_of_them() -> None:
    index = await TracedKit(sensible).built(FactGraph())
    links = await linked(["water", "oceans", "xyzzy"], index)

    seeds = link_seeds(index.facts, links)

    held = {index.facts.phrases[place]: seeds[place] for place in np.flatnonzero(seeds).tolist()}
    assert held == {"water": pytest.approx(1 / 3), "oceans": 1.0}


# Acceptance of methods.md 15.2: vetoed facts leave no seed.
async def test_only_phrases_of_kept_facts_are_seeds_and_only_the_heaviest() -> None:
    facts = (await TracedKit(sensible).built(FactGraph())).facts
    near = np.full(len(facts.facts), 0.5, dtype=np.float32)

    seeds = fact_seeds(facts, [0, 4], near, most=3)

    ends = set(facts.ends[[0, 4]].ravel().tolist())
    assert set(np.flatnonzero(seeds).tolist()) <= ends
    assert np.count_nonzero(seeds) == 3


# P3, acceptance of methods.md 15.2: passage seeds positive for all; a tiny corpus works.
@pytest.mark.parametrize("held", [["p1"], ["p1", "p2"]])
async def test_a_scope_of_one_fact_or_passage_is_walked(held: list[str]) -> None:
    one = json.dumps({"triples": [["moon", "pulls", "water"]]})
    kit = but({"triples.v1": one, "pick_facts.v1": json.dumps({"facts": [1]})})
    kit.held = [passage(name, TEXTS[name]) for name in held]

    answer = await HippoRAG2().answer(QUESTION, kit)

    assert ranking(answer) == held
    assert answer.trace[-1].stage == "search.walk"


# Fallbacks, each said in the trace (U12, P4).
@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (named(), "the question names no entity"),
        (named("“ ”"), "the question names no entity"),
        ("no object at all", "the entities of the question could not be read (unparsed: no JSON object"),
        (ModelError("failed", "HTTP 500"), "the entities of the question could not be read (failed: HTTP 500)"),
        (named("xyzzy", "数据库"), "2 of 2 named are like no phrase"),
    ],
)
async def test_a_question_that_leads_nowhere_is_answered_by_similarity(reply: Line, why: str) -> None:
    kit = but({"question_entities.v1": reply})

    answer = await HippoRAG(k=2).answer(QUESTION, kit)

    assert reasons(answer)[0].startswith(why)
    assert reasons(answer)[-1].endswith("; passages are ranked by similarity")
    assert reasons(answer)[-1].startswith(why)
    assert (ranking(answer), answer.status) == (["p1", "p2"], "ok")
    assert {hit.source for hit in answer.retrieved} == {"dense"}


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"facts": []}', "none of the 5 facts was found helpful"),
        ('{"facts": [0, 6, -1]}', "3 of the chosen numbers were not shown; none of the 5 facts was found helpful"),
        ("eval('1')", "the choice of facts could not be read (unparsed: "),
        (ModelError("refused", "no"), "the choice of facts could not be read (refused: no)"),
    ],
)
async def test_where_no_fact_is_kept_passages_are_ranked_by_similarity(reply: Line, why: str) -> None:
    answer = await HippoRAG2(k=2).answer(QUESTION, but({"pick_facts.v1": reply}))

    assert reasons(answer)[0].startswith(why)
    assert reasons(answer)[-1].endswith("; passages are ranked by similarity")
    assert (ranking(answer), answer.status) == (["p1", "p2"], "ok")


async def test_facts_are_chosen_by_number_and_a_number_that_was_not_shown_is_counted() -> None:
    answer = await HippoRAG2().answer(QUESTION, but({"pick_facts.v1": '{"facts": [1, 9, 1]}'}))

    assert reasons(answer) == ["1 of the chosen numbers were not shown", ""]
    assert answer.trace[-1].stage == "search.walk"


# D29
@BOTH
async def test_a_scope_without_a_fact_is_answered_by_similarity_and_says_no_graph(method: HippoRAG | HippoRAG2) -> None:
    kit = but({"triples.v1": '{"entities": ["moon"], "triples": []}'})

    answer = await method.answer(QUESTION, kit)

    assert "no graph: no fact was read in this scope" in reasons(answer)[-1]
    assert (answer.status, ranking(answer)[0]) == ("ok", "p1")
    assert [prompt.name for prompt in kit.scripted.asked[6:]] == ["write.v1"]


@BOTH
async def test_passages_of_one_text_are_all_found(method: HippoRAG | HippoRAG2) -> None:
    kit = TracedKit(sensible, held=[passage(f"p{number}", TEXTS["p1"]) for number in range(1, 13)])

    answer = await method.answer(QUESTION, kit)

    assert ranking(answer) == ["p1", "p2", "p3", "p4", "p5"]


async def test_what_no_fact_ties_to_the_question_is_not_reached() -> None:
    kit = but({"question_entities.v1": named("lamps")})

    answer = await HippoRAG().answer(QUESTION, kit)

    assert ranking(answer) == ["p4"]


@BOTH
async def test_a_question_in_another_language_is_answered(method: HippoRAG | HippoRAG2) -> None:
    question = Question(id="q", text="月亮为什么引起潮汐？")

    answer = await method.answer(question, but({"question_entities.v1": named("月亮", "潮汐")}))

    assert answer.status == "ok" or answer.reason


# U16
async def test_the_passages_are_shown_once_below_the_instruction() -> None:
    kit = TracedKit(sensible)

    answer = await HippoRAG(k=2, prompt="write_reasoned.v1").answer(QUESTION, kit)

    system, user = kit.scripted.asked[-1].messages
    assert (system.role, user.role) == ("system", "user")
    assert '"Answer:"' in system.content
    for hit in answer.contexts:
        assert (system.content.count(TEXTS[hit.passage_id]), user.content.count(TEXTS[hit.passage_id])) == (0, 1)


async def test_a_thought_is_searched_for_and_each_passage_keeps_its_best_score() -> None:
    kit = but(
        {"question_entities.v1": named("oceans"), "thought.v1": '{"thought": "crystals of salt", "enough": false}'}
    )
    plain = but({"question_entities.v1": named("oceans")})

    thoughtful = await HippoRAG(thoughts=1).answer(QUESTION, kit)
    before = await HippoRAG().answer(QUESTION, plain)

    scores = {hit.passage_id: hit.score for hit in thoughtful.retrieved}
    assert all(scores[hit.passage_id] >= hit.score for hit in before.retrieved)
    assert scores["p3"] == 1.0
    assert "Steps so far:\n" in kit.scripted.asked[7].messages[-1].content


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"thought": "It is the moon.", "enough": true}', "the passages are enough"),
        ('{"thought": " "}', "the passages are enough"),
        ('{"thought": "xyzzy"}', "1 of 1 named are like no phrase"),
        (ModelError("failed", "HTTP 500"), "no usable thought (failed: HTTP 500)"),
    ],
)
async def test_a_thought_that_leads_nowhere_ends_the_search_and_keeps_what_was_found(reply: Line, why: str) -> None:
    answer = await HippoRAG(thoughts=3).answer(QUESTION, but({"thought.v1": reply}))
    plain = await HippoRAG().answer(QUESTION, but({}))

    assert reasons(answer)[-1] == why
    assert answer.retrieved == plain.retrieved


@BOTH
async def test_the_order_in_which_replies_arrive_does_not_matter(method: HippoRAG | HippoRAG2) -> None:
    answers = [await method.answer(QUESTION, late(TracedKit(sensible), seed)) for seed in range(3)]

    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize(
    "name", ["hipporag", "hipporag(thoughts=2)", "hipporag@published", "hipporag2", "hipporag2@published"]
)
async def test_the_calls_that_are_made_are_those_that_are_said(name: str) -> None:
    method = parse_spelled(name, METHODS, what="method")
    kit = TracedKit(sensible)

    await method.answer(QUESTION, kit)

    indexing = [prompt for prompt in kit.scripted.asked if prompt.stage.startswith("index.")]
    calls = method.calls
    assert calls.passage_low == calls.passage_high == len(indexing) / len(kit.held)
    assert calls.question_low <= len(kit.scripted.asked) - len(indexing) <= calls.question_high


_ANSWER = """
import asyncio, sys
from astrolabe.core.spelling import parse_spelled
from astrolabe.methods import METHODS
from tests.sensible import sensible
from tests.six_passages import QUESTION, TracedKit
for name in sys.argv[1:]:
    method = parse_spelled(name, METHODS, what="method")
    print(asyncio.run(method.answer(QUESTION, TracedKit(sensible))).model_dump_json())
"""


def test_the_seed_of_the_hashes_does_not_matter() -> None:
    command = [sys.executable, "-c", _ANSWER, "hipporag(thoughts=1)", "hipporag2"]
    runs = [
        subprocess.Popen(command, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True)
        for seed in ("1", "2")
    ]

    first, second = [run.communicate()[0] for run in runs]

    assert first == second
    assert first.count('"status":"ok"') == 2


@pytest.mark.parametrize(
    "text",
    [
        "hipporag(damping=1.0)",
        "hipporag(thoughts=-1)",
        "hipporag2(links=0)",
        "hipporag2(passage_weight=0)",
        "hipporag(synonyms=2)",
    ],
)
def test_parameters_that_give_no_walk_are_refused_before_anything_runs(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_spelled(text, METHODS, what="method")


def test_a_passage_without_activation_is_no_hit() -> None:
    hits = best_passages(["a", "b", "c"], np.array([0.0, 2e-9, 1e-9]), 3, source="x")

    assert [(hit.passage_id, hit.score) for hit in hits] == [("b", 1.0), ("c", 0.5)]
    assert best_passages([], np.zeros(0), 3, source="x") == []


async def test_scores_of_passages_are_parts_of_the_highest() -> None:
    index = await TracedKit(sensible).built(FactGraph())
    shares = walked(index, link_seeds(index.facts, [Link("water", index.facts.phrases.index("water"), 1.0)]), 0.5)

    scores = passage_scores(index.facts, shares)

    assert (scores.max(), scores.min() >= 0) == (1.0, True)
