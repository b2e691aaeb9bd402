"""A table that every format is written from, and the terminal's too."""

from dataclasses import dataclass, replace
from typing import Final

from astrolabe.core.records import Estimate

DASH: Final = "\N{EN DASH}"
LONGEST_CELL: Final = 300
GAP: Final = 0.02
"""From this share of missing scores on, a cell is named on top of everything."""
EQUAL: Final = (
    "[low, high]= : all scores there are equal, and drawing questions again says nothing of others. The interval is "
    "as wide as so few equal scores allow for (Clopper and Pearson); without limits of the score there is none."
)
"""Said below a table in which all scores of a cell are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What stands in one place: a text (with a mark such as *recorded*), a number, or an estimate.

    `letters` are those of the groups that an estimate's method is in.

    `scale` is what an estimate or number is multiplied by to be shown: 100 for percent. CSV has the
    numbers as they are.
    """

    text: str = ""
    mark: str = ""
    number: float | None = None
    estimate: Estimate | None = None
    letters: str = ""
    scale: float = 1.0
    digits: int = 1
    header: bool = False

    @property
    def shown(self) -> str:
        """The cell as plain text on one line."""
        if self.estimate is not None:
            return " ".join(filter(None, [self.value, f"{self.span},", self.counts, self.bounds, self.letters]))
        if self.number is not None:
            return f"{self.number * self.scale:,.{self.digits}f}"
        return f"{self.name} *{self.mark}*" if self.mark else self.name

    @property
    def name(self) -> str:
        """The text without its mark, on one line; more than 300 characters are shortened, which is said."""
        return shortened(" ".join(self.text.split()), LONGEST_CELL)

    @property
    def value(self) -> str:
        """An estimate's mean, or a dash where nothing could be scored."""
        return self._written(self.estimate.value if self.estimate else None)

    @property
    def span(self) -> str:
        """An estimate's interval in brackets, marked where all scores are equal."""
        mark = "=" if self.equal else ""
        if self.estimate is None or self.estimate.low is None or self.estimate.high is None:
            return f"[{DASH}]{mark}"
        return f"[{self._written(self.estimate.low)}, {self._written(self.estimate.high)}]{mark}"

    @property
    def equal(self) -> bool:
        """Whether all scores are equal, and the interval claims more than that they are."""
        found = self.estimate
        return found is not None and found.equal and (found.low is None or found.low != found.high)

    @property
    def counts(self) -> str:
        """How many were scored of how many that were asked."""
        return f"{self.estimate.n_scored}/{self.estimate.n_asked}" if self.estimate else ""

    @property
    def open(self) -> bool:
        """Whether some that were asked are not scored."""
        return self.estimate is not None and self.estimate.n_scored < self.estimate.n_asked

    @property
    def missing(self) -> float:
        """The share of those that were asked that is not scored."""
        return 1 - self.estimate.n_scored / self.estimate.n_asked if self.estimate and self.open else 0.0

    @property
    def gap(self) -> bool:
        """Whether so many are not scored that it is said on top of everything."""
        return self.missing >= GAP

    @property
    def bounds(self) -> str:
        """In brackets, between what the mean over all that were asked lies; empty where all are scored."""
        found = self.estimate
        if found is None or not self.open:
            return ""
        ends = sorted(end for end in (found.worst, found.best) if end is not None)
        if len(ends) == 1 and found.value is not None:
            return f"({self._written(ends[0])} or {'more' if ends[0] <= found.value else 'less'})"
        return f"({self._written(ends[0])} to {self._written(ends[1])})" if len(ends) > 1 else ""

    def _written(self, value: float | None) -> str:
        return DASH if value is None else f"{value * self.scale:,.{self.digits}f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's title, and that of the columns that it stands together with (a scope, a kind)."""

    title: str
    group: str = ""

    @property
    def full(self) -> str:
        """Both titles in one."""
        return f"{self.group} {self.title}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A named table: `name` is its file name, `notes` are said below it.

    What is `folded` stands in the page under a heading to be opened: it explains the others.
    """

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    folded: bool = False

    @property
    def header(self) -> tuple[str, ...]:
        """The columns' full titles."""
        return tuple(column.full for column in self.columns)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold plain numbers."""
        return tuple(any(row[index].number is not None for row in self.rows) for index in range(len(self.columns)))

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The cells as plain text on one line each, as a terminal prints them."""
        return tuple(tuple(cell.shown for cell in row) for row in self.rows)


def explained(table: Table) -> Table:
    """Return the table with what its cells' marks mean below it."""
    if EQUAL in table.notes or not any(cell.equal for row in table.rows for cell in row):
        return table
    return replace(table, notes=(*table.notes, EQUAL))


def shortened(text: str, longest: int) -> str:
    """Return the text, cut to `longest` characters with a word on how long it is."""
    return text if len(text) <= longest else f"{text[:longest]} ... ({len(text):,} characters in all)"
