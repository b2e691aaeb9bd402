"""Recall and F1 of the reasoning trees and their rivals on questions that need several passages.

    python benchmarks/evidence_sets.py [--data ../shared/data] [--questions 5] [--answer MODEL] [--to DIR]
    python benchmarks/evidence_sets.py --all --answer scripted [--times 10] [--embed hashed]

The sets are `hotpotqa` and `multihop_contexts` of the folder `--data`. A set is imported into a study as anybody would
import it, a seeded sample of its questions is run and scored. Each question is asked in the scope `hard`: the
paragraphs of all questions of the set, 600 and 273 of them, so that the gold ones have to be found. Of a question's own
paragraphs (`--scope middle`; ten, or about five) a search for five finds half or all, whatever the method.

A method's parameters keep it at `CALLS` prompts a question, and `k` and the budget for passages keep a prompt below
some 1,500 tokens: a small model on two cores reads about 80 a second. A reply that cannot be used is asked for again
(at most three times a prompt), which counts as a call, too; questions that come to more than `CALLS` so are counted.

With `--to` the studies are kept: stopped, the same command goes on where it was, and more questions keep those that
stand. F1 is that of `set_f1`, over the answers that are there; where some are not, `others 0-1` says between what it
lies whatever they had been. Recall is of gold paragraphs, among all that was found. Intervals are of 95 %. Seconds are
those of a question, of which as many run at once as the model allows; the first method that searches waits for the
index. Milliseconds of the processor are what a question took of this process, to the scores, the index included.

`--answer scripted` asks a server of our own (see `scripted_trees.py`), which finds nothing out: what it tells is
whether all questions end in an answer, in what time and memory. `--times` makes a set larger by copies of its
questions and paragraphs that differ in a few words.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import numpy as np
from scripted_server import served

import astrolabe
from astrolabe.compare import estimate
from astrolabe.core.records import Answer, Estimate, Score
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.study.answers import load_answers

SETS: Final = ("hotpotqa", "multihop_contexts")
CALLS: Final = 12
METHODS: Final = (
    "llm_only",
    "vanilla(k=5)",
    "apt(k=5, depth=2, most_nodes=3)",
    "planrag(k=5, most_nodes=5)",
    "logicrag(k=5, rounds=3)",
    "tree_of_question(k=5, depth=2, most_nodes=2)",
    "rtrag(k=5, depth=2, trees=3, samples=1, rounds=1, attempts=1)",
)
METRICS: Final = ("set_f1", "evidence_recall", "cost")
LOCAL: Final = ("embedded:", "ollama:")
SETTINGS: Final = """# Written by benchmarks/evidence_sets.py.
seed = {seed}

[models]
answer = "{answer}"
embed = "{embed}"

[answers]
max_tokens = 200
context_tokens = 1000

[limits]
concurrency = {at_once}
"""
HEAD: Final = (
    *("method", "F1 [95 %]", "n", "others 0-1", "recall [95 %]", "n"),
    *("calls", "most", "over", "tokens in", "s", "cpu ms"),
)
WIDTHS: Final = (18, 22, 9, 14, 22, 9, 7, 6, 6, 11, 9, 9)
_WORST_STATES: Final = 8
_REASON: Final = 160
_KILOBYTES: Final = 1024


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked, of whom and where.

    Attributes:
        answer: The model.
        embed: The embedding model; empty for the default.
        seed: Of the sample and of intervals.
        questions: How many a set; null for all.
        scope: The scope's name.
        methods: Spelled methods.
    """

    answer: str
    embed: str
    seed: int
    questions: int | None
    scope: str
    methods: tuple[str, ...]


def sample(names: Iterable[str], number: int | None, seed: int) -> list[str]:
    """Return so many of the names by chance; a larger sample of the same seed holds the smaller."""
    shuffled = sorted(names)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - a sample
    return sorted(shuffled[:number])


def numbered(row: dict[str, object], number: int) -> dict[str, object]:
    """Return a copy of a row: other ids, and texts that differ in a few words."""
    said = f"copy {number}"

    def changed(key: str, value: object) -> object:
        """Return what a copy has there."""
        if key in {"id", "passage_id"} or (key == "passages" and isinstance(value, str)):
            return f"{value}-{number}"
        if key in {"question", "text"}:
            return f"{value} ({said})"
        if key == "sentences":
            return [*cast("list[str]", value), f" This is {said}."]
        if isinstance(value, list):
            return [changed(key, one) for one in cast("list[object]", value)]
        return numbered(cast("dict[str, object]", value), number) if isinstance(value, dict) else value

    return {key: changed(key, value) for key, value in row.items()}


