"""The record of calls and vectors: one SQLite file that several processes may use at once."""

import json
import sqlite3
import threading
import time
import zlib
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self, cast

from pydantic import JsonValue, ValidationError

from astrolabe.core.errors import CannotWrite, FailureStatus, UserError
from astrolabe.core.records import Usage
from astrolabe.store.call_file import damaged, is_damage, named, open_call_file
from astrolabe.store.claims import Claims

GATHER_SECONDS: Final = 0.001
"""How long the writing thread lets puts gather: one commit and one wake-up for all replies of a burst."""
_KEYS_AT_ONCE: Final = 500
_FIX: Final = "Make room, or the file writable, then run the same command again"
_PUT_CALL: Final = "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?, ?)"
_PUT_FAILURE: Final = "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?)"
_PUT_VECTOR: Final = "INSERT OR REPLACE INTO vectors VALUES (?, ?)"
_GET_CALL: Final = "SELECT body FROM calls WHERE key = ?"
_GET_FAILURE: Final = "SELECT body FROM failures WHERE key = ? AND at >= ? ORDER BY at DESC, rowid DESC LIMIT 1"
_PUT_TOOK: Final = "INSERT OR REPLACE INTO took VALUES (?, ?)"
_KNOWS: Final = "SELECT 1 FROM calls WHERE model = ? LIMIT 1"
_GET_TOOK: Final = "SELECT body FROM took WHERE key = ?"

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

    def with_bodies(self) -> Sequence[Row]:
        """Return the rows as they are written. Packing takes time, so the writing thread does it."""
        if self.content is None:
            return self.rows
        body = packed(self.content)
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
        self._reader = open_call_file(path)
        self._writer = self._reader if path is None else open_call_file(path)
        self.claims: Final = Claims(path and path.with_name(f"{path.name}-claims"))

    def get(self, key: bytes) -> StoredReply | None:
        """Return the accepted reply to a call, or null."""
        content = self._content(_GET_CALL, key)
        if content is None:
            return None
        with suppress(KeyError, ValidationError):
            return StoredReply(text=str(content["text"]), usage=Usage.model_validate(content["usage"]))
        return None

    def get_failure(self, key: bytes, *, since: float = 0.0) -> StoredFailure | None:
        """Return what a call failed with the last time, at or after a time in seconds of the epoch; or null."""
        content = self._content(_GET_FAILURE, key, since)
        if content is None:
            return None
        with suppress(KeyError):
            status = cast("FailureStatus", content["status"])
            return StoredFailure(status=status, reason=str(content["reason"]), text=str(content["text"]))
        return None

    def knows(self, model: str) -> bool:
        """Tell whether any accepted reply of a model is there; where there is none, every row is looked at."""
        with self._reading_it(), closing(self._reader.execute(_KNOWS, (model,))) as rows:
            return rows.fetchone() is not None

    def get_took(self, key: bytes) -> dict[str, JsonValue] | None:
        """Return what a job took when it was done, or null."""
        return self._content(_GET_TOOK, key)

    def put_took(self, key: bytes, content: Mapping[str, JsonValue]) -> "Future[None]":
        """Keep what a job took (costs, times), for `replay`; replaces what it took before."""
        return self._put(_PUT_TOOK, [(key,)], content)

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
            with self._reading_it(), closing(self._reader.execute(statement, tuple(some))) as rows:
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
        with self._reading:  # a thread that still reads would read freed memory
            self._writer.close()
            self._reader.close()
        self.claims.close()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _content(self, statement: str, *values: bytes | float) -> dict[str, JsonValue] | None:
        """Return the body of the row that a statement finds; null where there is none, or none that can be read."""
        with self._reading_it(), closing(self._reader.execute(statement, values)) as rows:
            row: tuple[bytes] | None = rows.fetchone()
        if row is not None:
            with suppress(ValueError):
                return unpacked(row[0])
        return None

    def _put(self, statement: str, rows: Sequence[Row], content: Mapping[str, JsonValue] | None) -> "Future[None]":
        with self._putting:
            if self._closing:
                raise UserError(f"{named(self._path)} is closed; open it again to write to it")
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
                written.set_exception(self._cannot_write(error))
            else:
                written.set_result(None)

    def _commit(self, jobs: Sequence[_Job]) -> None:
        ready = [(job.statement, job.with_bodies()) for job in jobs]
        # Without a file both connections are one, which must not be read in the middle of a transaction.
        with self._reading if self._path is None else nullcontext():
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                for statement, rows in ready:
                    self._writer.executemany(statement, rows)
                self._writer.execute("COMMIT")
            except sqlite3.Error:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    def _cannot_write(self, error: sqlite3.Error) -> UserError:
        if is_damage(error):
            return damaged(self._path, error)
        return CannotWrite(f"cannot write {named(self._path)}: {error}; what it held before is still there. {_FIX}")

    @contextmanager
    def _reading_it(self) -> Generator[None]:
        with self._reading:
            try:
                yield
            except sqlite3.Error as error:
                if is_damage(error):
                    raise damaged(self._path, error) from error
                raise UserError(f"cannot read {named(self._path)}: {error}") from error


def _uncancellable() -> "Future[None]":
    future: Future[None] = Future()
    future.set_running_or_notify_cancel()
    return future


def packed(content: Mapping[str, JsonValue]) -> bytes:
    """Return a JSON object as it is kept in the record."""
    return zlib.compress(json.dumps(content).encode("ascii"), level=1)


def unpacked(body: bytes) -> dict[str, JsonValue]:
    """Return the JSON object that `packed` packed.

    Raises:
        ValueError: It did not.
    """
    try:
        return dict(json.loads(zlib.decompress(body)))
    except (zlib.error, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error
