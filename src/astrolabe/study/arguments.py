"""From what a caller of the library gives to what the study takes."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from astrolabe.core.errors import ConfigError, Stopped
from astrolabe.core.protocols import Method, Metric
from astrolabe.core.records import Answer, Question
from astrolabe.core.spelling import Spelled, spell
from astrolabe.methods import METHODS
from astrolabe.metrics import METRICS
from astrolabe.store.lines import write_records
from astrolabe.study.own_system import Request
from astrolabe.study.progress import Progress
from astrolabe.study.running import RunRequest
from astrolabe.study.study import Study, open_study

Place = str | Path
Where = Study | str | Path
"""A study, or its folder."""
Names = str | Sequence[str]
"""One name, or several."""
System = str | Callable[[Request], object]
"""A system of the user's own: a URL, `module:function`, or a function at the top of its module."""


def study_at(where: Where) -> Study:
    """Return the study, opened where its folder is given.

    Raises:
        UserError: The folder does not exist.
    """
    return where if isinstance(where, Study) else open_study(Path(where))


def run_request(
    methods: Sequence[str | Method],
    *,
    scopes: Names = (),
    system: System | None = None,
    system_timeout_seconds: float = 120.0,
    questions: Names = (),
    limit: int | None = None,
) -> RunRequest:
    """Return what to run.

    Raises:
        ConfigError: Nothing is asked for, or a method or a system cannot be found by its name.
    """
    if not methods and system is None:
        msg = "nothing to run: name a method, such as 'vanilla' (all of them: METHODS), or give a system of yours"
        raise ConfigError(msg)
    return RunRequest(
        methods=[spelled(method, METHODS) for method in methods],
        scopes=listed(scopes),
        system=system if system is None or isinstance(system, str) else _target(system),
        system_timeout_seconds=system_timeout_seconds,
        questions=listed(questions),
        limit=limit,
    )


def metric_names(metrics: Sequence[str | Metric]) -> list[str]:
    """Return the spelled metrics."""
    return [spelled(metric, METRICS) for metric in metrics]


def spelled(given: str | Spelled, registry: Mapping[str, type[Spelled]]) -> str:
    """Return the spelled name of a method or metric.

    Raises:
        ConfigError: Its class is not in the registry, so that nobody could find it again by its name.
    """
    if isinstance(given, str):
        return given
    if registry.get(given.name) is not type(given):
        kind = type(given).__name__
        msg = f"{given!r}: its class is not known by the name {given.name!r}; add it first: [{given.name!r}] = {kind}"
        raise ConfigError(msg)
    return spell(given)


def listed(names: Names) -> list[str]:
    """Return the names; a single one is a list of one."""
    return [names] if isinstance(names, str) else list(names)


@contextmanager
def as_file(given: Place | Sequence[Answer] | Sequence[Question], name: str) -> Generator[Path]:
    """Give records as a file, so that they are checked as those of a file are; a file as it is."""
    if isinstance(given, str | Path):
        yield Path(given)
        return
    with TemporaryDirectory(prefix="astrolabe-") as folder:
        path = Path(folder) / f"{name}.jsonl"
        write_records(path, given)
        yield path


class Stoppable:
    """Passes progress on, and ends the step in another thread once its block is left early."""

    def __init__(self, progress: Progress) -> None:
        """Stop nothing yet."""
        self._progress = progress
        self._left = False

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the next step be the last."""
        self._left = True

    def begin(self, what: str, total: int) -> None:
        """Pass it on."""
        self._progress.begin(what, total)

    def step(self, note: str = "") -> None:
        """Pass it on.

        Raises:
            Stopped: Nobody waits for the step any more.
        """
        if self._left:
            raise Stopped("cancelled")
        self._progress.step(note)

    def note(self, text: str) -> None:
        """Pass it on."""
        self._progress.note(text)

    def end(self) -> None:
        """Pass it on."""
        self._progress.end()


def _target(function: Callable[[Request], object]) -> str:
    module, name = str(getattr(function, "__module__", "")), str(getattr(function, "__qualname__", ""))
    if not module or getattr(import_module(module), name, None) is not function:
        msg = f"system {function!r}: answers are filed under module:function; define it at the top of a module"
        raise ConfigError(msg)
    return f"{module}:{name}"
