"""Names by name, on disk: for tables that grow with a corpus and must not take memory."""

import sqlite3
from typing import Self


class DiskMap:
    """Texts, each with the texts that were added to it, in the order in which they came.

    SQLite keeps it in a temporary file of its own, which is gone when it is closed, and some megabytes of it in memory.
    """

    def __init__(self) -> None:
        self._table = sqlite3.connect("", isolation_level=None)
        self._table.execute("PRAGMA journal_mode = OFF")
        self._table.execute("CREATE TABLE pairs (name TEXT NOT NULL, value TEXT NOT NULL)")
        self._table.execute("CREATE INDEX by_name ON pairs (name)")
        self._table.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._table.close()

    def add(self, name: str, value: str) -> None:
        """Add a value to a name."""
        self._table.execute("INSERT INTO pairs VALUES (?, ?)", (name, value))

    def get(self, name: str) -> list[str]:
        """Return the values of a name; none where it has none."""
        rows = self._table.execute("SELECT value FROM pairs WHERE name = ? ORDER BY rowid", (name,))
        return [str(value) for (value,) in rows]
