import asyncio

import pytest

from astrolabe.core.errors import ModelError, Stopped
from astrolabe.parts.ask_all import ask_all


async def test_replies_stand_in_the_order_of_the_things_whatever_order_they_arrive_in() -> None:
    waits = [(7 * place) % 40 for place in range(40)]

    async def ask(wait: int) -> int:
        for _ in range(wait):
            await asyncio.sleep(0)
        return wait

    assert await ask_all(waits, ask) == waits


async def test_a_failure_stands_for_itself_and_stops_no_other() -> None:
    async def ask(number: int) -> int:
        if number % 3 == 0:
            raise ModelError("failed", f"no {number}")
        return number

    outcomes = await ask_all(range(7), ask)

    assert [one.reason if isinstance(one, ModelError) else one for one in outcomes] == [
        "no 0", 1, 2, "no 3", 4, 5, "no 6",
    ]  # fmt: skip


async def test_no_more_are_under_way_than_asked_for_and_as_many_as_can_be() -> None:
    under_way, most = 0, 0

    async def ask(_: int) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1

    await ask_all(range(50), ask, at_once=5)

    assert most == 5


async def test_what_is_no_failure_of_a_model_ends_the_rest() -> None:
    begun: list[int] = []
    cancelled: list[int] = []

    async def ask(number: int) -> None:
        begun.append(number)
        if number == 2:
            raise Stopped("the budget is spent")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(number)
            raise

    with pytest.raises(BaseExceptionGroup) as caught:
        await ask_all(range(50), ask, at_once=4)

    assert caught.value.subgroup(Stopped)
    assert begun == [0, 1, 2, 3]
    assert sorted(cancelled) == [0, 1, 3]


async def test_of_nothing_nothing_is_asked() -> None:
    async def ask(number: int) -> int:
        raise AssertionError(number)

    assert await ask_all([], ask) == []


async def test_none_is_a_reply_like_any_other() -> None:
    async def ask(_: str) -> None:
        return None

    assert await ask_all(["a", "b"], ask) == [None, None]
