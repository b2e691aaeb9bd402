"""What a type checker must accept and refuse of the public API. Never run: `make types` reads it."""

from collections.abc import Mapping
from pathlib import Path
from typing import assert_type

import astrolabe
from astrolabe.methods.vanilla import Vanilla
from astrolabe.metrics.topics_local import TopicsLocal
from astrolabe.study.asking import AskResult
from astrolabe.study.plan import StagePlan
from astrolabe.study.run import RunResult
from astrolabe.study.shown import Shown


def my_system(asked: Mapping[str, object]) -> dict[str, str]:
    return {"text": str(asked["question"])}


async def my_slow_system(asked: Mapping[str, object]) -> dict[str, str]:
    return my_system(asked)


async def with_await(folder: Path) -> None:
    study = await astrolabe.new_study(folder)
    assert_type(study, astrolabe.Study)
    await astrolabe.ingest(study, "documents", Path("more.pdf"), text_field="body")
    taken = await astrolabe.import_benchmark(study, "jsonl", "bench.jsonl")
    assert_type(taken.written, list[Path])
    plan = await astrolabe.plan_run(folder, Vanilla(k=3), "llm_only", answer="openai:gpt-5.1", limit=3)
    assert_type(plan, list[StagePlan])
    ran = await astrolabe.run("folder", Vanilla(k=3), "extractive", scopes=["simple", "hard"], budget="0.50usd")
    assert_type(ran, RunResult)
    assert_type(ran.answers, list[astrolabe.Answer])
    await astrolabe.run(study, system=my_system)
    await astrolabe.run(study, system=my_slow_system, calls="live")
    shown = await astrolabe.score(study, "topics", TopicsLocal(), judge="vllm:judge@http://host:8000/v1")
    assert_type(shown, Shown)
    assert_type(shown.results.scores, tuple[astrolabe.Score, ...])
    compared = await astrolabe.compare_study(study, correction="bonferroni", confidence=0.9)
    assert_type(compared.results.comparisons, tuple[astrolabe.Comparison, ...])
    assert_type(await astrolabe.write_report(study, "html", "csv"), list[Path])


def without_await(folder: Path) -> None:
    assert_type(astrolabe.open_study_sync(folder, seed=7), astrolabe.Study)
    assert_type(astrolabe.ask_sync("Who pays?", folder, "more", method="vanilla(k=3)"), AskResult)
    assert_type(astrolabe.run_sync(folder, "all", scopes="simple", questions="q1"), RunResult)
    answers = [astrolabe.Answer(question_id="q1", text="Nobody.")]
    assert_type(astrolabe.score_answers_sync(answers, Path("bench.jsonl"), "topics_local"), Shown)


def refused(study: astrolabe.Study) -> None:
    astrolabe.scroe_sync(study)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    astrolabe.run_sync(study, "vanilla", calls="perhaps")  # pyright: ignore[reportArgumentType]
    astrolabe.run_sync(study, "vanilla", bugdet="1usd")  # pyright: ignore[reportCallIssue]
    astrolabe.write_report_sync(study, "pdf")  # pyright: ignore[reportArgumentType]
