"""The calls of a study as one file that can be carried elsewhere: gzip over JSON lines.

The first line names the format and its version, each further line holds one row, and the last one counts the rows and
carries the SHA-256 of all lines before it. So a file that was cut, changed or added to is known for that.
"""

import gzip
import json
import os
import secrets
import sqlite3
import zlib
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, Annotated, Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from astrolabe.core.errors import FailureStatus, UserError
from astrolabe.core.records import Usage
from astrolabe.store.call_file import damaged, is_damage, named, open_call_file
from astrolabe.store.calls import packed, unpacked

FORMAT: Final = "astrolabe calls"
VERSION: Final = 1
_LONGEST_LINE: Final = 64 * 2**20
_HEX: Final = r"^[0-9a-f]{64}$"
_AT_ONCE: Final = 1_000

Table = Literal["calls", "failures", "vectors", "took"]
Row = tuple[bytes | str | float, ...]
_SELECT: Final[dict[Table, str]] = {
    "calls": "SELECT key, model, prompt, stage, at, body FROM calls",
    "failures": "SELECT key, model, prompt, stage, at, body FROM failures",
    "vectors": "SELECT key, vector FROM vectors",
    "took": "SELECT key, body FROM took",
}
_INSERT: Final[dict[Table, str]] = {
    "calls": "INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?, ?, ?)",
    "failures": (
        "INSERT INTO failures SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 "
        "WHERE NOT EXISTS (SELECT 1 FROM failures WHERE key = ?1 AND at = ?5 AND status = ?6)"
    ),
    "vectors": "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
    "took": "INSERT OR IGNORE INTO took VALUES (?, ?)",
}


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class _Head(_Line):
    format: Literal["astrolabe calls"]
    version: int


class _Call(_Line):
    table: Literal["calls"]
    key: Annotated[str, Field(pattern=_HEX)]
    model: str
    prompt: str
    stage: str
    at: float
    text: str
    usage: Usage

    def row(self) -> Row:
        content: dict[str, JsonValue] = {"text": self.text, "usage": self.usage.model_dump()}
        return (bytes.fromhex(self.key), self.model, self.prompt, self.stage, self.at, packed(content))


class _Failure(_Line):
    table: Literal["failures"]
    key: Annotated[str, Field(pattern=_HEX)]
    model: str
    prompt: str
    stage: str
    at: float
    status: FailureStatus
    reason: str
    text: str

    def row(self) -> Row:
        content: dict[str, JsonValue] = {"status": self.status, "reason": self.reason, "text": self.text}
        place = (bytes.fromhex(self.key), self.model, self.prompt, self.stage, self.at, self.status)
        return (*place, packed(content))


class _Vector(_Line):
    table: Literal["vectors"]
    key: Annotated[str, Field(pattern=_HEX)]
    vector: str

    def row(self) -> Row:
        vector = b64decode(self.vector, validate=True)
        if not vector or len(vector) % 4:
            raise ValueError("a vector of no whole numbers")
        return (bytes.fromhex(self.key), vector)


class _Took(_Line):
    table: Literal["took"]
    key: Annotated[str, Field(pattern=_HEX)]
    took: dict[str, JsonValue]

    def row(self) -> Row:
        return (bytes.fromhex(self.key), packed(self.took))


class _End(_Line):
    table: Literal["end"]
    rows: int
    sha256: str


_LINES: Final[TypeAdapter[_Call | _Failure | _Vector | _Took | _End]] = TypeAdapter(
    Annotated[_Call | _Failure | _Vector | _Took | _End, Field(discriminator="table")]
)


class Carried(BaseModel):
    """How many rows of each kind were written to a file, or were new to the record that read it.

    Attributes:
        replies: Accepted replies.
        failures: Calls that brought nothing usable.
        vectors: Embedded texts.
        took: Notes of what answers and scores took.
        known: Rows that the record had already; 0 for an export.
    """

    model_config = ConfigDict(frozen=True)

    replies: int = 0
    failures: int = 0
    vectors: int = 0
    took: int = 0
    known: int = 0


def export_calls(record: Path, file: Path, *, vectors: bool = True) -> Carried:
    """Write a record of calls to one file, whole or not at all; processes may use the record meanwhile.

    Args:
        record: The record of calls.
        file: The file; one that is there is replaced.
        vectors: Whether embedded texts go along; they take most of the room.

    Raises:
        UserError: There is no such record, it cannot be read, or the file cannot be written.
    """
    if not record.exists():
        raise UserError(f"there is no record of calls {str(record)!r}: nothing was asked here yet")
    tables: tuple[Table, ...] = ("calls", "failures", "vectors", "took") if vectors else ("calls", "failures", "took")
    counts: dict[str, int] = {}
    with _written_whole(file) as target, _speaking_of(record), closing(open_call_file(record)) as connection:
        digest = sha256()

        def write(content: dict[str, JsonValue]) -> None:
            line = json.dumps(content).encode("ascii") + b"\n"
            digest.update(line)
            target.write(line)

        write({"format": FORMAT, "version": VERSION})
        connection.execute("BEGIN")  # one moment of the record, whatever is written to it meanwhile
        for table in tables:
            counts[table] = 0
            for row in connection.execute(_SELECT[table]):
                with suppress(ValueError, KeyError):  # a body that cannot be read is not there for `get` either
                    write(_spread(table, row))
                    counts[table] += 1
        write({"table": "end", "rows": sum(counts.values()), "sha256": digest.hexdigest()})
    return _carried(counts)


