"""The record of calls and vectors: one SQLite file that several processes may use at once."""

import json
import sqlite3
import threading
import time
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self, cast

from pydantic import JsonValue

from astrolabe.core.errors import FailureStatus, UserError
from astrolabe.core.records import Usage

VERSION: Final = 1
BUSY_SECONDS: Final = 60.0
GATHER_SECONDS: Final = 0.001
"""How long the writing thread lets puts gather: one commit and one wake-up for all replies of a burst."""
_KEYS_AT_ONCE: Final = 500
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS calls (key BLOB PRIMARY KEY, model TEXT, prompt TEXT, stage TEXT, at REAL, body BLOB);
CREATE TABLE IF NOT EXISTS failures (key BLOB, model TEXT, prompt TEXT, stage TEXT, at REAL, status TEXT, body BLOB);
CREATE INDEX IF NOT EXISTS failures_by_key ON failures (key);
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB);
"""
_PUT_CALL: Final = "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?, ?)"
_PUT_FAILURE: Final = "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?)"
_PUT_VECTOR: Final = "INSERT OR REPLACE INTO vectors VALUES (?, ?)"
_GET_CALL: Final = "SELECT body FROM calls WHERE key = ?"
_GET_FAILURE: Final = "SELECT body FROM failures WHERE key = ? ORDER BY at DESC, rowid DESC LIMIT 1"

Row = tuple[bytes | str | float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asked: for people who look into the record; no part of the key."""

    model: str
    prompt: str
    stage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReply:
    """A reply that its parser accepted, as it came, and what it cost when it was asked for."""

    text: str
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFailure:
    """What became of a call that brought nothing usable. Kept for inspection and `replay`, never reused."""

    status: FailureStatus
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class _Job:
    """Rows to write, and what is packed into their last column."""

    statement: str
    rows: Sequence[Row]
    content: Mapping[str, JsonValue] | None

    def packed(self) -> Sequence[Row]:
        """Return the rows as they are written. Packing takes time, so the writing thread does it."""
        if self.content is None:
            return self.rows
        body = zlib.compress(json.dumps(self.content).encode("ascii"), level=1)
        return [(*row, body) for row in self.rows]


