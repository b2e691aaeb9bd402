"""Ranges of whole numbers that tables are split by."""

from typing import NamedTuple


class Between(NamedTuple):
    """The numbers from `low` to `high`, both among them; all from `low` on where there is no `high`."""

    low: int
    high: int | None = None

    @property
    def title(self) -> str:
        """How it is called in a table.

        Examples:
            >>> Between(11, 20).title, Between(31).title
            ('11 to 20', '31 and more')
        """
        return f"{self.low} and more" if self.high is None else f"{self.low} to {self.high}"

    def holds(self, number: int) -> bool:
        """Tell whether a number is among them."""
        return self.low <= number and (self.high is None or number <= self.high)
