"""What a model is shown under several headings, each within its budget of tokens."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from astrolabe.core.tokens import count_tokens, first_tokens


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

    @property
    def passages(self) -> tuple[str, ...]:
        """The passages that the rows come from, each once, in their order."""
        return tuple(dict.fromkeys(passage for kept in self.rows for row in kept for passage in row.passages))


def packed(sections: Sequence[Section], limit: int) -> Packed:
    """Return the rows that fit their sections' budgets.

    A section takes its rows in order and stops at the first that does not fit, as `pack.fit` does, so that a better
    row never gives way to a worse one; its first row is always shown, cut to the budget. Where what fits adds up to
    more than `limit` tokens, all sections shrink by the same factor, so that one that is not full leaves its room to
    the others. Headings are not counted.
    """
    counted = (map(_counted, section.rows) for section in sections)
    fitting = [_fitting(rows, section.tokens) for rows, section in zip(counted, sections, strict=True)]
    taken = [sum(tokens for _, tokens in kept) for kept in fitting]
    if sum(taken) > limit:
        fitting = [_fitting(kept, tokens * limit // sum(taken)) for kept, tokens in zip(fitting, taken, strict=True)]
    rows = tuple(tuple(row for row, _ in kept) for kept in fitting)
    shown = [(section.title, kept) for section, kept in zip(sections, rows, strict=True) if kept]
    return Packed(text="\n\n".join(f"{title}:\n\n{_joined(kept)}" for title, kept in shown), rows=rows)


def _counted(row: Row) -> tuple[Row, int]:
    return row, count_tokens(row.text)


def _fitting(rows: Iterable[tuple[Row, int]], budget: int) -> list[tuple[Row, int]]:
    """Return the first rows that fit together, with their tokens; rows behind them are not even counted."""
    kept: list[tuple[Row, int]] = []
    spent = 0
    for row, tokens in rows:
        spent += tokens
        if spent > budget:
            return kept or [_counted(_shortened(row, budget))]
        kept.append((row, tokens))
    return kept


def _shortened(row: Row, budget: int) -> Row:
    return row._replace(text=first_tokens(row.text, budget))


def _joined(rows: Sequence[Row]) -> str:
    """Return rows a line each, or apart where one has several lines."""
    between = "\n\n" if any("\n" in row.text.strip() for row in rows) else "\n"
    return between.join(row.text.strip() for row in rows)
