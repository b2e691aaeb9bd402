"""Parameters are fields; the name is spelled from them.

`vanilla(k=3, size=256)` is what a user types, what heads a table and what names the answers file. A
spelled class is a frozen dataclass with a class variable `name`; parameters at their default are
left out.
"""

import ast
import dataclasses
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Protocol, TypeVar, cast, get_type_hints

from astrolabe.core.errors import ConfigError
from astrolabe.core.ids import text_hash

_WORD: Final = re.compile(r"[a-z][a-z0-9_]*")
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")
Scalar = str | int | float | bool


class Spelled(Protocol):
    """A frozen dataclass that says its own name."""

    name: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]  # pyright: ignore[reportExplicitAny] - as typeshed has it


S = TypeVar("S")


def parameters(spelled: Spelled) -> dict[str, Scalar]:
    """Return the parameters that differ from their defaults, in the order of the fields.

    A field that takes no part in comparisons (`compare=False`) is no parameter.
    """
    chosen: dict[str, Scalar] = {}
    for field in dataclasses.fields(spelled):
        if field.compare and (value := cast("Scalar", getattr(spelled, field.name))) != field.default:
            chosen[field.name] = value
    return chosen


def spell(spelled: Spelled) -> str:
    """Return the spelled name: the name, and in brackets what differs from the defaults."""
    chosen = ", ".join(f"{name}={_written(value)}" for name, value in parameters(spelled).items())
    return f"{spelled.name}({chosen})" if chosen else spelled.name


def parse_spelled(text: str, registry: Mapping[str, type[S]], *, what: str) -> S:
    """Return the object that `text` spells.

    Args:
        text: Such as `vanilla`, `vanilla(k=3)` or `extractive(retriever=bm25)`.
        registry: Known names and their classes.
        what: What the registry holds, for messages: "method", "metric".

    Raises:
        ConfigError: The name or a parameter is unknown, or a value is not of the right type.
    """
    name, given = _read(text, what)
    if name not in registry:
        msg = f"{text!r}: there is no {what} {name!r}; choose one of {', '.join(sorted(registry))}"
        raise ConfigError(msg)
    kind = registry[name]
    hints = get_type_hints(kind)
    allowed = [field.name for field in dataclasses.fields(kind)]  # pyright: ignore[reportArgumentType] - a registry holds dataclasses
    for key in given:
        if key not in allowed:
            msg = f"{text!r}: {name} has no parameter {key!r}; it has {', '.join(allowed) or 'none'}"
            raise ConfigError(msg)
    return kind(**{key: _checked(text, key, value, hints[key]) for key, value in given.items()})


def slug(text: str) -> str:
    """Return a file name for any text: short, portable, and different for different texts.

    Examples:
        >>> slug("raptor")
        'raptor'
        >>> slug("vanilla(k=3)")
        'vanilla-k-3-5925f813'
    """
    plain = re.sub(r"[^a-z0-9_]+", "-", text.casefold()).strip("-")[:60]
    if plain and plain == text and not _RESERVED.fullmatch(plain):
        return plain
    return f"{plain or 'x'}-{text_hash(text)[:8]}"


def _written(value: Scalar) -> str:
    if isinstance(value, str):
        return value if _WORD.fullmatch(value) else repr(value)
    return repr(value).lower() if isinstance(value, bool) else repr(value)


def _read(text: str, what: str) -> tuple[str, dict[str, Scalar]]:
    msg = f"{text!r} is not a spelled {what}; write a name, or name(parameter=value, ...)"
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise ConfigError(msg) from error
    if isinstance(node, ast.Name):
        return node.id, {}
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
        raise ConfigError(msg)
    given: dict[str, Scalar] = {}
    for keyword in node.keywords:
        value = _literal(keyword.value)
        if keyword.arg is None or value is None:
            raise ConfigError(msg)
        given[keyword.arg] = value
    return node.func.id, given


def _literal(node: ast.expr) -> Scalar | None:
    if isinstance(node, ast.Name):
        return {"true": True, "false": False}.get(node.id, node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, int | float) else None
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool):
        return node.value
    return None


def _checked(text: str, key: str, value: Scalar, hint: type[Scalar]) -> Scalar:
    from pydantic import TypeAdapter, ValidationError

    try:
        checked: Scalar = TypeAdapter[Scalar](hint).validate_python(value, strict=not isinstance(value, int))
    except ValidationError as error:
        msg = f"{text!r}: {key}={value!r}: {error.errors()[0]['msg']}"
        raise ConfigError(msg) from error
    return checked
