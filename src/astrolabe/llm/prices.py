"""What tokens cost."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from astrolabe.core.records import Usage

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_MILLION: Final = 1_000_000


class Price(BaseModel):
    """A model's price in US dollars a million tokens; `cached` is null where reuse is not cheaper."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: Dollars
    completion: Dollars
    cached: Dollars | None = None

    def usd(self, usage: Usage) -> float:
        """Return what the tokens cost; cached prompt tokens are part of the prompt tokens."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = usage.prompt_tokens - usage.cached_tokens
        spent = fresh * self.prompt + usage.cached_tokens * cached + usage.completion_tokens * self.completion
        return spent / _MILLION


FREE: Final = Price(prompt=0, completion=0)
"""The price of a model that runs on this machine, as part of the package."""

Prices = Mapping[str, Price]
"""Prices by spelled model, as in `study.toml`."""
