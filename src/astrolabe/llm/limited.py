"""Going easy on an endpoint."""

from dataclasses import dataclass
from typing import Final

from astrolabe.core.tokens import count_tokens
from astrolabe.llm.gate import Gate
from astrolabe.llm.provider import Provider, RawReply, Request
from astrolabe.store.http import WireError

_OVERLOAD: Final = frozenset({429, 503, 529})


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
                if error.status in _OVERLOAD:
                    self.gate.overloaded(began, error.wait_seconds)
                raise
            self.gate.replied(raw.usage.seconds, raw.usage.completion_tokens)
            return raw

    async def aclose(self) -> None:
        """Close the provider."""
        await self.provider.aclose()


def _tokens(request: Request) -> int:
    return sum(count_tokens(turn.content) for turn in request.messages) + request.max_tokens
