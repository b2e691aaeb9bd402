"""Who asks for what, among all the processes that use one record at once."""

import errno
import os
import struct
import threading
from pathlib import Path
from typing import Final

try:
    import fcntl
except ImportError:  # Windows: each process there asks for itself
    fcntl = None

_OWN_LOCKS: Final[int | None] = getattr(fcntl, "F_OFD_SETLK", None)
"""Linux: locks that belong to an open file, so that two records of one process keep each other out, too."""
_HELD: Final = frozenset({errno.EAGAIN, errno.EACCES})


class Claims:
    """Claims on keys, each held by one record at a time.

    A claim is a lock on one byte, beyond the end of an empty file, whose place is made of the key. So it costs two
    calls of the system and no write, and it ends with its process, however that ends: nobody has to find out whether
    the holder still lives. May be used from any thread.

    Args:
        path: The empty file, made when the first key is claimed; null where nobody else can have the record open.
    """

    def __init__(self, path: Path | None) -> None:
        """Open nothing yet."""
        self._path = path if fcntl else None
        self._turn = threading.Lock()
        self._held: set[int] = set()
        self._file: int | None = None

    def take(self, key: bytes) -> bool:
        """Claim a key; false where somebody else holds it, in this process or in another.

        Where the disk cannot lock, nobody else holds anything.
        """
        place = _place(key)
        with self._turn:
            if place in self._held or not self._locked(place):
                return False
            self._held.add(place)
            return True

    def drop(self, key: bytes) -> None:
        """Give a key up that was claimed."""
        place = _place(key)
        with self._turn:
            self._held.discard(place)
            if self._file is not None:
                _lock(self._file, place, hold=False)

    def close(self) -> None:
        """Give up what is still held."""
        with self._turn:
            self._held.clear()
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _locked(self, place: int) -> bool:
        if self._path is None:
            return True
        try:
            if self._file is None:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            _lock(self._file, place, hold=True)
        except OSError as error:
            return error.errno not in _HELD
        return True


def _place(key: bytes) -> int:
    """Return a key's byte: of 2**62 places, which two keys under way at once do not share."""
    return int.from_bytes(key[:8], "big") >> 2


def _lock(file: int, place: int, *, hold: bool) -> None:
    if fcntl is None:
        return
    if _OWN_LOCKS is None:
        kind = fcntl.LOCK_EX | fcntl.LOCK_NB if hold else fcntl.LOCK_UN
        fcntl.lockf(file, kind, 1, place)
        return
    wanted = struct.pack("hhqqi0q", fcntl.F_WRLCK if hold else fcntl.F_UNLCK, os.SEEK_SET, place, 1, 0)
    fcntl.fcntl(file, _OWN_LOCKS, wanted)
