"""Telling a door how far a long step is."""

from typing import Final, Protocol


class Progress(Protocol):
    """Hears what happens; a door draws it."""

    def begin(self, what: str, total: int) -> None:
        """A step of `total` items starts."""
        ...

    def step(self, note: str = "") -> None:
        """One item is done."""
        ...

    def note(self, text: str) -> None:
        """Something worth a line of its own happened on the way."""
        ...

    def end(self) -> None:
        """The step is over."""
        ...


class Silent:
    """Draws nothing."""

    def begin(self, what: str, total: int) -> None:
        """Say nothing."""

    def step(self, note: str = "") -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


SILENT: Final[Progress] = Silent()
