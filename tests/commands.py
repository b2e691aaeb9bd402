"""The command `astrolabe` as a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]
_MAIN = "import astrolabe.cli; astrolabe.cli.main()"


def started(
    *words: str | Path, cwd: Path | None = None, within: Sequence[str] = (), **environment: str
) -> "subprocess.Popen[str]":
    """Start `astrolabe` with some words, as the last words of another command where one is given."""
    return subprocess.Popen(
        [*within, sys.executable, "-c", _MAIN, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env={**os.environ, **environment},
    )


def ended(process: "subprocess.Popen[str]", *, seconds: float = 120.0) -> Ended:
    """Wait for a process to end."""
    out, err = process.communicate(timeout=seconds)
    return Ended(process.returncode, out, err)
