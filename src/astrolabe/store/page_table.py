"""The pages of some dumps, on disk: which of them are wanted, and what redirects to those."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple, Self

_TABLES: Final = """
CREATE TABLE pages (dump INTEGER, number INTEGER, title TEXT, name TEXT, sends TEXT, draw INTEGER);
CREATE TABLE wanted (place INTEGER, name TEXT);
CREATE TABLE kept (title TEXT PRIMARY KEY, is_named INTEGER) WITHOUT ROWID;
CREATE TABLE back (name TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_REACHED: Final = """
WITH RECURSIVE reached (place, name) AS (
    SELECT place, name FROM wanted
    UNION SELECT place, sends FROM reached JOIN pages USING (name) WHERE sends IS NOT NULL
) SELECT DISTINCT place, title FROM reached JOIN pages USING (name) WHERE sends IS NULL
"""
_DRAWN: Final = """
INSERT INTO kept SELECT title, 0 FROM (
    SELECT DISTINCT draw, title FROM pages
    WHERE sends IS NULL AND title NOT IN (SELECT title FROM kept) ORDER BY draw, title LIMIT ?
)
"""
_BACK: Final = """
INSERT INTO back WITH RECURSIVE chain (name) AS (
    SELECT name FROM kept JOIN pages USING (title) WHERE sends IS NULL
    UNION SELECT pages.name FROM chain JOIN pages ON pages.sends = chain.name
) SELECT name FROM chain
"""
_NUMBERS: Final = """
SELECT number, sends IS NULL, coalesce(is_named, 0) FROM pages LEFT JOIN kept USING (title)
WHERE dump = ? AND CASE WHEN sends IS NULL THEN is_named IS NOT NULL ELSE sends IN (SELECT name FROM back) END
ORDER BY number
"""


class Listed(NamedTuple):
    """A page: its dump's place, its number there, its title and name, the name it redirects to, and its lot."""

    dump: int
    number: int
    title: str
    name: str
    sends: str | None
    draw: int


class Kept(NamedTuple):
    """Numbers of a dump's pages, in order: all that are kept, redirects to them too; those kept for their names.

    `pages` is how many of the numbers are no redirects.
    """

    numbers: tuple[int, ...] = ()
    named: frozenset[int] = frozenset()
    pages: int = 0


class PageTable:
    """Pages of dumps in a temporary file of SQLite's, gone when the table is closed; little of it is in memory."""

    def __init__(self) -> None:
        self._table = sqlite3.connect("", isolation_level=None)
        self._table.execute("PRAGMA journal_mode = OFF")
        self._table.executescript(_TABLES)
        self._table.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._table.close()

    def add(self, page: Listed) -> None:
        """Add a page."""
        self._table.execute("INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?)", page)

    def choose(self, wanted: Sequence[Collection[str]], others: int) -> frozenset[int]:
        """Keep the pages of some names, also by way of redirects, and `others` more: those of the smallest lots.

        Pages of one title count once; ties go by title. Is called once.

        Args:
            wanted: The names that each wanted page goes by.
            others: How many pages that nobody wants are kept, at most.

        Returns:
            The places in `wanted` of those that there is a page for.
        """
        names: Iterable[tuple[int, str]] = ((place, name) for place, one in enumerate(wanted) for name in one)
        self._table.executemany("INSERT INTO wanted VALUES (?, ?)", names)
        for column in ("name", "sends", "title"):
            self._table.execute(f"CREATE INDEX by_{column} ON pages ({column})")
        found: list[tuple[int, str]] = self._table.execute(_REACHED).fetchall()
        self._table.executemany("INSERT OR IGNORE INTO kept VALUES (?, 1)", ((title,) for _, title in found))
        self._table.execute(_DRAWN, (others,))
        self._table.execute(_BACK)
        return frozenset(place for place, _ in found)

    def kept(self, dump: int) -> Kept:
        """Return the numbers of a dump's pages that were chosen."""
        rows: list[tuple[int, bool, bool]] = self._table.execute(_NUMBERS, (dump,)).fetchall()
        return Kept(
            numbers=tuple(number for number, _, _ in rows),
            named=frozenset(number for number, is_page, is_named in rows if is_page and is_named),
            pages=sum(is_page for _, is_page, _ in rows),
        )
