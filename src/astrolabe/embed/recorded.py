"""Vectors that were computed are kept: each text is embedded once ever, also by several processes at once."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

import numpy as np

from astrolabe.core.errors import NotRecorded
from astrolabe.core.protocols import Embedder, Side, Vectors
from astrolabe.store.calls import CallRecord
from astrolabe.store.halt import asking

LOOK_SECONDS: Final = 0.05
"""How often it is looked whether another process has the vectors that both want."""


@dataclass(frozen=True, slots=True)
class RecordedEmbedder:
    """An embedder in front of a record, by the embedder's id, the side and the text.

    A text that is being embedded for somebody else, in this process or in another, is waited for. What was embedded
    is on disk when `embed` returns. `replay` embeds nothing: a vector that is not recorded is an error.
    """

    embedder: Embedder
    record: CallRecord
    replay: bool = False
    _flying: dict[bytes, "Future[bytes | None]"] = field(default_factory=dict[bytes, "Future[bytes | None]"])

    @property
    def id(self) -> str:
        """That of the embedder."""
        return self.embedder.id

    @property
    def window_tokens(self) -> int:
        """That of the embedder."""
        return self.embedder.window_tokens

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:
        """Return the texts' rows, in their order."""
        if not texts:
            return await self.embedder.embed(texts, side=side)
        wanted = {self._key(text, side): text for text in texts}
        found = await self._kept(list(wanted))
        while missing := {key: text for key, text in wanted.items() if key not in found}:
            if self.replay:
                raise NotRecorded(f"embed.{side}", f"the vector of {next(iter(missing.values()))[:60]!r}")
            others = {key: self._flying[key] for key in missing if key in self._flying}
            ours = {key: text for key, text in missing.items() if key not in others and self.record.claims.take(key)}
            found |= await self._compute(ours, side)
            for key, flight in others.items():
                # Null where the other one was ended before it had the vector: then it is ours to compute.
                # Shielded, so that who stops waiting does not end what the other one is about to fill.
                if (vector := await asyncio.shield(asyncio.wrap_future(flight))) is not None:
                    found[key] = vector
            if elsewhere := [key for key in missing if key not in ours and key not in others]:
                await asyncio.sleep(LOOK_SECONDS)
                found |= await self._kept(elsewhere)
        return np.array([np.frombuffer(found[self._key(text, side)], dtype="<f4") for text in texts], dtype=np.float32)

    async def _kept(self, keys: list[bytes]) -> dict[bytes, bytes]:
        return await asyncio.to_thread(self.record.get_vectors, keys)

    async def _compute(self, texts: dict[bytes, str], side: Side) -> dict[bytes, bytes]:
        """Return the vectors of texts that are claimed, and give the claims up."""
        if not texts:
            return {}
        for key in texts:
            self._flying[key] = Future()
        computed: dict[bytes, bytes] = {}
        try:
            # Another process may have had one of them until a moment ago.
            computed |= await self._kept(list(texts))
            computed |= await self._embedded({key: text for key, text in texts.items() if key not in computed}, side)
        finally:
            for key in texts:
                self.record.claims.drop(key)
                self._flying.pop(key).set_result(computed.get(key))
        return computed

    async def _embedded(self, texts: dict[bytes, str], side: Side) -> dict[bytes, bytes]:
        if not texts:
            return {}
        with asking():
            rows = await self.embedder.embed(list(texts.values()), side=side)
            vectors = {key: row.astype("<f4").tobytes() for key, row in zip(texts, rows, strict=True)}
            await asyncio.wrap_future(self.record.put_vectors(vectors))
        return vectors

    def _key(self, text: str, side: Side) -> bytes:
        return sha256(f"{self.id}\0{side}\0{text}".encode()).digest()
