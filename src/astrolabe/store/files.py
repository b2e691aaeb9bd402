"""Files that are whole or not there."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from astrolabe.core.errors import UserError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old or the new content, never a part.

    Raises:
        UserError: The folder cannot be written to; names it and the system's reason.
    """
    payload = content.encode("utf-8") if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}-")
    except OSError as error:
        msg = f"cannot write {str(path)!r}: {error.strerror}; choose a folder that can be written to"
        raise UserError(msg) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        msg = f"cannot write {str(path)!r}: {error.strerror}; nothing of it was changed"
        raise UserError(msg) from error


def write_json(path: Path, content: Mapping[str, JsonValue]) -> None:
    """Write a JSON object whole, indented, without NaN."""
    write_whole(path, json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
