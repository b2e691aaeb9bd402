"""Every error Astrolabe raises on purpose.

AstrolabeError
├── UserError            something the user can fix; nothing ran (exit code 2)
│   ├── ConfigError      settings, flags, spelled names
│   ├── FileError        a file that people write: carries every problem with its line
│   ├── CannotWrite      a disk is full or read-only; work that has begun is stopped by it (exit code 3)
│   └── MissingExtra     an optional library is not installed; names the command
├── ModelError           a reply that cannot be used; becomes the status of one item
├── NotRecorded          replay needs a call that the record does not hold (exit code 2)
└── Stopped              the provider or a budget ended the run; it resumes (exit code 3)

A message says what was wrong, where, the value and what to do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from astrolabe.core.plural import plural

FailureStatus = Literal["empty", "refused", "truncated", "unparsed", "failed"]


class AstrolabeError(Exception):
    """The root: catch this to catch all that Astrolabe raises on purpose."""


class UserError(AstrolabeError):
    """Something the user can fix; nothing was paid for."""


class ConfigError(UserError):
    """A setting, a flag or a spelled name that is not right."""


class CannotWrite(UserError):
    """A file could not be written: no room, no right. Where work is under way it ends there, as with `Stopped`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault in a file: where it stands, what it is and how to mend it.

    `line` counts from 1; it is 0 where the fault concerns the whole file.
    """

    line: int
    field: str
    value: str
    problem: str
    fix: str
    file: str = ""
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        """Return the problem as one line that a person can act on."""
        place = self.file
        if self.line:
            place = f"{self.file}:{self.line}" if self.file else f"line {self.line}"
        shown = f" (value {self.value})" if self.value else ""
        return ": ".join(filter(None, [place, self.field, f"{self.problem}{shown}. {self.fix}"]))


class FileError(UserError):
    """A file that people write does not hold what it should; `problems` has every fault found."""

    def __init__(self, path: str, problems: Sequence[Problem]) -> None:
        """Keep the file's path and all problems, and show the first twenty in the message."""
        self.path = path
        self.problems = tuple(problems)
        shown = "\n".join(f"  {problem}" for problem in self.problems[:20])
        more = len(self.problems) - 20
        tail = f"\n  ... and {more} more" if more > 0 else ""
        super().__init__(f"{path}: {len(self.problems)} {plural(len(self.problems), 'problem')}\n{shown}{tail}")


class MissingExtra(UserError):
    """An optional library is missing."""

    def __init__(self, what: str, extra: str) -> None:
        """Say what needs the extra and which command installs it."""
        super().__init__(f"{what} needs the extra [{extra}]: pip install 'astrolabe-qa[{extra}]'")
        self.extra = extra


class ModelError(AstrolabeError):
    """A model's reply that cannot be used.

    Attributes:
        status: The state that the item asked for ends in.
        reason: What was wrong, for people.
        text: The reply as it came, possibly empty.
        partial: The complete items of a reply that was cut off, in its reply type; null where there are none.
    """

    def __init__(self, status: FailureStatus, reason: str, *, text: str = "", partial: object | None = None) -> None:
        """Keep the status, the reason, the text that came and what of it is whole."""
        super().__init__(f"{status}: {reason}")
        self.status: FailureStatus = status
        self.reason = reason
        self.text = text
        self.partial = partial


class NotRecorded(UserError):
    """In `replay`, a call that the record does not hold."""

    def __init__(self, stage: str, what: str) -> None:
        """Name the step that wanted to ask, and what it needs."""
        super().__init__(
            f"replay: the step {stage!r} needs {what} that is not recorded; "
            "run the same command with --calls reuse to ask for it"
        )
        self.stage = stage


class Stopped(AstrolabeError):
    """A budget or the provider ended the run; the same command resumes it."""
