"""Describing methods and metrics from their own fields and docstrings."""

import dataclasses
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from astrolabe.cli.talk import give
from astrolabe.core.spelling import Spelled, spell_defaults

Entry = dict[str, JsonValue]


def describe(kind: type[Spelled], *, facts: Sequence[str]) -> Entry:
    """Return a class's name, docstring, parameters with defaults, and the named facts that it states."""
    parameters: dict[str, JsonValue] = {
        field.name: cast("JsonValue", field.default)
        for field in dataclasses.fields(kind)  # pyright: ignore[reportArgumentType] - a catalogue holds dataclasses
        if field.default is not dataclasses.MISSING
    }
    stated: Entry = {fact: getattr(kind, fact) for fact in facts}
    return {"name": kind.name, "about": inspect.getdoc(kind) or "", "parameters": parameters, **stated}


def print_entry(kind: type[Spelled], entry: Mapping[str, JsonValue]) -> None:
    """Print a class's entry for people, its parameters as they are typed."""
    give(spell_defaults(kind))
    give(textwrap.indent(str(entry["about"]), "    "))
    facts = {name: value for name, value in entry.items() if name not in {"name", "about", "parameters"}}
    give(f"    {'; '.join(f'{_words(name)}: {value}' for name, value in facts.items())}\n" if facts else "")


def _words(name: str) -> str:
    return name.replace("_", " ")
