"""A job for the parsing process: the message from our process to it."""

import json
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

    A dump's job says after how many of its pages to begin; other files' jobs say nothing.
    """

    path: str
    fields: RecordFields
    seconds: float
    after: int | None = None

    def line(self) -> bytes:
        """Return the job as a line of ASCII."""
        return json.dumps(asdict(self)).encode("ascii") + b"\n"


def read_job(line: bytes) -> Job:
    """Return the job that `Job.line` wrote."""
    read = json.loads(line)
    return Job(path=read["path"], fields=RecordFields(**read["fields"]), seconds=read["seconds"], after=read["after"])
