"""Records as JSON lines: read with every fault named by its line, appended, or written whole."""

import io
import json
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from astrolabe.core.errors import CannotWrite, FileError, Problem
from astrolabe.store.files import write_lines

_CONSTANT: Final = re.compile(r"\b(?:NaN|-?Infinity)\b")
_BLOCK: Final = 65_536
M = TypeVar("M", bound=BaseModel)


class Line(NamedTuple):
    """A line of a file and its number, counted from 1."""

    number: int
    text: str


class Appended(NamedTuple):
    """Where appended records stand: the file's number on its disk, and their half-open range of bytes."""

    inode: int
    start: int
    end: int


class Checked(NamedTuple, Generic[M]):
    """What a file holds: its records with their line numbers, and every fault."""

    records: list[tuple[int, M]]
    problems: list[Problem]


def text_lines(path: Path) -> Iterator[Line]:
    """Yield a text file's lines that are not blank.

    Lines end at LF or CRLF only: U+2028 and U+0085 are text. A byte-order mark is skipped.

    Raises:
        FileError: The file is missing, cannot be read, or is not UTF-8 (names the byte).
    """
    for number, line in enumerate(whole_text(path).split("\n"), start=1):
        stripped = line.removesuffix("\r")
        if stripped.strip():
            yield Line(number, stripped)


def whole_text(path: Path) -> str:
    """Return a text file's content without its byte-order mark, line ends as they are.

    Raises:
        FileError: As for `text_lines`.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        fault = Problem(
            line=0,
            field="file",
            value="",
            problem=f"cannot be read: {error.strerror}",
            fix="Check the path",
        )
        raise FileError(str(path), [fault]) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, error, line=content.count(b"\n", 0, error.start) + 1, before=0) from error


def _whole_lines(path: Path, lines: Iterable[bytes]) -> Iterator[Line]:
    """Yield the lines of a file that are whole and not blank, as `text_lines` does, but one at a time.

    Raises:
        FileError: A line is not UTF-8 (names the byte).
    """
    before = 0
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            return  # another process may be at it: what it adds meanwhile is the rest of this line
        if line.strip():
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise _not_utf8(path, error, line=number, before=before) from error
            yield Line(number, text.removesuffix("\n").removesuffix("\r"))
        before += len(line)


def _not_utf8(path: Path, error: UnicodeDecodeError, *, line: int, before: int) -> FileError:
    """Return what is wrong with a line; so many bytes of the file stand before what was read."""
    fault = Problem(
        line=line,
        field="file",
        value=repr(error.object[error.start : error.start + 4]),
        problem=f"is not UTF-8 at byte {before + error.start}",
        fix="Save it as UTF-8",
    )
    return FileError(str(path), [fault])


def check_records(path: Path, kind: type[M]) -> Checked[M]:
    """Read a file of records and name every fault instead of stopping at the first."""
    return _check(text_lines(path), kind)


def _check(lines: Iterable[Line], kind: type[M]) -> Checked[M]:
    checked = Checked[M]([], [])
    for number, text in lines:
        check_record(text, kind, number, checked)
    return checked


def check_record(text: str, kind: type[M], line: int, checked: Checked[M]) -> None:
    """Add a line's record, or every fault of it, to what the file holds.

    NaN and Infinity are faults in free fields, too: no JSON file may hold them.
    """
    try:
        record = kind.model_validate_json(text)
    except ValidationError as error:
        checked.problems.extend(faults(error, line))
        return
    if constant := _constant(text):
        fault = Problem(
            line=line,
            field="line",
            value=constant,
            problem="JSON has no such number",
            fix="Write null, and say why it is not known",
        )
        checked.problems.append(fault)
    else:
        checked.records.append((line, record))


def read_records(path: Path, kind: type[M]) -> list[M]:
    """Return a file's records, in order.

    Raises:
        FileError: The file cannot be read, or any line is not such a record; names all of them.
    """
    return _all_or_error(path, check_records(path, kind))


def _all_or_error(path: Path, checked: Checked[M]) -> list[M]:
    if checked.problems:
        raise FileError(str(path), checked.problems)
    return [record for _, record in checked.records]


def recover_records(path: Path, kind: type[M]) -> list[M]:
    """Return the records of a file that is appended to; a last line that is torn, or still written, is passed over.

    A missing file has no records. A fault in any whole line is an error, as in `read_records`. The file is left as
    it is: only who appends to it cuts a torn line off.
    """
    if not path.exists():
        return []
    with path.open("rb") as file:
        return _all_or_error(path, _check(_whole_lines(path, file), kind))


def whole_records(path: Path, lines: bytes, kind: type[M]) -> list[M]:
    """Return the records on some whole lines of a file.

    Raises:
        FileError: As for `read_records`; lines are counted from the first one given.
    """
    return _all_or_error(path, _check(_whole_lines(path, io.BytesIO(lines)), kind))


def stream_records(path: Path, kind: type[M]) -> Iterator[M]:
    """Yield the records of a file one by one, so that memory does not grow with it; a torn last line is passed over.

    A missing file has no records.

    Raises:
        FileError: A whole line is not such a record.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in _whole_lines(path, file):
            yield from _all_or_error(path, _check([line], kind))


