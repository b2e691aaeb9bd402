"""Jobs that several processes of one study may want to do at once: one does each, the others take what it wrote."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final, Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from astrolabe.store.claims import Claims
from astrolabe.store.shared_file import SharedFile

M = TypeVar("M", bound=BaseModel)
Place = tuple[str, ...]
LOOK_SECONDS: Final = 0.05
"""How often it is looked whether another process is done with a job."""


class Done(NamedTuple, Generic[M]):
    """A job's outcome, and whether it is our own or that of another process."""

    record: M
    own: bool


class Turns(Generic[M]):
    """The jobs of one command whose outcomes are records in files that other processes append to, too.

    Args:
        kind: The records.
        place: What job a record belongs to, its file included.
        claims: Who does what; null where nobody else can do the same.
    """

    def __init__(self, kind: type[M], place: Callable[[M], Place], claims: Claims | None) -> None:
        """Watch no file yet."""
        self._kind = kind
        self._place = place
        self._claims = claims
        self._files: dict[Path, SharedFile[M]] = {}
        self._theirs: dict[Place, M] = {}

    def watch(self, path: Path) -> None:
        """Look from now on at what others append to a file; before, it is read by who wants to know what stands."""
        self._files[path] = SharedFile(path, self._kind)

    async def take(
        self, path: Path, place: Place, do: Callable[[], Awaitable[M]], stands: Callable[[M], bool]
    ) -> "Done[M]":
        """Wait until nobody else does a job; then take what another process wrote of it, or do it.

        A job that was done here is held until `append`.

        Args:
            path: The file of its outcome, which is watched.
            place: Its place.
            do: Does it.
            stands: Whether an outcome of another process is one to take.

        Raises:
            FileError: What the other one wrote is damaged.
        """
        theirs = await self._begin(path, place)
        try:
            if theirs is not None and stands(theirs):
                self._give_up(place)
                return Done(theirs, own=False)
            return Done(await do(), own=True)
        except BaseException:  # whatever ended it, the job is another's to do
            self._give_up(place)
            raise

    @contextmanager
    def alone(self, *what: str) -> Generator[None]:
        """Hold something alone that takes a moment; waits in this thread."""
        place = ("alone", *what)
        while self._claims is not None and not self._claims.take(_key(place)):
            time.sleep(LOOK_SECONDS)
        try:
            yield
        finally:
            self._give_up(place)

    def append(self, path: Path, records: Sequence[M]) -> None:
        """Write the outcomes of jobs, and let go of them.

        Raises:
            UserError: The file cannot be written to.
        """
        self._files[path].append(records)
        for record in records:
            self._give_up(self._place(record))

    async def _begin(self, path: Path, place: Place) -> M | None:
        if self._claims is None:
            return None
        while not self._claims.take(_key(place)):  # noqa: ASYNC110  another process sets no event of ours
            await asyncio.sleep(LOOK_SECONDS)
        self._theirs |= {self._place(record): record for record in self._files[path].news()}
        return self._theirs.get(place)

    def _give_up(self, place: Place) -> None:
        if self._claims is not None:
            self._claims.drop(_key(place))


def _key(place: Place) -> bytes:
    return sha256("\0".join(("job", *place)).encode()).digest()
