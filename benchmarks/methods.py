"""What each method costs on the bundled corpus: calls, tokens, time and memory, for its index and for a question.

    python benchmarks/methods.py [--method raptor "hirag@published"] [--presets] [--limit 5] [--answer MODEL]

Each method starts from an empty study, in a process of its own: its index is over all bundled documents, and each
question is asked over all of them, one after the other. The last row is one study that all of them share, where what
several need is paid for once.

Without `--answer` a server on this machine replies after a fixed time with what the tests' model makes of the prompt:
tokens of prompts are real where they hold texts of the corpus; those of replies, and how many things a graph has, are
that model's. Seconds are by the clock, with the model and the embedding; CPU is that of the method's process and of
those that it started for arithmetic, without the embedding model's. Peaks are of the memory of the method's process,
and of the largest of the others (a dash for none), which is never below its parent's size when it started.
"""

import argparse
import asyncio
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from pydantic import BaseModel

from astrolabe.core.protocols import IndexSpec, Method
from astrolabe.core.records import Answer, Usage
from astrolabe.core.spelling import parse_spelled, presets, spell
from astrolabe.core.tokens import count_tokens
from astrolabe.core.usage import Meter, metering
from astrolabe.documents import RecordFields
from astrolabe.methods import METHODS
from astrolabe.study.bench import bench_of
from astrolabe.study.bundle import bundled
from astrolabe.study.counting import INDEX
from astrolabe.study.ingesting import ingest
from astrolabe.study.kit import ScopeKit
from astrolabe.study.models import Asking, open_models
from astrolabe.study.progress import SILENT
from astrolabe.study.run import answer_task
from astrolabe.study.study import new_study, open_study
from astrolabe.study.tasks import Task

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.sensible import name_of, speaks_sensibly
from tests.servers import Says, Seen, serving

T = TypeVar("T")
EVERYTHING: Final = "all"
HEAD: Final = (
    *("method", "calls", "in", "out", "s", "CPU s"),
    *("calls", "in", "out", "s", "CPU s"),
    *("peak MB", "apart MB"),
)
GROUPS: Final = f"{'':28}{'index: calls, tokens in and out':>50}{'a question: calls, tokens in and out':>46}\n"
WIDTHS: Final = (28, 8, 12, 10, 10, 10, 8, 11, 9, 9, 9, 9, 9)
_REPLY_WORDS: Final = 40
_KILOBYTES: Final = 1024


class Spent(BaseModel):
    """Calls and tokens that were paid for, seconds by the clock, and seconds of the processor."""

    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float
    cpu: float


class Costs(BaseModel):
    """What a study came to: its indexes, all its questions, and how the answers ended."""

    name: str
    index: Spent
    questions: Spent
    answers: dict[str, int]
    peak: float
    apart: float


class Clock(NamedTuple):
    """A time: of the clock, and of the processors."""

    seconds: float
    cpu: float

    @classmethod
    def now(cls) -> "Clock":
        """Return the time, that of processes waited for included."""
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return cls(time.monotonic(), sum(one.ru_utime + one.ru_stime for one in used))

    def plus(self, other: "Clock", *, times: int = 1) -> "Clock":
        """Return the sum."""
        return Clock(self.seconds + times * other.seconds, self.cpu + times * other.cpu)


@dataclass(kw_only=True)
class Watched(ScopeKit):
    """A kit that notes how long any index is being opened; questions are asked one after the other."""

    opening: Clock = field(default_factory=lambda: Clock(0.0, 0.0))
    under_way: int = 0
    began: Clock = field(default_factory=Clock.now)

    async def open(self, spec: IndexSpec[T]) -> T:
        """Open, and note the time from the first that is asked for until none is."""
        if not self.under_way:
            self.began = Clock.now()
        self.under_way += 1
        try:
            return await super().open(spec)
        finally:
            self.under_way -= 1
            if not self.under_way:
                self.opening = self.opening.plus(Clock.now()).plus(self.began, times=-1)


async def measured(root: Path, names: Sequence[str], model: str, embed: str, limit: int | None) -> Costs:
    """Ask all questions of all methods in the study at `root`; return what that took."""
    study = open_study(root)
    asking = Asking(roles={"answer": model}, embed=embed)
    documents = tuple(document.id for document in study.need_documents())
    with bundled() as bundle, metering() as meter:
        async with open_models(study.settings, study.folder.calls, asking) as models:
            kit = Watched(bench=bench_of(study, models, "answer"), documents=documents, scope=EVERYTHING)
            began = Clock.now()
            answers = [
                await answer_task(Task(method=one, question=question, scope=EVERYTHING, documents=documents), kit)
                for one in map(method, names)
                for question in bundle.questions[:limit]
            ]
            asked = Clock.now().plus(began, times=-1).plus(kit.opening, times=-1)
            apart = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _KILOBYTES
    return Costs(
        name=names[0] if len(names) == 1 else f"all {len(names)} in one study",
        index=spent(meter, kit.opening, index=True),
        questions=spent(meter, asked, index=False),
        answers=dict(Counter(map(ended, answers))),
        peak=peak_megabytes(),
        apart=apart,
    )


def method(name: str) -> Method:
    """Return a spelled method."""
    return parse_spelled(name, METHODS, what="method")


def ended(answer: Answer) -> str:
    """Return how an answer ended, and why."""
    return ": ".join(filter(None, [answer.status, answer.reason]))


