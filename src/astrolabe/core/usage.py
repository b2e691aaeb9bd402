"""What calls cost, counted in the context: never passed through arguments or return values."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from astrolabe.core.records import Usage

_meters: ContextVar[tuple["Meter", ...]] = ContextVar("meters", default=())


class Meter:
    """Adds up usage, in all and by stage (`answer.write`, `judge.topics`, ...); `waiting` calls are under way."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.stages: dict[str, Usage] = {}
        self.waiting = 0

    @property
    def total(self) -> Usage:
        """The sum over all stages."""
        total = Usage()
        for usage in self.stages.values():
            total = total + usage
        return total

    def add(self, stage: str, usage: Usage) -> None:
        """Count one call's usage under its stage."""
        self.stages[stage] = self.stages.get(stage, Usage()) + usage


@contextmanager
def metering() -> Generator[Meter]:
    """Open a meter that sees every call made inside, in child tasks too; meters nest."""
    meter = Meter()
    token = _meters.set((*_meters.get(), meter))
    try:
        yield meter
    finally:
        _meters.reset(token)


def count(stage: str, usage: Usage) -> None:
    """Tell every open meter of this context about a call."""
    for meter in _meters.get():
        meter.add(stage, usage)


@contextmanager
def waiting() -> Generator[None]:
    """Tell every open meter of this context that a call is under way."""
    meters = _meters.get()
    for meter in meters:
        meter.waiting += 1
    try:
        yield
    finally:
        for meter in meters:
            meter.waiting -= 1
