"""Parameters that a method hands on to its indexes, and what they must be."""

import dataclasses
from typing import TypeVar

from astrolabe.core.errors import ConfigError

T = TypeVar("T")


def spec_of(kind: type[T], method: object) -> T:
    """Return the spec whose parameters are the method's (or another spec's) of the same names.

    Raises:
        AttributeError: The method lacks one of them.
    """
    fields = dataclasses.fields(kind)  # pyright: ignore[reportArgumentType] - a spec is a dataclass
    return kind(**{field.name: getattr(method, field.name) for field in fields})


def check_positive(name: str, **parameters: int) -> None:
    """Refuse numbers below 1.

    Raises:
        ConfigError: One is; names all of them.
    """
    if wrong := [f"{parameter}={value!r}" for parameter, value in parameters.items() if value < 1]:
        raise ConfigError(f"{name} needs at least 1 of each, got {', '.join(wrong)}; leave it out for the default")
