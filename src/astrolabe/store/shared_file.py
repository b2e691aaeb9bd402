"""A file of records that several processes append to at once."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from astrolabe.store.lines import append_records, end_of_last_line, whole_records

M = TypeVar("M", bound=BaseModel)


class _Read(NamedTuple):
    """Which file was read, and how far."""

    inode: int
    end: int


class SharedFile(Generic[M]):
    """Appends to a file, and knows what others have appended since it was opened here.

    As long as nobody else writes, that costs one look at the file's size.
    """

    def __init__(self, path: Path, kind: type[M]) -> None:
        """Take the file as it is now; it may be missing."""
        self._path = path
        self._kind = kind
        self._read = _Read(0, 0)
        if path.exists():
            with path.open("rb") as file:
                self._read = _Read(os.fstat(file.fileno()).st_ino, end_of_last_line(file))

    def append(self, records: Sequence[M]) -> None:
        """Append records, on the disk when this returns.

        Raises:
            UserError: The file cannot be written to.
        """
        inode, start, end = append_records(self._path, records)
        if start == 0 or (inode, start) == self._read:
            self._read = _Read(inode, end)

    def news(self) -> list[M]:
        """Return the records that were appended since this was last asked; own ones may be among them.

        Where the file was replaced, all of its records are news.

        Raises:
            FileError: A line is no such record.
        """
        try:
            there = self._path.stat()
        except FileNotFoundError:
            return []
        if (there.st_ino, there.st_size) == self._read:
            return []
        with self._path.open("rb") as file:
            end = end_of_last_line(file)
            inode = os.fstat(file.fileno()).st_ino
            start = self._read.end if inode == self._read.inode and self._read.end <= end else 0
            if start:
                file.seek(start - 1)
                start = start if file.read(1) == b"\n" else 0  # another file in the same place
            file.seek(start)
            lines = file.read(end - start)
        self._read = _Read(inode, end)
        return whole_records(self._path, lines, self._kind)
