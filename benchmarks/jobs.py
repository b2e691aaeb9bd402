"""Measures what a run costs beside its answers: seconds, processor and memory of many jobs that do nothing.

    python benchmarks/jobs.py [--jobs 1000 10000 100000] [--kind method system]

A real run, in a process of its own for each size: a study of so many (question, scope) jobs, four scopes a question,
answered by a method that asks nothing, or by a function of one's own; each answer is a record on disk. Then the same
command again, which finds everything done. The cost a job should not grow with their number.
"""

import argparse
import asyncio
import hashlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from astrolabe.core.protocols import Calls, Kit
from astrolabe.core.records import Answer, Document, Question, Scope, Topic
from astrolabe.methods import METHODS
from astrolabe.store.folder import StudyFolder
from astrolabe.store.lines import write_records
from astrolabe.study.models import Asking
from astrolabe.study.progress import Silent
from astrolabe.study.running import RunRequest, run
from astrolabe.study.study import open_study

SCOPES = ("one", "two", "three", "four")
TEXT = "The harbour floods twice a day, and ships wait outside until the water is high enough for their keel. "


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """A method that says the same of everything."""

    name: ClassVar[str] = "nothing"

    @property
    def calls(self) -> Calls:
        """None."""
        return Calls()

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Answer at once."""
        del kit
        return Answer(question_id=question.id, text=TEXT * 5)


def system(asked: Mapping[str, object]) -> dict[str, object]:
    """Answer as a system of one's own."""
    del asked
    return {"text": TEXT * 5}


def make_study(root: Path, jobs: int) -> None:
    """Write a study of so many jobs: four scopes a question, a hundred documents."""
    folder = StudyFolder(root)
    names = [f"d{number:03}" for number in range(100)]
    folder.settings.write_text('[models]\nembed = "hashed"\n', "utf-8")
    write_records(folder.documents, [document(name) for name in names])
    write_records(
        folder.scopes,
        [
            Scope(id=f"{name}-{place}", name=name, documents=tuple(names[place::10]))
            for name in SCOPES
            for place in range(10)
        ],
    )
    write_records(folder.questions, [question(number) for number in range(jobs // len(SCOPES))])


def document(name: str) -> Document:
    """Return a small document."""
    digest = hashlib.sha256(name.encode()).hexdigest()
    return Document(
        id=name, title=name, text=f"{name}. {TEXT * 10}", source=f"{name}.txt", media_type="text/plain", sha256=digest
    )


def question(number: int) -> Question:
    """Return a question in one scope of each name."""
    return Question(
        id=f"q{number:06}",
        text=f"When does ship {number} come in?",
        kind="single_sum",
        topics=(Topic(id="A1", text="when the water is high"),),
        scopes={name: f"{name}-{number % 10}" for name in SCOPES},
    )


def measure(root: Path, kind: str) -> str:
    """Run twice; return what both took."""
    METHODS[Nothing.name] = Nothing
    request = RunRequest(methods=[Nothing.name]) if kind == "method" else RunRequest(system="jobs:system")
    before = peak_megabytes()
    took: list[tuple[float, float]] = []
    peaks: list[float] = []
    answered = kept = 0
    for _ in range(2):
        began, used = time.perf_counter(), time.process_time()
        result = asyncio.run(run(open_study(root), request, Asking(), Silent()))
        took.append((time.perf_counter() - began, time.process_time() - used))
        peaks.append(peak_megabytes())
        answered, kept = len(result.answers), result.kept
        del result  # two runs of one process hold no answers for each other
    if answered != kept:
        raise RuntimeError(f"{kept} of {answered} answers stood the second time")
    (first, cpu), (again, again_cpu) = took
    each = 1000 / answered
    return (
        f"{kind} {answered:7} jobs: {first:7.1f} s, {each * cpu:.2f} ms of processor a job; again {again:6.1f} s, "
        f"{each * again_cpu:.3f} ms a job; peak {peaks[0]:.0f} MB, {before:.0f} of them before, again {peaks[1]:.0f}\n"
    )


def peak_megabytes() -> float:
    """Return the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure each size and kind in a process of its own."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--jobs", type=int, nargs="+", default=[1000, 10_000, 100_000])
    options.add_argument("--kind", nargs="+", default=["method", "system"], choices=["method", "system"])
    options.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.root:
        sys.stdout.write(measure(given.root, given.kind[0]))
        return
    for kind in given.kind:
        for jobs in given.jobs:
            with tempfile.TemporaryDirectory() as folder:
                make_study(Path(folder), jobs)
                command = [sys.executable, Path(__file__).name, "--root", folder, "--kind", kind]
                subprocess.run(command, check=True, cwd=Path(__file__).parent)  # noqa: S603 - itself


if __name__ == "__main__":
    main()
