"""The file of recorded calls: its tables, how it is opened, and what is said where that fails."""

import sqlite3
import time
from pathlib import Path
from typing import Final

from astrolabe.core.errors import UserError

VERSION: Final = 2
"""Version 1 had no table `took`; a file of it is brought up to date when it is opened."""
BUSY_SECONDS: Final = 60.0
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS calls (key BLOB PRIMARY KEY, model TEXT, prompt TEXT, stage TEXT, at REAL, body BLOB);
CREATE TABLE IF NOT EXISTS failures (key BLOB, model TEXT, prompt TEXT, stage TEXT, at REAL, status TEXT, body BLOB);
CREATE INDEX IF NOT EXISTS failures_by_key ON failures (key);
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB);
CREATE TABLE IF NOT EXISTS took (key BLOB PRIMARY KEY, body BLOB);
"""
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def open_call_file(path: Path | None) -> sqlite3.Connection:
    """Return a connection to a file of recorded calls, made with its folder where it is missing.

    Args:
        path: The file; null keeps everything in memory.

    Raises:
        UserError: The file cannot be opened or written, is damaged or no such file, or is of a newer version.
    """
    connection: sqlite3.Connection | None = None
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        _set_up(connection, path)
    except (sqlite3.Error, OSError) as error:
        if connection is not None:
            connection.close()
        raise _cannot_open(path, error) from error
    except UserError:
        if connection is not None:
            connection.close()
        raise
    return connection


def named(path: Path | None) -> str:
    """Return what messages call the file."""
    return repr(str(path)) if path else "the record of calls in memory"


def is_damage(error: Exception) -> bool:
    """Tell whether an error says that the file is damaged, or something else altogether."""
    return isinstance(error, sqlite3.Error) and (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _DAMAGED


def damaged(path: Path | None, error: Exception) -> UserError:
    """Return the error to raise where a file turns out to be damaged."""
    return UserError(
        f"{named(path)} is damaged or no record of calls ({error}): move it away, with the files beside it that end "
        "in -wal and -shm. The same command then makes a new one, and asks again for what only the old one held"
    )


def _cannot_open(path: Path | None, error: Exception) -> UserError:
    if is_damage(error):
        return damaged(path, error)
    return UserError(
        f"cannot open {named(path)} as a record of calls: {error}; make its folder one that can be written to, "
        "or choose another folder"
    )


def _set_up(connection: sqlite3.Connection, path: Path | None) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise UserError(
            f"{named(path)} is of version {version}, this program knows {VERSION}: it was written by a newer "
            "Astrolabe; install that one, or choose another folder"
        )
    _switch_to_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    if version == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    for statement in filter(str.strip, _TABLES.split(";")):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite does not wait for other processes here, so we do."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return
