"""Finding the error that ended a group of tasks."""

from typing import cast

from astrolabe.core.errors import Stopped, UserError


def first_of(error: BaseException) -> BaseException:
    """Return the error that counts, however deep it lies in groups.

    That is one that ends the whole command (`Stopped`, `UserError`), else the first. An error that is no group is
    itself.
    """
    single = _singles(error)
    return next((one for one in single if isinstance(one, Stopped | UserError)), single[0])


def _singles(error: BaseException) -> list[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    parts = cast("tuple[BaseException, ...]", error.exceptions)
    return [single for part in parts for single in _singles(part)]
