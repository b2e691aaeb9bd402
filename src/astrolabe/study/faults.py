"""What errors mean to the work that they end."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import cast

from astrolabe.core.errors import CannotWrite, Stopped, UserError


def first_of(error: BaseException) -> BaseException:
    """Return the error that counts, however deep it lies in groups.

    That is one that ends the whole command (`Stopped`, `UserError`), else the first. An error that is no group is
    itself.
    """
    single = _singles(error)
    return next((one for one in single if isinstance(one, Stopped | UserError)), single[0])


@contextmanager
def under_way() -> Generator[None]:
    """Let a file that cannot be written stop the work inside: it has begun, and the same command goes on from there.

    Raises:
        Stopped: A disk is full or read-only.
    """
    try:
        yield
    except CannotWrite as fault:
        raise Stopped(str(fault)) from fault


def _singles(error: BaseException) -> list[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    parts = cast("tuple[BaseException, ...]", error.exceptions)
    return [single for part in parts for single in _singles(part)]