def import_calls(record: Path, file: Path) -> Carried:
    """Add the rows of an exported file to a record of calls; what the record has already stays as it is.

    Raises:
        UserError: The file is no such file, is torn or was changed: then nothing of it is in the record. Or the
            record cannot be written.
    """
    counts: dict[str, int] = {}
    known = 0
    with _read_whole(file) as lines, _speaking_of(record), closing(open_call_file(record)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            for table, row in lines:
                added = connection.execute(_INSERT[table], row).rowcount
                counts[table] = counts.get(table, 0) + added
                known += 1 - added
        except BaseException:  # whatever ends it, nothing is half imported
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
    return _carried(counts, known)


def _carried(counts: dict[str, int], known: int = 0) -> Carried:
    return Carried(
        replies=counts.get("calls", 0),
        failures=counts.get("failures", 0),
        vectors=counts.get("vectors", 0),
        took=counts.get("took", 0),
        known=known,
    )


def _spread(table: Table, row: tuple[bytes, ...]) -> dict[str, JsonValue]:
    """Return a row as an object that JSON can hold.

    Raises:
        ValueError: Its body cannot be read.
    """
    key, *rest = row
    found: dict[str, JsonValue] = {"table": table, "key": key.hex()}
    if table == "vectors":
        found["vector"] = b64encode(rest[0]).decode("ascii")
    elif table == "took":
        found["took"] = unpacked(rest[0])
    else:
        *place, body = rest
        found.update(zip(("model", "prompt", "stage", "at"), cast("list[str]", place), strict=True))
        found.update(unpacked(body))
    return found


@contextmanager
def _read_whole(file: Path) -> Generator[Iterator[tuple[Table, Row]]]:
    """Give the rows of an exported file; the last one is followed by an error where the file is not whole."""

    def wrong(line: int, problem: str) -> UserError:
        place = f"{str(file)!r}, line {line}" if line else repr(str(file))
        return UserError(f"{place}: {problem}; nothing was imported. Export it again: astrolabe calls export FILE")

    try:
        with gzip.open(file, "rb") as source:
            yield _rows(cast("IO[bytes]", source), wrong)
    except FileNotFoundError as error:
        raise UserError(f"there is no file {str(file)!r} to import") from error
    except gzip.BadGzipFile as error:
        raise wrong(0, f"is no file of exported calls ({error})") from error
    except (EOFError, zlib.error) as error:
        raise wrong(0, f"is torn or damaged ({error})") from error
    except OSError as error:
        raise wrong(0, f"cannot be read: {error.strerror}") from error


def _rows(source: IO[bytes], wrong: Callable[[int, str], UserError]) -> Iterator[tuple[Table, Row]]:
    digest = sha256()
    line = source.readline(_LONGEST_LINE)
    try:
        head = _Head.model_validate_json(line)
    except ValidationError as error:
        raise wrong(1, "is no file of exported calls") from error
    if head.version > VERSION:
        raise wrong(1, f"is of version {head.version}, this program knows {VERSION}: a newer Astrolabe wrote it")
    number = 1
    while True:
        digest.update(line)
        line = source.readline(_LONGEST_LINE)
        number += 1
        try:
            found = _LINES.validate_json(line)
            if isinstance(found, _End):
                break
            row = found.row()
        except (ValidationError, NotBase64, ValueError) as error:
            problem = "is torn: it ends in the middle" if not line.endswith(b"\n") else _first_fault(error)
            raise wrong(number, problem) from error
        yield found.table, row
    if found.sha256 != digest.hexdigest() or found.rows != number - 2:
        raise wrong(0, "was changed after it was written: its SHA-256 is another")
    if source.read(1):
        raise wrong(number + 1, "goes on behind its end")


def _first_fault(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return f"holds no row ({error})"
    fault = error.errors(include_url=False, include_input=False)[0]
    return f"holds no row ({'.'.join(map(str, fault['loc'])) or 'line'}: {fault['msg']})"


@contextmanager
def _written_whole(file: Path) -> Generator[IO[bytes]]:
    """Give a compressing file that takes its name only once all of it is there."""
    file = _place(file)
    draft = file.parent / f".{file.name[:40]}-{secrets.token_hex(8)}"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # Without a time in its head, so that the same calls make the same file.
        with draft.open("xb") as raw, gzip.GzipFile("", "wb", 6, raw, 0) as target:
            yield cast("IO[bytes]", target)
        with draft.open("rb") as raw:
            os.fsync(raw.fileno())
        draft.replace(file)
    except OSError as error:
        raise UserError(f"cannot write {str(file)!r}: {error.strerror}; choose another place, or make room") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _place(file: Path) -> Path:
    """Return where a file is put: what is renamed over a device would take its place for everybody; a link stays."""
    try:
        if file.exists() and not file.is_file():
            raise UserError(f"cannot write {str(file)!r}: it is a folder or a device, not a file; choose another place")
        return file.resolve()
    except (OSError, RuntimeError) as error:
        raise UserError(f"cannot write {str(file)!r}: {error}; choose another place") from error


@contextmanager
def _speaking_of(record: Path) -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if is_damage(error):
            raise damaged(record, error) from error
        raise UserError(f"{named(record)}: {error}; what it held before is still there") from error
