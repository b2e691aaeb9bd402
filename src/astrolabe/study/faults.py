"""Finding the error that ended a group of tasks."""

from astrolabe.core.errors import UserError


def first_of(group: BaseExceptionGroup[UserError]) -> BaseException:
    """Return the first single error of a group, however deep it lies."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
