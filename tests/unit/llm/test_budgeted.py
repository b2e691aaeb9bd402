import pytest

from astrolabe.core.errors import ConfigError, Stopped
from astrolabe.core.records import Usage
from astrolabe.llm.budgeted import Budget, Budgeted
from astrolabe.llm.metered import Metered, Price
from astrolabe.llm.provider import Request
from tests.providers import Plays, asks, says

REQUEST = Request.of(asks())


async def _ten(provider: Budgeted) -> None:
    for _ in range(10):
        await provider.complete(REQUEST)


@pytest.mark.parametrize(
    ("text", "caps"),
    [
        ("0.50usd", (0.5, None, None)),
        ("2M tokens", (None, 2_000_000, None)),
        ("500k tokens", (None, 500_000, None)),
        ("1_000 tokens", (None, 1000, None)),
        ("10min", (None, None, 10)),
        ("1.5 minutes", (None, None, 1.5)),
        ("0.5usd | 2M tokens|10 min", (0.5, 2_000_000, 10)),
    ],
)
def test_a_budget_is_read_as_it_is_written(text: str, caps: tuple[float | None, int | None, float | None]) -> None:
    budget = Budget.parse(text)

    assert (budget.usd, budget.tokens, budget.minutes) == caps


@pytest.mark.parametrize(
    "text", ["", "5", "usd", "5 eur", "-1usd", "0usd", "2Musd", "1usd|2usd", "1e3 tokens", "nan usd"]
)
def test_a_budget_that_is_none_shows_how_one_is_written(text: str) -> None:
    with pytest.raises(ConfigError, match=r"budget '.*'"):
        Budget.parse(text)


@pytest.mark.parametrize(
    ("budget", "calls", "said"),
    [
        (Budget(tokens=220), 2, "220 of 220 tokens"),
        (Budget(tokens=221), 3, "330 of 221 tokens"),
        (Budget(usd=0.00025), 3, "0.0003 of 0.00025 usd"),
    ],
)
async def test_calls_stop_when_the_cap_is_reached(budget: Budget, calls: int, said: str) -> None:
    inner = Plays([says("x")])
    provider = Budgeted(Metered(inner, Price(prompt=1, completion=0)), budget)

    with pytest.raises(Stopped, match=f"{said}.*same command"):
        await _ten(provider)

    assert len(inner.requests) == calls


async def test_minutes_run_from_the_first_call_on() -> None:
    now = 1000.0
    budget = Budget(minutes=10, clock=lambda: now)
    provider = Budgeted(Plays([says("x")]), budget)
    now = 9000.0

    await provider.complete(REQUEST)
    now += 599
    await provider.complete(REQUEST)
    now += 1
    with pytest.raises(Stopped, match=r"10\.0 of 10 minutes"):
        await provider.complete(REQUEST)


async def test_two_models_share_one_budget() -> None:
    budget = Budget(tokens=200)
    first, second = Budgeted(Plays([says("x")]), budget), Budgeted(Plays([says("x")]), budget)

    await first.complete(REQUEST)
    await second.complete(REQUEST)

    assert budget.used_up
    with pytest.raises(Stopped):
        await first.complete(REQUEST)


async def test_what_a_call_costs_comes_from_its_price() -> None:
    usage = Usage(calls=1, prompt_tokens=1_000_000, cached_tokens=400_000, completion_tokens=100_000)

    assert Price(prompt=2, completion=8, cached=0.5).usd(usage) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 8)
    assert Price(prompt=2, completion=8).usd(usage) == pytest.approx(2 + 0.8)


async def test_without_a_price_money_is_null_not_nothing() -> None:
    raw = await Metered(Plays([says("x")])).complete(REQUEST)

    assert raw.usage.usd is None