class CallRecord:
    """Replies and vectors by key.

    What was put is on disk when the future that `put` returned is done, which it shares with what was put at
    about the same time; a reader sees it from then on, in this process and in others. May be used from any
    thread.

    Args:
        path: The file, made with its folder where it is missing; null keeps everything in memory.

    Raises:
        UserError: The file cannot be written, is no record of calls, or is of a newer version.
    """

    def __init__(self, path: Path | None) -> None:
        """Open the file and make its tables."""
        self._path = path
        self._reading = threading.Lock()
        self._putting = threading.Lock()
        self._there_is_work = threading.Event()
        self._jobs: list[_Job] = []
        self._written = _uncancellable()
        self._closing = False
        self._thread: threading.Thread | None = None
        self._reader = self._opened()
        self._writer = self._reader if path is None else self._opened()

    def get(self, key: bytes) -> StoredReply | None:
        """Return the accepted reply to a call, or null."""
        row = self._row(_GET_CALL, key)
        if row is None:
            return None
        content = _unpacked(row[0])
        return StoredReply(text=str(content["text"]), usage=Usage.model_validate(content["usage"]))

    def get_failure(self, key: bytes) -> StoredFailure | None:
        """Return what a call failed with the last time, or null."""
        row = self._row(_GET_FAILURE, key)
        if row is None:
            return None
        content = _unpacked(row[0])
        return StoredFailure(
            status=cast("FailureStatus", content["status"]), reason=str(content["reason"]), text=str(content["text"])
        )

    def put(self, key: bytes, reply: StoredReply, caller: Caller) -> "Future[None]":
        """Keep an accepted reply; replaces an earlier one."""
        content = {"text": reply.text, "usage": reply.usage.model_dump()}
        return self._put(_PUT_CALL, [(key, caller.model, caller.prompt, caller.stage, time.time())], content)

    def put_failure(self, key: bytes, failure: StoredFailure, caller: Caller) -> "Future[None]":
        """Keep what a call failed with, beside what it failed with before."""
        content: dict[str, JsonValue] = {"status": failure.status, "reason": failure.reason, "text": failure.text}
        row = (key, caller.model, caller.prompt, caller.stage, time.time(), failure.status)
        return self._put(_PUT_FAILURE, [row], content)

    def get_vectors(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the vectors that are there, by key."""
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            some = keys[start : start + _KEYS_AT_ONCE]
            marks = ",".join("?" * len(some))
            statement = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"  # noqa: S608  question marks only
            with self._reading, closing(self._reader.execute(statement, tuple(some))) as rows:
                found.update(rows)
        return found

    def put_vectors(self, vectors: Mapping[bytes, bytes]) -> "Future[None]":
        """Keep vectors by key, all or none of them."""
        return self._put(_PUT_VECTOR, list(vectors.items()), None)

    def close(self) -> None:
        """Write what waits, then close the file. Closing twice is closing once."""
        self._closing = True
        self._there_is_work.set()
        if self._thread is not None:
            self._thread.join()
        self._writer.close()
        self._reader.close()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _row(self, statement: str, key: bytes) -> tuple[bytes] | None:
        with self._reading, closing(self._reader.execute(statement, (key,))) as rows:
            row: tuple[bytes] | None = rows.fetchone()
        return row

    def _put(self, statement: str, rows: Sequence[Row], content: Mapping[str, JsonValue] | None) -> "Future[None]":
        with self._putting:
            if self._closing:
                raise UserError(f"{self._name} is closed; open it again to write to it")
            if self._thread is None:
                self._thread = threading.Thread(target=self._write, name="record of calls", daemon=True)
                self._thread.start()
            self._jobs.append(_Job(statement, rows, content))
            written = self._written
        if not self._there_is_work.is_set():
            self._there_is_work.set()
        return written

    def _write(self) -> None:
        """Write what gathered until told to stop: the one thread that writes for this process."""
        while not (self._closing and not self._jobs):
            self._there_is_work.wait()
            if not self._closing:
                time.sleep(GATHER_SECONDS)
                self._there_is_work.clear()
            with self._putting:
                jobs, written = self._jobs, self._written
                self._jobs, self._written = [], _uncancellable()
            try:
                self._commit(jobs)
            except sqlite3.Error as error:
                message = f"cannot write {self._name}: {error}; what it held before is still there"
                written.set_exception(UserError(message))
            else:
                written.set_result(None)

    def _commit(self, jobs: Sequence[_Job]) -> None:
        packed = [(job.statement, job.packed()) for job in jobs]
        # Without a file both connections are one, which must not be read in the middle of a transaction.
        with self._reading if self._path is None else nullcontext():
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                for statement, rows in packed:
                    self._writer.executemany(statement, rows)
                self._writer.execute("COMMIT")
            except sqlite3.Error:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    @property
    def _name(self) -> str:
        return repr(str(self._path)) if self._path else "the record of calls in memory"

    def _opened(self) -> sqlite3.Connection:
        try:
            if self._path is not None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self._path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            _set_up(connection)
        except (sqlite3.Error, OSError) as error:
            raise UserError(f"cannot open {self._name} as a record of calls: {error}; choose another folder") from error
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            connection.close()
            raise UserError(
                f"{self._name} is of version {version}, this program knows {VERSION}: it was written by a newer "
                "Astrolabe; install that one, or choose another folder"
            )
        return connection


def _set_up(connection: sqlite3.Connection) -> None:
    _switch_to_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version:
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


def _uncancellable() -> "Future[None]":
    future: Future[None] = Future()
    future.set_running_or_notify_cancel()
    return future


def _unpacked(body: bytes) -> dict[str, JsonValue]:
    content: dict[str, JsonValue] = json.loads(zlib.decompress(body))
    return content
