"""Files that are whole or not there."""

import json
import os
import secrets
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from pydantic import JsonValue

from astrolabe.core.errors import CannotWrite


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old or the new content, never a part.

    Raises:
        CannotWrite: The folder cannot be written to; names it and the system's reason.
    """
    with _replacing(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def _replacing(path: Path) -> Generator[IO[bytes]]:
    """Open a file beside `path` that takes its place where nothing goes wrong, and is removed else."""
    temporary = path.parent / f".{path.name[:40]}-{secrets.token_hex(8)}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        msg = (
            f"cannot write {str(path)!r}: {error.strerror}; nothing of it was changed. "
            "Choose a folder that can be written to and has room"
        )
        raise CannotWrite(msg) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_lines(path: Path, lines: Iterable[str]) -> int:
    """Write a file of lines as they come, whole or not at all, and return how many; one of them is held at a time.

    Raises:
        CannotWrite: As for `write_whole`.
    """
    with _replacing(path) as file:
        written = 0
        for line in lines:
            file.write(f"{line}\n".encode())
            written += 1
    return written


def write_json(path: Path, content: Mapping[str, JsonValue]) -> None:
    """Write a JSON object whole, indented, without NaN."""
    write_whole(path, json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
