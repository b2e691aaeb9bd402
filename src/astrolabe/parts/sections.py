"""What a model is shown under several headings, each within its budget of tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from astrolabe.core.tokens import count_tokens, token_offsets


class Row(NamedTuple):
    """One entry: its text, and the passages that it comes from."""

    text: str
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Rows under a heading, best first, and the most tokens that they may take."""

    title: str
    rows: Sequence[Row]
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What fits.

    Attributes:
        text: The sections, each under its heading; those without rows left out.
        rows: The rows that are shown, section by section.
    """

    text: str
    rows: tuple[tuple[Row, ...], ...]


def packed(sections: Sequence[Section], limit: int) -> Packed:
    """Return the rows that fit their sections' budgets.

    A section takes its rows in order and stops at the first that does not fit, as `pack.fit` does, so that a better
    row never gives way to a worse one; its first row is always shown, cut to the budget. Where the budgets add up to
    more than `limit` tokens, all shrink by the same factor. Headings are not counted.
    """
    asked = sum(section.tokens for section in sections if section.rows)
    shrunk = min(1.0, limit / asked) if asked else 1.0
    rows = tuple(tuple(_fitting(section.rows, int(section.tokens * shrunk))) for section in sections)
    shown = [(section.title, kept) for section, kept in zip(sections, rows, strict=True) if kept]
    return Packed(text="\n\n".join(f"{title}:\n\n{_joined(kept)}" for title, kept in shown), rows=rows)


def _fitting(rows: Sequence[Row], budget: int) -> list[Row]:
    kept: list[Row] = []
    spent = 0
    for row in rows:
        spent += count_tokens(row.text)
        if spent > budget:
            return kept or [_shortened(row, budget)]
        kept.append(row)
    return kept


def _shortened(row: Row, budget: int) -> Row:
    offsets = token_offsets(row.text)
    return row._replace(text=row.text[: offsets[max(1, budget) - 1][1]])


def _joined(rows: Sequence[Row]) -> str:
    """Return rows a line each, or apart where one has several lines."""
    between = "\n\n" if any("\n" in row.text.strip() for row in rows) else "\n"
    return between.join(row.text.strip() for row in rows)
