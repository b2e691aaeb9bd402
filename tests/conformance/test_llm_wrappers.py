"""Every wrapper keeps the promises of what it wraps: providers those of `Provider`, models those of `LLM`."""

import asyncio
from collections.abc import Callable

import pytest

from astrolabe.core.errors import ModelError, Stopped
from astrolabe.core.protocols import LLM
from astrolabe.llm.budgeted import Budget, Budgeted
from astrolabe.llm.gate import Gate, Limits
from astrolabe.llm.limited import Limited
from astrolabe.llm.metered import FREE, Metered
from astrolabe.llm.provider import Provider, Request
from astrolabe.llm.recorded import Recorded
from astrolabe.llm.retried import Retried
from astrolabe.llm.scripted import Scripted
from astrolabe.llm.started import Started
from astrolabe.llm.structured import Structured
from astrolabe.store.calls import CallRecord
from tests.providers import Plays, Topics, asks, asks_text, says

REQUEST = Request.of(asks())
GOOD = '{"topics": ["a"], "reason": ""}'


def _started(provider: Provider) -> Provider:
    async def start() -> Provider:
        await asyncio.sleep(0)
        return provider

    return Started(start, spelled="played")


PROVIDERS: dict[str, Callable[[Provider], Provider]] = {
    "metered": lambda provider: Metered(provider, FREE),
    "budgeted": lambda provider: Budgeted(provider, Budget(tokens=10**9)),
    "retried": Retried,
    "limited": lambda provider: Limited(provider, Gate(Limits())),
    "started": _started,
    "all": lambda provider: Retried(Limited(Budgeted(Metered(provider), Budget()), Gate(Limits()))),
}


@pytest.fixture(params=PROVIDERS)
def wrap(request: pytest.FixtureRequest) -> Callable[[Provider], Provider]:
    return PROVIDERS[request.param]


async def test_a_wrapper_passes_the_request_on_and_the_reply_back(wrap: Callable[[Provider], Provider]) -> None:
    inner = Plays([says(GOOD)])
    wrapped = wrap(inner)

    raw = await wrapped.complete(REQUEST)

    assert inner.requests == [REQUEST]
    assert (raw.text, raw.finish, raw.usage.prompt_tokens) == (GOOD, "stop", 100)
    assert wrapped.id == "played chat"


@pytest.mark.parametrize("error", [ModelError("refused", "no"), Stopped("enough"), RuntimeError("a fault of ours")])
async def test_a_wrapper_lets_errors_through_as_they_are(
    wrap: Callable[[Provider], Provider], error: Exception
) -> None:
    inner = Plays([error])

    with pytest.raises(type(error)) as caught:
        await wrap(inner).complete(REQUEST)

    assert caught.value is error
    assert len(inner.requests) == 1


async def test_a_wrapper_closes_what_it_wraps(wrap: Callable[[Provider], Provider]) -> None:
    inner = Plays([says(GOOD)])
    wrapped = wrap(inner)
    await wrapped.complete(REQUEST)

    await wrapped.aclose()

    assert inner.closed == 1


async def test_a_wrapper_can_be_cancelled(wrap: Callable[[Provider], Provider]) -> None:
    inner = Plays([says(GOOD)], seconds=5)
    task = asyncio.create_task(wrap(inner).complete(REQUEST))
    await asyncio.sleep(0.01)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert inner.under_way == 0


MODELS: dict[str, Callable[[str], LLM]] = {
    "structured": lambda text: Structured(Plays([says(text)])),
    "recorded": lambda text: Recorded(Structured(Plays([says(text)])), CallRecord(None)),
    "scripted": lambda text: Scripted(lambda _: text),
}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Callable[[str], LLM]:
    return MODELS[request.param]


async def test_a_model_returns_the_prompts_own_type(model: Callable[[str], LLM]) -> None:
    llm = model(GOOD)

    structured = await llm.ask(asks())
    plain = await llm.ask(asks_text())

    assert structured.value == Topics(topics=["a"])
    assert plain.value == plain.text == GOOD
    assert llm.id


async def test_a_model_answers_many_at_once_each_its_own(model: Callable[[str], LLM]) -> None:
    llm = model(GOOD)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(llm.ask(asks(str(number)))) for number in range(20)]

    assert [task.result().value.topics for task in tasks] == [["a"]] * 20


@pytest.mark.parametrize(("text", "status"), [("prose", "unparsed"), ("", "empty"), ("<think>hm", "truncated")])
async def test_a_model_never_returns_what_it_could_not_read(
    model: Callable[[str], LLM], text: str, status: str
) -> None:
    with pytest.raises(ModelError) as caught:
        await model(text).ask(asks())

    assert caught.value.status == status
    assert caught.value.text == text
