"""Stopping before too much is spent."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from astrolabe.core.errors import ConfigError, Stopped
from astrolabe.core.records import Usage
from astrolabe.llm.provider import Provider, RawReply, Request

_PART: Final = re.compile(r"(?i)\s*([0-9][0-9_]*(?:\.[0-9]+)?|\.[0-9]+)\s*([km]?)\s*(usd|tokens?|min|minutes?)\s*")
_FACTOR: Final = {"": 1, "k": 1_000, "m": 1_000_000}


class Budget:
    """A cap on what a command spends, shared by all the models that it asks.

    Attributes:
        usd: The cap in US dollars; null is without.
        tokens: The cap in tokens, prompt and reply together; null is without.
        minutes: The cap in minutes since the first call; null is without.
        spent: What was spent so far.
    """

    def __init__(
        self,
        *,
        usd: float | None = None,
        tokens: int | None = None,
        minutes: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the caps; nothing is spent yet."""
        self.usd = usd
        self.tokens = tokens
        self.minutes = minutes
        self.spent = Usage()
        self._clock = clock
        self._since: float | None = None

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """Read a budget such as `0.50usd`, `2M tokens` or `10min`; several are joined by `|`.

        Raises:
            ConfigError: It is written otherwise, names a unit twice, or is nothing at all.
        """
        caps: dict[str, float] = {}
        for part in text.split("|"):
            found = _PART.fullmatch(part)
            if not found or (found[2] and not found[3].lower().startswith("token")):
                raise ConfigError(f"budget {text!r}: {part!r} is no cap; write 0.50usd, 2M tokens or 10min")
            unit = {"u": "usd", "t": "tokens", "m": "minutes"}[found[3][0].lower()]
            amount = float(found[1]) * _FACTOR[found[2].lower()]
            if unit in caps or amount <= 0:
                raise ConfigError(f"budget {text!r}: {unit} must be above 0 and given once, got {part!r}")
            caps[unit] = amount
        tokens = caps.get("tokens")
        return cls(usd=caps.get("usd"), tokens=int(tokens) if tokens else None, minutes=caps.get("minutes"))

    def spend(self, usage: Usage) -> None:
        """Count what a call cost."""
        self.spent = self.spent + usage

    def begin(self) -> None:
        """Let the minutes run, if they do not run yet."""
        if self._since is None:
            self._since = self._clock()

    @property
    def used_up(self) -> str:
        """Which cap is reached, for people; empty while none is."""
        tokens = self.spent.prompt_tokens + self.spent.completion_tokens
        minutes = 0.0 if self._since is None else (self._clock() - self._since) / 60
        if self.usd is not None and (self.spent.usd or 0.0) >= self.usd:
            return f"{self.spent.usd:.4f} of {self.usd:g} usd are spent"
        if self.tokens is not None and tokens >= self.tokens:
            return f"{tokens} of {self.tokens} tokens are spent"
        if self.minutes is not None and minutes >= self.minutes:
            return f"{minutes:.1f} of {self.minutes:g} minutes are over"
        return ""


@dataclass(frozen=True, slots=True)
class Budgeted:
    """A provider that asks nothing more once the budget is used up; what is under way is paid for and kept.

    So the cap is exceeded by less than what the calls under way cost when it was reached, the one that reached it
    included: with calls of one price, and `n` at a time, at most `n - 1` are made beyond those that the cap takes.
    """

    provider: Provider
    budget: Budget

    @property
    def id(self) -> str:
        """The provider's id."""
        return self.provider.id

    async def complete(self, request: Request) -> RawReply:
        """Ask, and count the cost.

        Raises:
            Stopped: The budget is used up.
        """
        self.budget.begin()
        if reached := self.budget.used_up:
            raise Stopped(f"budget: {reached}; run the same command again to go on with as much more")
        raw = await self.provider.complete(request)
        self.budget.spend(raw.usage)
        return raw

    async def aclose(self) -> None:
        """Close the provider."""
        await self.provider.aclose()
