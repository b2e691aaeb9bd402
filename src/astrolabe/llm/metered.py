"""Counting what calls cost."""

from dataclasses import dataclass, replace

from astrolabe.core import usage
from astrolabe.llm.prices import Price
from astrolabe.llm.provider import Provider, RawReply, Request


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
