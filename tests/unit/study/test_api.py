"""The library's doors: the same functions with and without `await`, in any loop, any number of times."""

import asyncio
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import astrolabe
from astrolabe.core.protocols import Calls, Kit
from astrolabe.methods.extractive import Extractive
from astrolabe.metrics.topics_local import TopicsLocal
from astrolabe.study.run import RunResult
from astrolabe.study.sync import sync_door

TEXTS = {
    "bees": "Bees pollinate most flowers. Mites harm bees and their brood. Pesticides weaken bees in spring.",
    "comets": "Comets are made of ice and dust. Their tails point away from the sun. Most come from far away.",
    "tides": "Tides are caused by the moon. The sun makes them stronger twice a month. Narrow bays amplify the tides.",
}
QUESTIONS = [
    astrolabe.Question(
        id="bees",
        text="What harms bees?",
        topics=(
            astrolabe.Topic(id="A1", text="mites harm bees"),
            astrolabe.Topic(id="A2", text="pesticides weaken bees"),
        ),
    ),
    astrolabe.Question(
        id="tides", text="What causes tides?", topics=(astrolabe.Topic(id="A1", text="the moon causes tides"),)
    ),
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASTROLABE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n", "utf-8")
    return folder


@pytest.fixture
def study(tmp_path: Path, files: Path) -> astrolabe.Study:
    made = astrolabe.new_study_sync(tmp_path / "study")
    astrolabe.ingest_sync(made, files)
    ids = {document.title: document.id for document in made.documents}
    questions = [question.model_copy(update={"evidence": (ids[question.id],)}) for question in QUESTIONS]
    astrolabe.take_benchmark_sync(made, questions, embed="hashed")
    return made


def answer_in_capitals(asked: Mapping[str, object]) -> dict[str, object]:
    return {"text": str(asked["question"]).upper()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrug:
    name: ClassVar[str] = "shrug"
    index_calls: ClassVar[str] = "none"
    question_calls: ClassVar[str] = "none"

    @property
    def calls(self) -> Calls:
        return Calls()

    async def answer(self, question: astrolabe.Question, kit: Kit) -> astrolabe.Answer:
        return astrolabe.Answer(question_id=question.id, text=f"{len(kit.documents)} documents, no idea.")


async def double(number: int, *, wait: float = 0.0) -> int:
    await asyncio.sleep(wait)
    return 2 * number


async def fail() -> None:
    raise astrolabe.UserError("as asked")


double_sync = sync_door(double)


def test_a_whole_job_runs_from_a_new_study_to_its_report_without_a_model(tmp_path: Path, files: Path) -> None:
    async def job() -> list[Path]:
        study = await astrolabe.new_study(tmp_path / "study")
        await astrolabe.ingest(study, files)
        ids = {document.title: document.id for document in study.documents}
        questions = [question.model_copy(update={"evidence": (ids[question.id],)}) for question in QUESTIONS]
        await astrolabe.take_benchmark(study, questions, embed="hashed")
        assert await astrolabe.plan_run(study, "extractive", embed="hashed") == []
        ran = await astrolabe.run(study, "extractive", Extractive(retriever="bm25"), embed="hashed")
        assert {answer.status for answer in ran.answers} == {"ok"}
        scored = await astrolabe.score(study, embed="hashed")
        assert {score.status for score in scored.results.scores} == {"scored"}
        compared = await astrolabe.compare_study(study)
        assert {one.first for one in compared.results.comparisons} == {"extractive"}
        return await astrolabe.write_report(study, "html", "md")

    page, text = asyncio.run(job())

    assert page.name == "report.html"
    assert "extractive(retriever=bm25)" in text.read_text("utf-8")


def test_the_same_study_serves_two_loops_one_after_the_other(study: astrolabe.Study) -> None:
    first = asyncio.run(astrolabe.run(study, "extractive", embed="hashed"))
    second = asyncio.run(astrolabe.run(study, "extractive", embed="hashed"))

    assert second.kept == len(first.answers) == 6
    assert {answer.text for answer in second.answers} == {answer.text for answer in first.answers}


def test_sync_twice_then_async_twice_inside_a_running_loop_all_do_the_same(study: astrolabe.Study) -> None:
    async def notebook() -> list[RunResult]:
        return [
            astrolabe.run_sync(study, "extractive", embed="hashed"),
            astrolabe.run_sync(study, "extractive", embed="hashed"),
            await astrolabe.run(study, "extractive", embed="hashed"),
            await astrolabe.run(study, "extractive", embed="hashed"),
        ]

    results = asyncio.run(notebook())

    assert [result.kept for result in results] == [0, 6, 6, 6]
    assert len({tuple(sorted(answer.text for answer in result.answers)) for result in results}) == 1


def test_a_study_may_be_given_as_its_folder(study: astrolabe.Study) -> None:
    astrolabe.run_sync(str(study.folder.root), "extractive", embed="hashed", scopes="simple")

    status = astrolabe.study_status_sync(study.folder.root)

    assert status.answers == {"extractive": {"ok": 2}}


def test_a_question_is_answered_over_files_with_its_evidence(files: Path) -> None:
    result = astrolabe.ask_sync("What harms bees?", files, embed="hashed")

    assert "harm bees" in result.answer.text or "weaken bees" in result.answer.text
    assert result.answer.method == "extractive"
    assert result.why
    assert {result.titles[passage.document_id] for passage in result.passages.values()} >= {"bees"}


def test_a_function_of_ones_own_runs_beside_the_methods(study: astrolabe.Study) -> None:
    ran = astrolabe.run_sync(study, system=answer_in_capitals, scopes="simple", questions="bees", embed="hashed")

    (answer,) = ran.answers
    assert answer.text == "WHAT HARMS BEES?"
    assert answer.method.startswith("system(target=")


def test_a_function_that_nothing_can_find_again_is_refused(study: astrolabe.Study) -> None:
    with pytest.raises(astrolabe.ConfigError, match="define it at the top of a module"):
        astrolabe.run_sync(study, system=lambda asked: {"text": str(asked)})


def test_a_method_of_ones_own_runs_once_it_is_known_by_its_name(
    study: astrolabe.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(astrolabe.ConfigError, match=r"add it first: \['shrug'\] = Shrug"):
        astrolabe.run_sync(study, Shrug(), embed="hashed")
    monkeypatch.setitem(astrolabe.METHODS, "shrug", Shrug)

    ran = astrolabe.run_sync(study, Shrug(), embed="hashed", scopes=["hard"])

    assert {answer.text for answer in ran.answers} == {"2 documents, no idea."}


def test_nothing_to_run_is_said_before_anything_runs(study: astrolabe.Study) -> None:
    with pytest.raises(astrolabe.ConfigError, match="nothing to run"):
        astrolabe.run_sync(study)


def test_an_unknown_report_format_is_named_with_those_there_are(study: astrolabe.Study) -> None:
    with pytest.raises(astrolabe.ConfigError, match="'pdf': no such report format; choose of html"):
        astrolabe.write_report_sync(study, "pdf")  # pyright: ignore[reportArgumentType] - what an untyped script may do


def test_records_score_as_the_same_records_in_files_do(tmp_path: Path) -> None:
    answers = [
        astrolabe.Answer(question_id="bees", method="mine", text="Mites harm bees."),
        astrolabe.Answer(question_id="tides", method="mine", text="Nobody knows."),
    ]
    made, asked = tmp_path / "answers.jsonl", tmp_path / "bench.jsonl"
    made.write_text("".join(f"{answer.model_dump_json()}\n" for answer in answers), "utf-8")
    asked.write_text("".join(f"{question.model_dump_json()}\n" for question in QUESTIONS), "utf-8")

    in_memory = astrolabe.score_answers_sync(answers, QUESTIONS, TopicsLocal(), embed="hashed")
    in_files = astrolabe.score_answers_sync(made, str(asked), embed="hashed")

    assert in_memory.results.estimates == in_files.results.estimates
    assert {score.question_id: score.value for score in in_memory.results.scores}["tides"] == 0.0


def test_answers_to_no_question_of_the_benchmark_are_an_error_not_an_empty_table() -> None:
    answers = [astrolabe.Answer(question_id="nowhere", text="Something.")]

    with pytest.raises(astrolabe.FileError):
        astrolabe.score_answers_sync(answers, QUESTIONS, embed="hashed")


def test_a_door_keeps_the_name_the_arguments_and_the_text_of_its_function() -> None:
    import inspect

    assert double_sync.__name__ == "double_sync"
    assert inspect.signature(double_sync) == inspect.signature(double)
    assert not inspect.iscoroutinefunction(double_sync)


def test_doors_of_several_threads_run_at_once() -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(double_sync(4, wait=0.2))) for _ in range(5)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [8] * 5
    assert time.monotonic() - started < 0.9


def test_an_error_comes_out_of_a_door_as_it_was_raised_and_the_next_call_works() -> None:
    with pytest.raises(astrolabe.UserError, match="as asked"):
        sync_door(fail)()

    assert double_sync(2) == 4


def test_a_door_called_in_its_own_loop_names_what_to_await() -> None:
    async def inner() -> int:
        return double_sync(1)

    with pytest.raises(RuntimeError, match=r"await astrolabe\.double"):
        sync_door(inner)()


def test_ctrl_c_at_a_door_cancels_what_it_waits_for() -> None:
    ended = threading.Event()

    async def long() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    with interrupted(after=0.2), pytest.raises(KeyboardInterrupt):
        sync_door(long)()

    assert ended.wait(5)


@contextmanager
def interrupted(*, after: float) -> Generator[None]:
    timer = threading.Timer(after, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def test_a_cancelled_ingest_ends_and_writes_nothing(tmp_path: Path, files: Path) -> None:
    async def job() -> astrolabe.Study:
        study = await astrolabe.new_study(tmp_path / "study")
        entered = asyncio.Event()
        loop = asyncio.get_running_loop()
        watcher = Watcher(lambda: loop.call_soon_threadsafe(entered.set))
        task = asyncio.create_task(astrolabe.ingest(study, files, progress=watcher))
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        watcher.go.set()
        return study

    study = asyncio.run(job())

    assert not study.folder.documents.exists()


class Watcher:
    """Holds the reading thread at its first step until told to go."""

    def __init__(self, began: Callable[[], object]) -> None:
        self.go = threading.Event()
        self._began = began

    def begin(self, what: str, total: int) -> None:  # noqa: ARG002  the protocol's
        self._began()
        self.go.wait(10)

    def step(self, note: str = "") -> None: ...

    def note(self, text: str) -> None: ...

    def end(self) -> None: ...


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_loads_nothing_heavy() -> None:
    heavy = "{'pydantic', 'numpy', 'click', 'asyncio', 'astrolabe.study', 'astrolabe.core'}"

    loaded = python(f"import sys, astrolabe; print(sorted({heavy} & set(sys.modules)), astrolabe.__version__)")

    assert loaded == f"[] {astrolabe.__version__}"


def test_importing_and_using_a_door_leave_asyncio_as_it_is() -> None:
    code = """
import asyncio, threading
def state():
    return {(place.__name__, name): value for place in (asyncio, asyncio.events, asyncio.base_events.BaseEventLoop)
            for name, value in vars(place).items()}, asyncio.get_event_loop_policy()
asyncio.get_event_loop_policy()
before = state()
import astrolabe
for name in astrolabe.__all__:
    getattr(astrolabe, name)
print(threading.active_count(), state() == before)
try:
    astrolabe.open_study_sync("/nowhere")
except astrolabe.UserError:
    print(threading.active_count())
try:
    asyncio.get_running_loop()
except RuntimeError:
    print("no loop here")
"""

    said = python(code)

    assert said.split("\n") == ["1 True", "2", "no loop here"]


def test_a_script_that_ends_while_a_door_is_at_work_ends_cleanly() -> None:
    code = """
import asyncio, threading, time
from astrolabe.study.run import RunResult
from astrolabe.study.sync import sync_door
async def long():
    try:
        await asyncio.sleep(60)
    finally:
        print("closed")
threading.Thread(target=sync_door(long), daemon=True).start()
time.sleep(0.3)
"""

    assert python(code) == "closed"


def test_every_public_name_is_there_and_hides_no_package() -> None:
    package = Path(astrolabe.__file__).parent
    packages = {path.name for path in package.iterdir() if path.is_dir()}

    assert [name for name in astrolabe.__all__ if not hasattr(astrolabe, name)] == []
    assert set(astrolabe.__all__) & packages == set()
    assert set(astrolabe.__all__) <= set(dir(astrolabe))


def test_every_coroutine_has_its_door() -> None:
    import inspect

    public = {name: getattr(astrolabe, name) for name in astrolabe.__all__}
    coroutines: dict[str, Coroutine[object, object, object]] = {
        name: found for name, found in public.items() if inspect.iscoroutinefunction(found)
    }

    assert {f"{name}_sync" for name in coroutines} == {name for name in public if name.endswith("_sync")}
    assert coroutines


def test_a_misspelled_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'scroe'"):
        _ = getattr(astrolabe, "scroe")  # noqa: B009 - the checker knows that it is not there
