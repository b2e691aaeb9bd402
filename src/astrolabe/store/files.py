"""Files that are whole or not there."""

import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pydantic import JsonValue

from astrolabe.core.errors import CannotWrite


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old or the new content, never a part.

    Raises:
        CannotWrite: The folder cannot be written to; names it and the system's reason.
    """
    payload = content.encode("utf-8") if isinstance(content, str) else content
    temporary = path.parent / f".{path.name[:40]}-{secrets.token_hex(8)}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        msg = (
            f"cannot write {str(path)!r}: {error.strerror}; nothing of it was changed. "
            "Choose a folder that can be written to and has room"
        )
        raise CannotWrite(msg) from error


def write_json(path: Path, content: Mapping[str, JsonValue]) -> None:
    """Write a JSON object whole, indented, without NaN."""
    write_whole(path, json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
