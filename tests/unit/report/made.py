"""A material as a study would fill it: five methods, three scopes, twenty questions, made-up answers."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from astrolabe.compare import compare_methods, estimate, groups
from astrolabe.core.records import KINDS, Answer, Hit, Passage, Question, Scope, Score, Topic, Usage
from astrolabe.report import Cost, Material

if TYPE_CHECKING:
    from pydantic import JsonValue

METHODS = {
    "extractive": 0.3,
    "extractive(retriever=bm25)": 0.28,
    "llm_only": 0.18,
    "raptor(k=12)": 0.56,
    "vanilla(k=3, size=256)": 0.47,
}
SCOPES = {"simple": 0.08, "middle": 0.0, "hard": -0.09}
RANGES = {"topics": (0.0, 1.0), "evidence_recall": (0.0, 1.0), "miss_cause": (1.0, 0.0)}
CAUSES = [
    "not retrieved",
    "in context but not used",
    "retrieved but cut",
    "not in scope",
    "unsure",
]
THINGS = [
    "tax reform",
    "school budgets",
    "the volunteer kitchens",
    "remote-control design",
    "storm shelters",
    "open recordings",
    "energy prices",
    "library hours",
    "trade with Mexico",
    "the sea-anemone survey",
    "health coverage",
    "night buses",
]
CLAIMS = [
    "{} costs more than planned",
    "{} is praised by those who use it",
    "{} was moved to the next year",
    "{} needs a second vote",
    "{} has no agreed owner",
    "{} is measured once a month",
]
ASKED = {
    "single_sum": "Summarise what the interviews and addresses say about {0}.",
    "pair_comp": "How do the views on {0} and on {1} differ?",
    "multi_comp": "Compare what the speakers hold of {0}, {1} and {2}.",
    "enumeration": "Which problems with {0} are named?",
    "temporal": "How did the plans for {0} change between 1981 and 2000?",
}


def made_question(number: int, rng: np.random.Generator) -> Question:
    kind = KINDS[number % 5]
    things = [str(one) for one in rng.permutation(THINGS)[:3]]
    claims = [claim.format(thing).capitalize() for thing in things for claim in CLAIMS]
    chosen = [str(one) for one in rng.permutation(claims)]
    count = int(rng.integers(4, 10))
    return Question(
        id=f"q{number:02}",
        text=ASKED[kind].format(*things),
        kind=kind,
        topics=tuple(Topic(id=f"A{n + 1}", text=text, origin="model") for n, text in enumerate(chosen[:count])),
        hallucinations=tuple(Topic(id=f"H{n + 1}", text=text, origin="model") for n, text in enumerate(chosen[10:13]))
        if number % 2
        else (),
    )


def judged(question: Question, method: str, scope: str, rng: np.random.Generator) -> tuple[Answer, list[Score]]:
    """Return an answer that states some of the topics, with what a judge would find in it."""
    chance = min(0.95, max(0.05, METHODS[method] + SCOPES[scope] + rng.normal(0, 0.12)))
    if method == "llm_only" and scope == "hard" and rng.random() < 0.2:
        reason = "the model stopped at its limit of 120 tokens"
        answer = Answer(
            question_id=question.id,
            method=method,
            scope=scope,
            status="truncated",
            reason=reason,
            text="The sources name",
        )
        return answer, [
            Score(
                question_id=question.id,
                method=method,
                scope=scope,
                metric="topics",
                value=None,
                status="unscored",
                reason=reason,
            )
        ]
    stated = [topic for topic in question.topics if rng.random() < chance]
    wrong = [topic for topic in question.hallucinations if rng.random() < 0.18]
    said = [*stated, *wrong]
    text = "The sources agree on several points. " + " ".join(f"{topic.text}." for topic in said)
    found: list[JsonValue] = [{"label": one.text, "topics": [one.id], "stretch": f"{one.text}."} for one in said]
    covered: list[JsonValue] = [one.id for one in stated]
    stated_wrong: list[JsonValue] = [one.id for one in wrong]
    detail: dict[str, JsonValue] = {"covered": covered, "hit": stated_wrong, "found": found}
    precision = len(stated) / max(1, len(said) + int(rng.integers(0, 3)))
    recall = len(stated) / len(question.topics)
    parts: dict[str, float | None] = {
        "t_prec": precision,
        "t_rec": recall,
        "h_topic": len(wrong) / len(question.hallucinations) if question.hallucinations else 0.0,
        "h_resp": float(bool(wrong)),
    }
    missed: list[JsonValue] = [
        {"topic": topic.id, "cause": str(rng.choice(CAUSES, p=[0.45, 0.25, 0.15, 0.1, 0.05])), "reason": "made up"}
        for topic in question.topics
        if topic not in stated
    ]
    hit: list[JsonValue] = [{"topic": one.id, "cause": "in context", "reason": "made up"} for one in wrong]
    hits = (
        ()
        if method == "llm_only"
        else tuple(
            Hit(passage_id=f"p{int(one)}", rank=rank + 1, score=1 - rank / 9, source="dense")
            for rank, one in enumerate(rng.permutation(30)[:4])
        )
    )
    answer = Answer(
        question_id=question.id,
        method=method,
        scope=scope,
        text=text,
        contexts=hits,
        usage=Usage(calls=int(method != "extractive")),
        duration_seconds=3.2,
    )
    f1 = 2 * precision * recall / (precision + recall) if stated else 0.0
    return answer, [
        Score(
            question_id=question.id,
            method=method,
            scope=scope,
            metric="topics",
            value=f1,
            parts=parts,
            detail=detail,
        ),
        Score(
            question_id=question.id,
            method=method,
            scope=scope,
            metric="miss_cause",
            value=len(missed) / len(question.topics),
            detail={"missed": missed, "hit": hit},
        ),
        Score(
            question_id=question.id,
            method=method,
            scope=scope,
            metric="evidence_recall",
            value=float(rng.random() * chance),
        ),
    ]


@lru_cache
def made_material(count: int = 20, title: str = "Eighteen addresses, interviews and meetings") -> Material:
    rng = np.random.default_rng(11)
    questions = [made_question(number, rng) for number in range(count)]
    answers: list[Answer] = []
    scores: list[Score] = []
    for question in questions:
        for method in METHODS:
            for scope in SCOPES:
                answer, own = judged(question, method, scope, rng)
                answers.append(answer)
                scores += own
    return filled(questions, answers, scores, title=title)


def filled(
    questions: Sequence[Question], answers: Sequence[Answer], scores: Sequence[Score], *, title: str
) -> Material:
    by_id = {question.id: question for question in questions}
    estimates = estimate(scores, by_id, rng=np.random.default_rng(1), resamples=200, ranges=RANGES)
    comparisons = compare_methods(scores, by_id, metric="topics", rng=np.random.default_rng(1))
    texts = [
        f"Passage {n}. "
        + " ".join(claim.format(thing) + "." for thing in THINGS[n % 12 : n % 12 + 3] for claim in CLAIMS)
        for n in range(30)
    ]
    return Material(
        title=title,
        made_at=datetime(2026, 11, 30, 10, 30, tzinfo=UTC),
        metric="topics",
        estimates=estimates,
        comparisons=comparisons,
        groups={"topics": groups(comparisons, estimates)},
        scores=scores,
        answers=answers,
        questions=questions,
        scopes=[Scope(id=f"s-{name}", name=name, documents=("d1", "d2")) for name in SCOPES],
        passages={
            f"p{n}": Passage(
                id=f"p{n}",
                document_id=f"d{n % 4}",
                text=text,
                start=0,
                end=len(text),
                section=("Interview", "Kitchens"),
                tokens=90,
            )
            for n, text in enumerate(texts)
        },
        titles={
            "d0": "Address of 1981",
            "d1": "Interview with wikiHow",
            "d2": "Meeting 1, kick-off",
            "d3": "Interview about cyclone Phailin",
        },
        banners=["Answers were written by an embedded model of 0.5 billion parameters: its limits show here."],
        agreement={
            "topics": "Agreement with people: average precision 0.71 on argkp, Pearson 0.78 on summhay_coverage."
        },
        costs=[
            Cost(
                what=method,
                usage=Usage(calls=60, prompt_tokens=48_120, completion_tokens=7_210, seconds=220.4, usd=None),
                answers=60,
            )
            for method in METHODS
        ],
        facts={
            "answer model": "embedded:qwen2.5-coder-0.5b",
            "embeddings": "embedded:all-minilm-l6-v2",
            "seed": "0",
            "astrolabe": "0.1.0",
        },
        recorded=frozenset({"raptor(k=12)"}),
        ranges=RANGES,
        needed={("topics", "overall", "extractive", "extractive(retriever=bm25)"): 312.0},
    )


def mixed_material() -> Material:
    """Return the material of a benchmark of two kinds, headed by `set_f1`: its topics are scored by `topics_local`."""
    questions = [
        Question(id="towns", text="Which towns?", kind="set", answers=(("Bergen",), ("Oslo",), ("</script>",))),
        Question(id="tides", text="What moves the tides?", topics=(Topic(id="A1", text="the moon"),)),
    ]
    wrong: list[JsonValue] = [f"w{number}" for number in range(40)]
    towns = Score(
        question_id="towns",
        method="m",
        metric="set_f1",
        value=0.25,
        parts={"precision": 0.2, "recall": 1 / 3},
        detail={"found": ["Bergen"], "missed": ["Oslo", "</script>"], "wrong": wrong},
    )
    tides = Score(
        question_id="tides",
        method="m",
        metric="topics_local",
        value=0.5,
        parts={"t_prec": 0.5, "t_rec": 0.5},
        detail={"covered": ["A1"]},
    )
    lacking = Score(question_id="tides", method="m", metric="set_f1", status="unscored", reason="no gold answers")
    answers = [Answer(question_id=one.id, method="m", text="An answer.") for one in questions]
    made = filled(questions, answers, [towns, tides, lacking], title="Mixed")
    return replace(made, metric="set_f1", groups={}, scopes=(), banners=(), costs=(), recorded=frozenset(), needed={})
