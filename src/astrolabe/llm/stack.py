"""From a spelled model to an `LLM` with all its wrappers."""

import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar
from weakref import WeakValueDictionary

from astrolabe.core.errors import ConfigError
from astrolabe.core.prompt import Prompt, Reply
from astrolabe.llm.budgeted import Budget, Budgeted
from astrolabe.llm.dialect import Dialect
from astrolabe.llm.gate import Gate, Limits
from astrolabe.llm.limited import Limited
from astrolabe.llm.metered import FREE, Metered, Price
from astrolabe.llm.ollama import Ollama
from astrolabe.llm.openai_compatible import OpenAICompatible
from astrolabe.llm.provider import Provider
from astrolabe.llm.recorded import CallMode, Recorded
from astrolabe.llm.retried import Retried
from astrolabe.llm.started import Started
from astrolabe.llm.structured import MOST_TOKENS, Structured
from astrolabe.store.calls import CallRecord
from astrolabe.store.http import Wire
from astrolabe.store.model_names import OPENAI_URL, ModelName

if TYPE_CHECKING:
    from pydantic import BaseModel

R = TypeVar("R", bound="BaseModel | str")
_LOCAL_AT_ONCE: Final = 4
"""How many requests a server of one machine is given at once: more only wait there, and time out."""
_EMBEDDED_TOKENS: Final = 700
"""A small model that says more than this says it twice, at ten to twenty tokens a second."""

UNLIMITED: Final = Limits()
"""Nothing but the usual concurrency."""

_GATES: Final[WeakValueDictionary[tuple[int, str, Limits], Gate]] = WeakValueDictionary()
"""The gates in use, by thread (a loop's own), endpoint and limits: roles that share an endpoint share its gate."""


@dataclass(frozen=True, slots=True)
class OpenLLM:
    """An `LLM` whose connections can be closed."""

    llm: Recorded
    provider: Provider

    @property
    def id(self) -> str:
        """Provider, model, address and endpoint class."""
        return self.llm.id

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        """Ask through all wrappers."""
        return await self.llm.ask(prompt)

    async def aclose(self) -> None:
        """Close connections; the record stays open."""
        await self.provider.aclose()

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.aclose()


def open_llm(
    spelled: str,
    *,
    record: CallRecord,
    mode: CallMode = "reuse",
    budget: Budget | None = None,
    price: Price | None = None,
    limits: Limits = UNLIMITED,
    timeout_seconds: float = 600.0,
) -> OpenLLM:
    """Return a spelled model behind its wrappers; nothing is connected or started before it is asked.

    Args:
        spelled: The model, such as `vllm:Qwen/Qwen3-8B@http://host:8000/v1`.
        record: Where replies are kept.
        mode: What is asked: see `Recorded`.
        budget: The cap, shared with other models of the same command.
        price: What tokens cost; without one money is null. An embedded model costs nothing.
        limits: What the endpoint may be asked for.
        timeout_seconds: The longest that one request to a server may take; then it is sent again.

    Raises:
        ConfigError: The model is not spelled right, or the budget is in money and the model has no price.
    """
    name = ModelName.parse(spelled)
    embedded = name.provider == "embedded"
    price = FREE if embedded else price
    if budget and budget.usd is not None and price is None:
        raise ConfigError(f"a budget in usd needs a price for {str(name)!r}: add [prices.{str(name)!r}] to study.toml")
    local = name.provider in {"embedded", "ollama"}
    if local:
        limits = replace(limits, concurrency=min(limits.concurrency, _LOCAL_AT_ONCE))
    provider: Provider = Metered(provider_of(name, timeout_seconds=timeout_seconds), price)
    if budget:
        provider = Budgeted(provider, budget)
    provider = Retried(Limited(provider, gate_of(name.url or str(name), limits)))
    structured = Structured(provider, _EMBEDDED_TOKENS if embedded else MOST_TOKENS)
    return OpenLLM(Recorded(structured, record, mode, repeats=embedded), provider)


def provider_of(name: ModelName, *, timeout_seconds: float = 600.0) -> Provider:
    """Return the provider of a spelled model, not yet connected."""
    spelled = str(name)
    if name.provider == "embedded":
        return Started(_embedded(name.name), spelled=spelled)
    wire = Wire(name.url, key=name.find_key(), timeout_seconds=timeout_seconds)
    if name.provider == "ollama":
        return Ollama(name.name, wire, spelled=spelled)
    dialect = Dialect(thinking=name.url != OPENAI_URL)  # OpenAI knows no chat templates
    return OpenAICompatible(name.name, wire, spelled=spelled, dialect=dialect)


def gate_of(endpoint: str, limits: Limits) -> Gate:
    """Return the gate of an endpoint: the same for all that have it open in this thread."""
    key = (threading.get_ident(), endpoint, limits)
    gate = _GATES.get(key) or Gate(limits)
    _GATES[key] = gate
    return gate


def _embedded(name: str) -> Callable[[], Awaitable[Provider]]:
    async def start_it() -> Provider:
        from astrolabe.llm.embedded import start

        running = await start(name)
        return OpenAICompatible(name, Wire(running.url, key=running.key), spelled=f"embedded:{name}")

    return start_it
