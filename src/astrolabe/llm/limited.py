"""Going easy on an endpoint."""

import asyncio
from dataclasses import dataclass
from typing import Final

from astrolabe.core.errors import Stopped
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.gate import LONGEST_WAIT_SECONDS, Gate
from astrolabe.llm.provider import Provider, RawReply, Request
from astrolabe.store.http import WireError

_TOO_FAST: Final = 429
_OVERLOAD: Final = frozenset({503, 529})
_TURNS_TO_SEND: Final = 2
"""How many turns of the loop a request takes from its place to the wire. A reply is handed on after them: read
at once, the replies of a burst would hold up the requests that take their places."""


@dataclass(frozen=True, slots=True)
class Limited:
    """A provider behind a gate; all that share an endpoint share its gate."""

    provider: Provider
    gate: Gate

    @property
    def id(self) -> str:
        """The provider's id."""
        return self.provider.id

    async def complete(self, request: Request) -> RawReply:
        """Wait for the gate, then ask; tell the gate how it went."""
        async with self.gate.passage(_tokens(request) if self.gate.counts_tokens else 0) as began:
            try:
                raw = await self.provider.complete(request)
            except WireError as error:
                self._tell(began, error)
                raise
            except Stopped:
                self.gate.unsent(began)
                raise
            self.gate.replied(raw.usage.seconds, raw.usage.completion_tokens)
        for _ in range(_TURNS_TO_SEND):
            await asyncio.sleep(0)
        return raw

    def _tell(self, began: float, error: WireError) -> None:
        """Tell the gate what the server said of its load."""
        if (error.wait_seconds or 0.0) > LONGEST_WAIT_SECONDS:
            self.gate.send_away(error)
        elif error.status == _TOO_FAST:
            self.gate.refused(began, error.wait_seconds)
        elif error.status in _OVERLOAD:
            self.gate.overloaded(began, error.wait_seconds)

    async def aclose(self) -> None:
        """Close the provider."""
        await self.provider.aclose()


def _tokens(request: Request) -> int:
    return sum(count_tokens(turn.content) for turn in request.messages) + request.max_tokens
