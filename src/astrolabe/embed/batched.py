"""Many texts in small batches, each text once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from astrolabe.core.protocols import Embedder, Side, Vectors

BATCH: Final = 32
AT_ONCE: Final = 4


@dataclass(frozen=True, slots=True)
class Batched:
    """An embedder that asks another in batches of at most 32 texts, four batches at a time.

    A text that comes twice in a call is asked for once. Texts of like length share a batch, since a server fills up
    the shorter ones.
    """

    embedder: Embedder

    @property
    def id(self) -> str:
        """That of the embedder."""
        return self.embedder.id

    @property
    def window_tokens(self) -> int:
        """That of the embedder."""
        return self.embedder.window_tokens

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:
        """Return the texts' rows, in their order; the first error ends the other batches."""
        unique = sorted(set(texts), key=lambda text: (-len(text), text))
        if len(unique) <= 1:
            rows = await self.embedder.embed(unique, side=side)
        else:
            batches = [unique[start : start + BATCH] for start in range(0, len(unique), BATCH)]
            rows = np.concatenate(await self._all(batches, side))
        place = {text: number for number, text in enumerate(unique)}
        return rows[[place[text] for text in texts]]

    async def _all(self, batches: list[list[str]], side: Side) -> list[Vectors]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(batch: list[str]) -> Vectors:
            async with gate:
                return await self.embedder.embed(batch, side=side)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(batch)) for batch in batches]
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None  # the others failed of the same cause or were ended because of it
        return [task.result() for task in tasks]