def last_record(path: Path, kind: type[M]) -> M | None:
    """Return the last whole record of a file that is appended to; null where there is none that can be read."""
    if not path.exists():
        return None
    with path.open("rb") as file:
        end = end_of_last_line(file)
        start, found = end, b""
        while start and b"\n" not in found[:-1]:
            begin = max(0, start - _BLOCK)
            file.seek(begin)
            found = file.read(start - begin) + found
            start = begin
    checked = Checked[M]([], [])
    check_record(found[:-1].rpartition(b"\n")[2].decode("utf-8", "replace"), kind, 1, checked)
    return checked.records[0][1] if checked.records else None


def append_records(path: Path, records: Iterable[BaseModel]) -> Appended:
    """Append records in one write, flushed to the disk before it returns; a torn last line is cut off first.

    Processes that append to the same file take turns. Returns where the records stand.

    Raises:
        CannotWrite: The file cannot be written to.
    """
    payload = "".join(f"{record.model_dump_json()}\n" for record in records).encode("utf-8")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _opened_alone(path) as file:
            start = file.truncate(end_of_last_line(file))
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
            return Appended(os.fstat(file.fileno()).st_ino, start, start + len(payload))
    except OSError as error:
        msg = f"cannot append to {str(path)!r}: {error.strerror}; what it held before is still there"
        raise CannotWrite(msg) from error


def settle_records(path: Path, kind: type[M], place: Callable[[M], tuple[str, ...]]) -> None:
    """Put the records of a file that is appended to in the order of their places, of each place the latest alone.

    So what a file says does not depend on what was done first. Processes that append meanwhile lose nothing. A
    missing file stays missing.

    Raises:
        UserError: The file cannot be written to.
    """
    if not path.exists():
        return
    with _opened_alone(path):
        records = recover_records(path, kind)
        latest = {place(record): record for record in records}
        settled = [latest[one] for one in sorted(latest)]
        if settled != records:
            write_records(path, settled)


@contextmanager
def _opened_alone(path: Path) -> Generator[IO[bytes]]:
    """Open a file for appending once nobody else has it, and again where it was replaced or removed meanwhile."""
    while True:
        with path.open("a+b") as file, _turn(file):
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                yield file
                return


@contextmanager
def _turn(file: IO[bytes]) -> Generator[None]:
    """Hold the file alone, where the system can lock files; the lock ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two processes there should not share a study
        yield
        return
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def end_of_last_line(file: IO[bytes]) -> int:
    """Return how many bytes of a file are whole lines: what is behind them is torn, or still written."""
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - _BLOCK)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def write_records(path: Path, records: Iterable[BaseModel]) -> int:
    """Write a file of records whole, holding one of them at a time, and return how many there are."""
    return write_lines(path, (record.model_dump_json() for record in records))


def faults(error: ValidationError, line: int) -> Iterator[Problem]:
    """Yield what is wrong with the record on a line, a problem for each field."""
    for fault in error.errors(include_url=False):
        field = ".".join(part for part in map(str, fault["loc"]) if "[" not in part) or "line"
        shown = json.dumps(fault["input"], ensure_ascii=False, default=repr)
        yield Problem(
            line=line,
            field=field,
            value=shown if len(shown) <= 80 else shown[:77] + "...",  # noqa: PLR2004 - what fits a terminal line
            problem=fault["msg"].removeprefix("Value error, "),
            fix=_fix(fault["type"]),
        )


def _constant(text: str) -> str:
    """Return the NaN or Infinity that stands in `text` as a number, or an empty string."""
    found = _CONSTANT.search(text)
    if found is None:
        return ""
    try:
        from_json(text, allow_inf_nan=False)
    except ValueError:
        return found[0]
    return ""


def _fix(kind: str) -> str:
    fixes = {
        "missing": "Add the field",
        "extra_forbidden": "Remove the field, or correct its name",
        "json_invalid": "Write one JSON object a line",
    }
    return fixes.get(kind, "Correct the value")