def grown(source: Path, times: int, to: Path) -> Path:
    """Write a set so many times over into a folder and return that; the set's own where it is once."""
    if times == 1:
        return source
    to.mkdir(parents=True, exist_ok=True)
    for file in sorted(source.glob("*.jsonl")):
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        lines = (json.dumps(numbered(row, number)) for number in range(times) for row in rows)
        (to / file.name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return to


async def imported(root: Path, source: Path, asked: Asked) -> astrolabe.Study:
    """Import a set into the study at `root`, which is made where it is not there."""
    if not (root / "study.toml").exists():
        await astrolabe.new_study(root)
    at_once = 1 if asked.answer.startswith(LOCAL) else 16
    settings = SETTINGS.format(seed=asked.seed, answer=asked.answer, embed=asked.embed, at_once=at_once)
    (root / "study.toml").write_text(settings, "utf-8")
    if not (root / "benchmark" / "questions.jsonl").exists():
        await astrolabe.import_benchmark(root, "hotpotqa", source)
    return await astrolabe.open_study(root)


async def measure(name: str, root: Path, source: Path, asked: Asked) -> None:
    """Run all methods over a sample of a set; print a line as soon as a method is scored."""
    began, used = time.monotonic(), time.process_time()
    study = await imported(root, source, asked)
    chosen = sample((question.id for question in study.questions), asked.questions, asked.seed)
    say(
        f"\n{name}: {len(chosen)} of {len(study.questions)} questions (seed {asked.seed}), scope {asked.scope}, "
        f"{len(study.documents):,} paragraphs; imported in {time.monotonic() - began:.1f} s, "
        f"{time.process_time() - used:.1f} s of processor"
    )
    say(aligned(HEAD))
    notes: list[str] = []
    for method in asked.methods:
        used = time.process_time()
        result = await astrolabe.run(study, method, scopes=asked.scope, questions=chosen)
        if result.stopped:
            raise SystemExit(f"stopped: {result.stopped}; the same command goes on, with --to")
        shown = await astrolabe.score(study, *METRICS, methods=method)
        used = (time.process_time() - used) * 1000 / len(chosen)
        scores = [one for one in shown.results.scores if one.question_id in chosen and one.scope == asked.scope]
        answers = [
            answer
            for job, answer in load_answers(study, method).items()
            if job.question_id in chosen and job.scope == asked.scope
        ]
        say(line(method, scores, estimates(scores, shown.questions, asked.seed), used))
        notes += [f"{method.partition('(')[0]}: {one}" for one in states(answers)]
    say("\n".join(["not ok:", *notes]) if notes else "all answers are ok")


def estimates(scores: Sequence[Score], questions: Mapping[str, astrolabe.Question], seed: int) -> dict[str, Estimate]:
    """Return the means with their intervals by metric, over all kinds of question; of recall, that of the search."""
    ranges = {"set_f1": (0.0, 1.0), "evidence_recall": (0.0, 1.0)}
    found = estimate(list(map(searched, scores)), questions, rng=np.random.default_rng(seed), ranges=ranges)
    return {one.metric: one for one in found if one.kind is None and one.part is None}


def searched(score: Score) -> Score:
    """Return a score with the recall of all that was found as its value, where it has one."""
    recall = score.parts.get("pages_retrieved")
    return score if recall is None else score.model_copy(update={"value": recall})


def line(method: str, scores: Sequence[Score], found: Mapping[str, Estimate], used: float) -> str:
    """Return a method's line of the table; it used so many milliseconds of the processor a question."""
    f1, recall = found["set_f1"], found["evidence_recall"]
    costs = [score for score in scores if score.metric == "cost" and score.value is not None]
    calls = [score.value or 0.0 for score in costs]
    tokens, seconds = (sum(score.parts[part] or 0.0 for score in costs) for part in ("prompt_tokens", "seconds"))
    bounds = "-" if f1.n_scored == f1.n_asked or f1.worst is None else f"{f1.worst:.3f}-{f1.best:.3f}"
    return aligned(
        [
            *(method.partition("(")[0], with_interval(f1), f"{f1.n_scored}/{f1.n_asked}", bounds),
            *(with_interval(recall), f"{recall.n_scored}/{recall.n_asked}"),
            *(f"{sum(calls) / len(calls):.1f}", f"{max(calls):.0f}", f"{sum(one > CALLS for one in calls)}"),
            *(f"{tokens / len(calls):,.0f}", f"{seconds / len(calls):.2f}", f"{used:.0f}"),
        ]
    )


def with_interval(one: Estimate) -> str:
    """Return a mean with its interval, a dash where there is none."""
    if one.value is None:
        return "-"
    return f"{one.value:.3f}" if one.low is None else f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"


def states(answers: Iterable[Answer]) -> list[str]:
    """Return how often answers ended in each other state and why, the most frequent first."""
    ended = Counter(f"{answer.status}: {answer.reason or ''}"[:_REASON] for answer in answers if answer.status != "ok")
    told = [f"{times} x {state}" for state, times in ended.most_common(_WORST_STATES)]
    left = ended.total() - sum(times for _, times in ended.most_common(_WORST_STATES))
    return [*told, f"{left} x for other reasons"] if left else told


def aligned(cells: Iterable[str]) -> str:
    """Return cells as a line, the first to the left."""
    first, *others = zip(cells, WIDTHS, strict=True)
    return f"{first[0]:<{first[1]}}" + "".join(f"{cell:>{width}}" for cell, width in others)


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def checked(spelled: Sequence[str]) -> tuple[str, ...]:
    """Return the methods as they are spelled; end where one of them may ask more than `CALLS` prompts a question."""
    methods = [parse_spelled(name, astrolabe.METHODS, what="method") for name in spelled]
    for method in methods:
        if (most := method.calls.question_high) > CALLS:
            raise SystemExit(f"{spell(method)} may take {most} calls a question; choose parameters for {CALLS} at most")
    return tuple(spell(method) for method in methods)


@contextmanager
def scripted() -> Generator[str]:
    """Run the server that plays trees and give its spelled model."""
    with served(Path(__file__).with_name("scripted_trees.py")) as address:
        yield f"openai:trees@{address}"


def main() -> None:
    """Measure each set."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    options.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    options.add_argument("--method", nargs="+", default=list(METHODS), help="spelled methods")
    options.add_argument("--questions", type=int, default=5, help="how many of a set")
    options.add_argument("--all", action="store_true", help="all questions of a set")
    options.add_argument("--times", type=int, default=1, help="each set so many times over")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--scope", choices=["simple", "middle", "hard"], default="hard")
    options.add_argument("--answer", default="embedded:qwen2.5-coder-0.5b", help="a model, or `scripted`")
    options.add_argument("--embed", default="", help="an embedding model; without, the default one")
    options.add_argument("--to", type=Path, help="where the studies are kept; without, nowhere")
    given = options.parse_args()
    for name in given.sets:
        if not (given.data / name / "questions.jsonl").is_file():
            raise SystemExit(f"{given.data / name} holds no questions.jsonl; give the folder of the sets with --data")
    methods = checked(given.method)
    began, used = time.monotonic(), time.process_time()
    kept = nullcontext(str(given.to)) if given.to else tempfile.TemporaryDirectory()
    asks = scripted() if given.answer == "scripted" else nullcontext(given.answer)
    with kept as folder, asks as model:
        asked = Asked(
            answer=model,
            embed=given.embed,
            seed=given.seed,
            questions=None if given.all else given.questions,
            scope=given.scope,
            methods=methods,
        )
        say("\n".join([f"answers: {given.answer}; at most {CALLS} prompts a question:", *methods]))
        for name in given.sets:
            root = Path(folder) / (name if given.times == 1 else f"{name}-{given.times}")
            source = grown(given.data / name, given.times, root.with_name(f"{root.name}-rows"))
            asyncio.run(measure(name, root, source, asked))
    say(
        f"\n{time.monotonic() - began:.1f} s, {time.process_time() - used:.1f} s of processor, "
        f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KILOBYTES:,.0f} MB; "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
