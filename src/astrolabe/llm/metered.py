"""Counting what calls cost."""

from dataclasses import dataclass, replace
from typing import Final

from astrolabe.core import usage
from astrolabe.core.records import Usage
from astrolabe.llm.provider import Provider, RawReply, Request

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A model's price in US dollars a million tokens; `cached` is null where reuse is not cheaper."""

    prompt: float
    completion: float
    cached: float | None = None

    def usd(self, usage: Usage) -> float:
        """Return what the tokens cost; cached prompt tokens are part of the prompt tokens."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = usage.prompt_tokens - usage.cached_tokens
        spent = fresh * self.prompt + usage.cached_tokens * cached + usage.completion_tokens * self.completion
        return spent / _MILLION


FREE: Final = Price(prompt=0, completion=0)
"""The price of a model that runs on this machine as part of the package."""


@dataclass(frozen=True, slots=True)
class Metered:
    """A provider that prices each reply and counts it under its stage, usable or not: it was paid for."""

    provider: Provider
    price: Price | None = None

    @property
    def id(self) -> str:
        """The provider's id."""
        return self.provider.id

    async def complete(self, request: Request) -> RawReply:
        """Return the reply with its cost; `usd` is null where there is no price."""
        raw = await self.provider.complete(request)
        usd = None if self.price is None else self.price.usd(raw.usage)
        priced = replace(raw, usage=raw.usage.model_copy(update={"usd": usd}))
        usage.count(request.stage, priced.usage)
        return priced

    async def aclose(self) -> None:
        """Close the provider."""
        await self.provider.aclose()
