"""The parsing process: reads one job a line, writes one extract a line and an empty line at a job's end."""

import faulthandler
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from astrolabe.documents.fields import RecordFields
from astrolabe.documents.parse import parse_file

READY: Final = b"ready\n"
_GRACE_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A file to parse, and after how many seconds without a result the process is stopped."""

    path: str
    fields: RecordFields
    seconds: float

    def line(self) -> bytes:
        """Return the job as a line of JSON."""
        return json.dumps(asdict(self)).encode("ascii") + b"\n"


def read_job(line: bytes) -> Job:
    """Return the job of a line."""
    read: dict[str, object] = json.loads(line)
    fields = RecordFields(**read["fields"])  # pyright: ignore[reportCallIssue] - `line` above wrote it
    return Job(path=str(read["path"]), fields=fields, seconds=float(str(read["seconds"])))


def main() -> None:
    """Serve jobs until the other side closes."""
    # What a library prints must not mix with the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def answer(line: bytes) -> None:
        answers.write(line)
        answers.flush()

    answer(READY)
    for line in sys.stdin.buffer:
        _serve(read_job(line), answer)


def _serve(job: Job, answer: Callable[[bytes], None]) -> None:
    # The other side kills this process at the limit. Should that side be gone, nobody would: a parser
    # that never returns would run for ever. This timer ends the process even inside native code.
    faulthandler.dump_traceback_later(job.seconds + _GRACE_SECONDS, exit=True)
    for extract in parse_file(Path(job.path), job.fields):
        answer(extract.model_dump_json().encode("utf-8") + b"\n")
        faulthandler.dump_traceback_later(job.seconds + _GRACE_SECONDS, exit=True)
    faulthandler.cancel_dump_traceback_later()
    answer(b"\n")


if __name__ == "__main__":
    main()
