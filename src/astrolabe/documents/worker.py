"""The parsing process: reads one job a line, writes one extract a line and an empty line at a job's end."""

import faulthandler
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from astrolabe.documents.extract import Extract
from astrolabe.documents.job import DONE, READY, Job, read_job
from astrolabe.documents.parse import parse_file

_GRACE_SECONDS: Final = 5.0
_DEEPEST: Final = 50_000


def main() -> None:
    """Serve jobs until the other side closes."""
    # What a library prints must not mix with the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def answer(line: bytes) -> None:
        answers.write(line)
        answers.flush()

    # Pages whose elements are never closed nest by the thousand; the walk over them recurses.
    sys.setrecursionlimit(_DEEPEST)
    answer(READY)
    for line in sys.stdin.buffer:
        _serve(read_job(line), answer)


def _serve(job: Job, answer: Callable[[bytes], None]) -> None:
    # The other side kills this process at the limit. Should that side be gone, nobody would: a parser
    # that never returns would run for ever. This timer ends the process even inside native code.
    # It does not run while the other side is busy and takes no answer.
    faulthandler.dump_traceback_later(job.seconds + _GRACE_SECONDS, exit=True)
    for extract in _extracts(job):
        faulthandler.cancel_dump_traceback_later()
        answer(READY if extract is None else extract.line())
        faulthandler.dump_traceback_later(job.seconds + _GRACE_SECONDS, exit=True)
    faulthandler.cancel_dump_traceback_later()
    answer(DONE)


def _extracts(job: Job) -> Iterator[Extract | None]:
    if job.after is None:
        return parse_file(Path(job.path), job.fields)
    from astrolabe.documents.dump import read_dump

    return read_dump(Path(job.path), after=job.after, only=job.only)


if __name__ == "__main__":
    main()
