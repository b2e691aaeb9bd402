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
    fitting = [_fitting(section.rows, section.tokens) for section in sections]
    taken = [sum(count_tokens(row.text) for row in kept) for kept in fitting]
    if sum(taken) > limit:
        fitting = [_fitting(kept, tokens * limit // sum(taken)) for kept, tokens in zip(fitting, taken, strict=True)]
    shown = [(section.title, kept) for section, kept in zip(sections, fitting, strict=True) if kept]
    return Packed(
        text="\n\n".join(f"{title}:\n\n{_joined(kept)}" for title, kept in shown), rows=tuple(map(tuple, fitting))
    )


def _fitting(rows: Sequence[Row], budget: int) -> Sequence[Row]:
    spent = 0
    for place, row in enumerate(rows):
        spent += count_tokens(row.text)
        if spent > budget:
            return rows[:place] or [_shortened(row, budget)]
    return rows


def _shortened(row: Row, budget: int) -> Row:
    offsets = token_offsets(row.text)
    return row._replace(text=row.text[: offsets[max(1, budget) - 1][1]])


def _joined(rows: Sequence[Row]) -> str:
    """Return rows a line each, or apart where one has several lines."""
    between = "\n\n" if any("\n" in row.text.strip() for row in rows) else "\n"
    return between.join(row.text.strip() for row in rows)
