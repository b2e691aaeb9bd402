"""Parameters are fields; the name is spelled from them.

`vanilla(k=3, size=256)` is what a user types, what heads a table and what names the answers file. A
spelled class is a frozen dataclass with a class variable `name`; parameters at their default are
left out. A class may name presets, tables of parameters: `raptor@published(k=3)` is the preset with one
parameter changed.
"""

import ast
import dataclasses
import re
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any, ClassVar, Final, Protocol, TypeVar, cast, get_type_hints

from astrolabe.core.errors import ConfigError
from astrolabe.core.ids import text_hash

_WORD: Final = re.compile(r"[a-z][a-z0-9_]*")
_BOOLEANS: Final = {"true": True, "false": False}
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")
Scalar = str | int | float | bool
COMMON: Final = "common"
"""The preset that the defaults are; it needs no name."""


class Spelled(Protocol):
    """A frozen dataclass that says its own name."""

    name: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]  # pyright: ignore[reportExplicitAny] - as typeshed has it


S = TypeVar("S")


def presets(kind: type[object]) -> Mapping[str, Mapping[str, Scalar]]:
    """Return a class's presets by name, each the parameters that differ from the defaults."""
    return cast("Mapping[str, Mapping[str, Scalar]]", getattr(kind, "presets", {}))


def parameters(spelled: Spelled) -> dict[str, Scalar]:
    """Return the parameters that differ from their defaults, in the order of the fields.

    A field that takes no part in comparisons (`compare=False`) is no parameter.
    """
    return _apart(spelled, {})


def spell(spelled: Spelled) -> str:
    """Return the spelled name: the name, and in brackets what differs from the defaults.

    Where fewer parameters differ from a preset than from the defaults, the preset is named: `raptor@published`.
    """
    named = {f"{spelled.name}@{preset}": _apart(spelled, table) for preset, table in presets(type(spelled)).items()}
    candidates = {spelled.name: parameters(spelled), **named}
    name = min(candidates, key=lambda key: len(candidates[key]))
    chosen = ", ".join(f"{key}={written(value)}" for key, value in candidates[name].items())
    return f"{name}({chosen})" if chosen else name


def parse_spelled(text: str, registry: Mapping[str, type[S]], *, what: str) -> S:
    """Return the object that `text` spells.

    Args:
        text: Such as `vanilla`, `vanilla(k=3)`, `extractive(retriever=bm25)` or `raptor@published(k=3)`.
        registry: Known names and their classes.
        what: What the registry holds, for messages: "method", "metric".

    Raises:
        ConfigError: The name, the preset or a parameter is unknown, or a value is not of the right type.
    """
    name, preset, given = read_spelled(text, what=what)
    if name not in registry:
        from difflib import get_close_matches

        near = "".join(f"did you mean {one}? Else " for one in get_close_matches(name, registry, n=1))
        msg = f"{text!r}: there is no {what} {name!r}; {near}choose one of {', '.join(sorted(registry))}"
        raise ConfigError(msg)
    kind = registry[name]
    hints = get_type_hints(kind)
    allowed = [field.name for field in dataclasses.fields(kind)]  # pyright: ignore[reportArgumentType] - a registry holds dataclasses
    for key in given:
        if key not in allowed:
            msg = f"{text!r}: {name} has no parameter {key!r}; it has {', '.join(allowed) or 'none'}"
            raise ConfigError(msg)
    checked = {key: _checked(text, key, value, hints[key]) for key, value in given.items()}
    return kind(**{**_table(text, kind, name, preset), **checked})


def _apart(spelled: Spelled, table: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Return the parameters that differ from a table, and from the defaults where the table says nothing."""
    chosen: dict[str, Scalar] = {}
    for field in dataclasses.fields(spelled):
        value = cast("Scalar", getattr(spelled, field.name))
        if field.compare and value != table.get(field.name, field.default):
            chosen[field.name] = value
    return chosen


def _table(text: str, kind: type[object], name: str, preset: str | None) -> Mapping[str, Scalar]:
    known = presets(kind)
    if preset is None or preset == COMMON:
        return {}
    if preset not in known:
        msg = f"{text!r}: {name} has no preset {preset!r}; choose one of {', '.join([COMMON, *known])}"
        raise ConfigError(msg)
    return known[preset]


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


def written(value: Scalar) -> str:
    """Return a value as it is typed in a spelled name, which reads it back: a plain word bare, other texts quoted.

    Examples:
        >>> written(True), written("dense"), written("a, b"), written(0.5)
        ('true', 'dense', "'a, b'", '0.5')
    """
    if isinstance(value, str):
        plain = _WORD.fullmatch(value) and not iskeyword(value) and value not in _BOOLEANS
        return value if plain else repr(value)
    return repr(value).lower() if isinstance(value, bool) else repr(value)


def spell_defaults(kind: type[Spelled]) -> str:
    """Return a class's name with every parameter at its default, as it would be typed."""
    fields = {field.name: cast("Scalar", field.default) for field in dataclasses.fields(kind)}
    chosen = ", ".join(f"{name}={written(value)}" for name, value in fields.items())
    return f"{kind.name}({chosen})" if chosen else kind.name


def read_spelled(text: str, *, what: str) -> tuple[str, str | None, dict[str, Scalar]]:
    """Return the name, the preset (null for none) and the parameters that a text spells; whether they exist is open.

    Raises:
        ConfigError: The text spells nothing.
    """
    msg = f"{text!r} is not a spelled {what}; write a name, or name(parameter=value, ...)"
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise ConfigError(msg) from error
    head, preset = None, None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):  # name@preset
        head, node = node.left, node.right
    call = node if isinstance(node, ast.Call) else ast.Call(func=node, args=[], keywords=[])
    if head is not None and isinstance(call.func, ast.Name):
        preset = call.func.id
    name = call.func if head is None else head
    if not isinstance(name, ast.Name) or call.args or (head is not None and preset is None):
        raise ConfigError(msg)
    given: dict[str, Scalar] = {}
    for keyword in call.keywords:
        value = _literal(keyword.value)
        if keyword.arg is None or value is None:
            raise ConfigError(msg)
        given[keyword.arg] = value
    return name.id, preset, given


def _literal(node: ast.expr) -> Scalar | None:
    if isinstance(node, ast.Name):
        return _BOOLEANS.get(node.id, node.id)
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
        msg = f"{text!r}: {key}={written(value)}: {error.errors()[0]['msg']}"
        raise ConfigError(msg) from error
    return checked