def peak_megabytes() -> float:
    """Return the most memory that this process has had; what `resource` says may be its parent's at the start."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KILOBYTES
    (peak,) = (line for line in status.read_text("utf-8").splitlines() if line.startswith("VmHWM:"))
    return int(peak.split()[1]) / _KILOBYTES


def spent(meter: Meter, took: Clock, *, index: bool) -> Spent:
    """Return what the stages of building indexes cost, or the others."""
    usage = sum((one for stage, one in meter.stages.items() if stage.startswith(INDEX) == index), Usage())
    return Spent(
        calls=usage.calls - usage.recorded,
        tokens_in=usage.prompt_tokens,
        tokens_out=usage.completion_tokens,
        seconds=took.seconds,
        cpu=took.cpu,
    )


def row(costs: Costs) -> str:
    """Return a method's line: the index in all, questions on average."""
    index, asked = costs.index, costs.questions
    number = sum(costs.answers.values())
    cells = [
        *(f"{index.calls:,}", f"{index.tokens_in:,}", f"{index.tokens_out:,}", f"{index.seconds:,.1f}"),
        *(f"{index.cpu:,.1f}", f"{asked.calls / number:,.1f}", f"{asked.tokens_in / number:,.0f}"),
        *(f"{asked.tokens_out / number:,.0f}", f"{asked.seconds / number:,.2f}", f"{asked.cpu / number:,.2f}"),
        *(f"{costs.peak:,.0f}", f"{costs.apart:,.0f}" if costs.apart else "-"),
    ]
    return aligned([costs.name, *cells])


def aligned(cells: Iterable[str]) -> str:
    """Return cells as a line, the first to the left."""
    first, *others = zip(cells, WIDTHS, strict=True)
    return f"{first[0]:<{first[1]}}" + "".join(f"{cell:>{width}}" for cell, width in others)


@dataclass(frozen=True, slots=True)
class Replies:
    """The tests' model over HTTP, its tokens counted; where no object is wanted, it repeats how its prompt begins."""

    seconds: float

    def __call__(self, seen: Seen) -> Says:
        """Reply to a request."""
        shown = seen.messages[-1]["content"]
        says = speaks_sensibly(seen) if name_of(seen) else Says(" ".join(shown.split()[:_REPLY_WORDS]))
        return Says(
            says.text,
            prompt_tokens=sum(count_tokens(turn["content"]) for turn in seen.messages),
            completion_tokens=count_tokens(says.text or ""),
            seconds=self.seconds,
        )


def spelled(given: Sequence[str], *, published: bool) -> list[str]:
    """Return the methods to measure: those given, else all, with their published presets where those are wanted."""
    names = [name for one in given or METHODS for name in (one, *_published(one, wanted=published))]
    return list(dict.fromkeys(spell(method(name)) for name in names))


def _published(name: str, *, wanted: bool) -> list[str]:
    return [f"{name}@published"] if wanted and name in METHODS and "published" in presets(METHODS[name]) else []


def in_its_own_process(study: Path, names: Sequence[str], words: Sequence[str]) -> Costs:
    """Measure methods in an empty copy of a study."""
    with tempfile.TemporaryDirectory() as folder:
        root = shutil.copytree(study, Path(folder) / "study")
        command = [sys.executable, __file__, "--root", str(root), *words, "--method", *names]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 - itself
        return Costs.model_validate_json(done.stdout)


def report(names: Sequence[str], given: argparse.Namespace, model: str) -> Iterator[str]:
    """Yield the lines of the table, each when it is known."""
    words = ["--answer", model, "--embed", given.embed] + (["--limit", str(given.limit)] if given.limit else [])
    with tempfile.TemporaryDirectory() as folder, bundled() as bundle:
        study = new_study(Path(folder) / "study")
        ingest(study, [bundle.documents], SILENT, fields=RecordFields(), seconds_per_file=60.0)
        questions = len(bundle.questions[: given.limit])
        yield f"{len(study.documents)} documents, {questions} questions a method; {given.told}"
        yield GROUPS + aligned(HEAD)
        faults: list[str] = []
        for some in [*([name] for name in names), *([names] if len(names) > 1 else [])]:
            costs = in_its_own_process(study.folder.root, some, words)
            yield row(costs)
            faults += [f"{costs.name}: {times} x {end}" for end, times in costs.answers.items() if end != "ok"]
        yield from faults


def main() -> None:
    """Measure, and print a line a method."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--method", nargs="+", default=[], help="spelled methods; without, all")
    options.add_argument("--presets", action="store_true", help="the published preset of each method, too")
    options.add_argument("--limit", type=int, help="at most so many questions")
    options.add_argument("--answer", help="a model such as ollama:NAME; without, a server of our own")
    options.add_argument("--embed", default="", help="an embedding model; without, the embedded one")
    options.add_argument("--seconds", type=float, default=0.2, help="how long our own server takes for a reply")
    options.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.root:
        costs = asyncio.run(measured(given.root, given.method, given.answer, given.embed, given.limit))
        sys.stdout.write(costs.model_dump_json())
        return
    names = spelled(given.method, published=given.presets)
    with serving(Replies(given.seconds)) as server:
        given.told = given.answer or f"our own server, which replies after {given.seconds} s"
        for line in report(names, given, given.answer or f"openai:sensible@{server.url}"):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    sys.stdout.write(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")


if __name__ == "__main__":
    main()
