"""Parsing in processes of their own, which are killed at the time limit and replaced."""

import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Final, cast

from astrolabe.core.errors import UserError
from astrolabe.documents.dump import PagesDue, failed_page, page_number, title_of
from astrolabe.documents.extract import Extract, read_extract
from astrolabe.documents.fields import RecordFields
from astrolabe.documents.job import DONE, READY, Job
from astrolabe.documents.parse import failed

_START_SECONDS: Final = 60.0
_END_SECONDS: Final = 2.0
_AHEAD: Final = 64
"""Lines that wait to be taken; a process that is further ahead waits, so that memory is bounded."""


@dataclass(slots=True)
class Parsers:
    """Parsing processes, started as they are needed; `parse` may be called from several threads at once.

    Not `concurrent.futures`: its pool cannot kill one process that never returns, and its processes run
    the caller's main module again. See also `worker`.
    """

    seconds_per_file: float
    module: str = "astrolabe.documents.worker"
    _idle: deque["_Process"] = field(default_factory=deque["_Process"])
    _all: list["_Process"] = field(default_factory=list["_Process"])
    _closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def parse(self, path: Path, fields: RecordFields) -> list[Extract]:
        """Return what a file holds. Whatever goes wrong becomes an extract with a reason.

        Raises:
            UserError: A parsing process cannot be started at all.
        """
        process = self._take()
        extracts, fault = process.parse(Job(path=str(path), fields=fields, seconds=self.seconds_per_file))
        if fault is None:
            with self._lock:
                self._idle.append(process)
            return extracts
        process.close()
        return [*extracts, failed(fault if not extracts else f"after {len(extracts)} record(s): {fault}")]

    def pages(self, path: Path, fields: RecordFields, due: PagesDue) -> Iterator[Extract]:
        """Yield one extract for each page of a dump that is due, as they are read.

        A page at which the process crashes or never returns is failed, and another process reads on behind it.

        Raises:
            UserError: A parsing process cannot be started at all.
        """
        done = due.after
        while True:
            process = self._take()
            fault = ""
            job = Job(path=str(path), fields=fields, seconds=self.seconds_per_file, after=done, only=due.only)
            for said in process.stream(job):
                if isinstance(said, str):
                    fault = said
                    break
                done = page_number(said)
                yield said
            if not fault:
                with self._lock:
                    self._idle.append(process)
                return
            process.close()
            done = due.following(done)
            title = title_of(path, done)
            if title is None:
                yield failed_page(done, f"page {done}", fault)
                return
            yield failed_page(done, title, fault)

    def close(self) -> None:
        """End all processes; those that are busy are killed."""
        with self._lock:
            self._closed = True
            for process in self._idle:
                process.retire()
            for process in self._all:
                process.close()

    def _take(self) -> "_Process":
        with self._lock:
            if self._closed:
                msg = "reading documents was stopped"
                raise UserError(msg)
            if self._idle:
                return self._idle.pop()
            process = _Process(self.module)
            self._all = [other for other in self._all if other.is_alive()] + [process]
        process.wait_until_ready()
        return process


class _Process:
    def __init__(self, module: str) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        # -P: a file of the user's, named like a library, in the current folder is not imported.
        command = [sys.executable, "-P", "-X", "utf8", "-m", module]
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said
        )
        # One thread a process: a pipe cannot be read with a time limit on every system, a queue can.
        self._lines: Queue[bytes] = Queue(_AHEAD)
        self._listener = threading.Thread(
            target=self._listen, args=(cast("IO[bytes]", self._process.stdout),), name="parsing process", daemon=True
        )
        self._listener.start()

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self) -> None:
        """Wait for its first word, and raise `UserError` where it does not come."""
        line, late = self._read_line(_START_SECONDS)
        if line != READY:
            reason = f"not ready within {_START_SECONDS:g} s" if late else self._last_words()
            self.close()
            msg = f"the parsing process does not start: {reason}; run `astrolabe doctor`"
            raise UserError(msg)

    def parse(self, job: Job) -> tuple[list[Extract], str | None]:
        """Return the extracts that came, and why no more did if the process did not finish."""
        extracts: list[Extract] = []
        for said in self.stream(job):
            if isinstance(said, str):
                return extracts, said
            extracts.append(said)
        return extracts, None

    def stream(self, job: Job) -> Iterator[Extract | str]:
        """Yield the extracts as they come, and at the end, if the process did not finish, why no more do."""
        if not self._write(job.line()):
            yield f"the parsing process ended before it began: {self._last_words()}"
            return
        while True:
            line, late = self._read_line(job.seconds)
            if late:
                yield f"not read within {job.seconds:g} s, the time limit for a file; raise it or mend the file"
                return
            if not line:
                yield f"the parser crashed: {self._last_words()}"
                return
            if line == DONE:
                return
            if line != READY:
                yield read_extract(line)

    def retire(self) -> None:
        """Let an idle process end by itself."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)

    def close(self) -> None:
        """End the process and its pipes."""
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):  # a job that was never read
            if self._process.stdin is not None:
                self._process.stdin.close()
        while self._listener.is_alive():
            with suppress(Empty):  # what nobody takes any more must not hold up the listener
                self._lines.get_nowait()
            self._listener.join(0.01)
        self._lines.put(b"")  # for who still waits
        self._said.close()

    def _write(self, line: bytes) -> bool:
        pipe = self._process.stdin
        try:
            if pipe is not None:
                pipe.write(line)
                pipe.flush()
        except OSError:
            return False
        return True

    def _read_line(self, seconds: float) -> tuple[bytes, bool]:
        try:
            return self._lines.get(timeout=seconds), False
        except Empty:
            self._process.kill()
            return b"", True

    def _listen(self, pipe: IO[bytes]) -> None:
        """Hand on what the process says, line by line, and an empty line when it has ended."""
        with pipe:
            for line in pipe:
                self._lines.put(line)
        self._lines.put(b"")

    def _last_words(self) -> str:
        code = self._process.wait()
        if self._said.closed:
            return "it was stopped"
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").strip().splitlines()
        ended = f"it ended with signal {-code}" if code < 0 else f"it ended with exit code {code}"
        return f"{ended}: {lines[0]}" if lines else ended
