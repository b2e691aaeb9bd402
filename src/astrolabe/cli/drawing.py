"""Drawing on a terminal: progress bars, tables and answers; plain lines where there is no terminal."""

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from astrolabe.cli.talk import give, say

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from astrolabe.report.table import Cell
    from astrolabe.report.table import Table as ReportTable

SECONDS_BETWEEN_LINES: Final = 10.0
"""Without a terminal, progress is a line now and then."""
ENOUGH: Final = 5
"""Items that are done before a rate tells anything: the first ones wait for models to start."""
PLAIN_WIDTH: Final = 160


class TerminalProgress:
    """Draws bars with rate and time left on stderr, or a line now and then."""

    def __init__(self) -> None:
        """Draw nothing yet."""
        self._bars: Bars | None = None
        self._task: TaskID | None = None
        self._what = ""
        self._total = 0
        self._done = 0
        self._started = 0.0
        self._said = 0.0

    def __enter__(self) -> Self:
        """Start drawing."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was."""
        self.end()

    def begin(self, what: str, total: int) -> None:
        """Show a step of `total` items (0 where it is not known), in place of the one before."""
        self.end()
        self._what, self._total, self._done = what, total, 0
        self._started = self._said = time.monotonic()
        if sys.stderr.isatty():
            self._bars = _bars()
            self._bars.start()
            self._task = self._bars.add_task(what, total=total or None)

    def step(self, note: str = "") -> None:
        """Count one item and show what it was."""
        self._done += 1
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, advance=1, description=f"{self._what} {note}"[:60])
        elif time.monotonic() - self._said > SECONDS_BETWEEN_LINES:
            self._said = time.monotonic()
            rate = self._done / (self._said - self._started)
            known = self._total and self._done >= ENOUGH
            left = f", about {(self._total - self._done) / rate:.0f} s left" if known else ""
            say(f"{self._what}: {self._done}{f' of {self._total}' if self._total else ''}, {rate:.1f} a second{left}")

    def note(self, text: str) -> None:
        """Say a line, above the bar where there is one."""
        if self._bars is not None:
            self._bars.console.print(text, markup=False, highlight=False)
        else:
            say(text)

    def end(self) -> None:
        """Take the bar away."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


def _bars() -> "Bars":
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.1f}/s" if task.speed else "")

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def print_rows(head: Sequence[str], rows: Sequence[Sequence[str | float | None]]) -> None:
    """Print a table on stdout: the first column to the left, the others to the right; null as a dash."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(head):
        table.add_column(name, justify="right" if number else "left", no_wrap=not number)
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, soft_wrap=False).print(table)


def _cell(value: str | float | None) -> str:
    from rich.markup import escape

    if value is None:
        return "-"
    if isinstance(value, str):
        return escape(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def print_table(table: "ReportTable") -> None:
    """Print a report's table: each estimate as its mean, its interval, its counts and its bounds, one below another."""
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    give(table.caption)
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(table.header):
        drawn.add_column(escape(name), justify="right" if number else "left")
    for row in table.rows:
        drawn.add_row(*(escape(_lines(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH).print(drawn)


def _lines(cell: "Cell") -> str:
    if cell.estimate is None:
        return cell.shown
    lines = [f"{cell.value} {cell.letters}".strip(), cell.span, cell.counts, cell.bounds]
    return "\n".join(filter(None, lines))
