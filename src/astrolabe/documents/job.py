"""A job for the parsing process: the message from our process to it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from astrolabe.documents.fields import RecordFields

READY: Final = b"ready\n"
"""What the parsing process says first."""
DONE: Final = b"\n"
"""What it says behind the last extract of a job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A file to parse, and after how many seconds without a result the process is stopped.

    A dump's job says after how many of its pages to begin, and where not all are wanted, which ones alone, by number
    and in order; other files' jobs say nothing.
    """

    path: str
    fields: RecordFields
    seconds: float
    after: int | None = None
    only: Sequence[int] | None = None

    def line(self) -> bytes:
        """Return the job as a line of ASCII."""
        return json.dumps(asdict(self)).encode("ascii") + b"\n"


def read_job(line: bytes) -> Job:
    """Return the job that `Job.line` wrote."""
    read = json.loads(line)
    fields = RecordFields(**read.pop("fields"))
    return Job(fields=fields, **read)
