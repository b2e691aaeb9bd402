"""Gold answers of any JSON shape as the items of a question of kind `set`."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue

from astrolabe.benchmark.gold_rules import fault
from astrolabe.core.errors import Problem
from astrolabe.parts.set_items import written

_BOOLEANS: Final = {True: ("Yes", "True"), False: ("No", "False")}


class GoldItems(NamedTuple):
    """The items, each with its names, and what was doubtful about them."""

    answers: tuple[tuple[str, ...], ...]
    doubts: tuple[Problem, ...]


def gold_answers(field: str, value: JsonValue) -> GoldItems:
    """Return the items that a gold answer is.

    A list is its members, an object its pairs ("key: value"), anything else one item. True is Yes, also called True;
    a number is written without separators. A list within the list is one item, its parts joined with commas: a doubt,
    for its parts might be names of one thing. A member that is null or blank is left out, and named.

    Examples:
        >>> gold_answers("answer", {"Oslo": 3, "Rome": True}).answers
        (('Oslo: 3',), ('Rome: Yes',))
        >>> gold_answers("answer", [True, 4.0, " x "]).answers
        (('Yes', 'True'), ('4',), ('x',))
    """
    if isinstance(value, dict):
        return GoldItems(tuple((f"{key.strip()}: {written(member)}".strip(),) for key, member in value.items()), ())
    members = value if isinstance(value, list) else [value]
    kept = [member for member in members if written(member)]
    return GoldItems(tuple(map(_names, kept)), tuple(_doubts(field, members)))


def no_answers(field: str, value: JsonValue) -> Problem:
    """Return the problem of a question without any gold answer, which is left out."""
    return fault(
        field,
        value,
        "holds no answer; the question is left out",
        "Add its answers if it has any",
        severity="warning",
    )


def _names(member: JsonValue) -> tuple[str, ...]:
    return _BOOLEANS[member] if isinstance(member, bool) else (written(member),)


def _doubts(field: str, members: Sequence[JsonValue]) -> Iterator[Problem]:
    for member in members if len(members) > 1 else ():
        if not written(member):
            yield fault(field, member, "is no answer; left out", "Remove it", severity="warning")
    for member in members:
        if isinstance(member, list) and len(member) > 1:
            yield fault(
                field,
                member,
                "is a list within the list, one answer of several parts or several names of one; read as one answer",
                "Write one text for each answer",
                severity="warning",
            )
