import asyncio
import threading
import time
from collections.abc import Sequence

import pytest

from astrolabe.core.errors import CannotWrite, Stopped, UserError
from astrolabe.study.progress import Silent
from astrolabe.study.workers import work_through


class Disk:
    """Keeps numbers, a little at a time."""

    def __init__(self, seconds: float = 0.0, *, full_after: int = 10**9) -> None:
        self.kept: list[int] = []
        self.writes = 0
        self.most_at_once = 0
        self._seconds = seconds
        self._full_after = full_after
        self._under_way = 0

    def keep(self, numbers: Sequence[int]) -> None:
        self._under_way += 1
        self.most_at_once = max(self.most_at_once, self._under_way)
        time.sleep(self._seconds)
        self._under_way -= 1
        if len(self.kept) + len(numbers) > self._full_after:
            raise UserError("no space left")
        self.writes += 1
        self.kept += numbers


async def double(number: int) -> int:
    await asyncio.sleep(0.001)
    return 2 * number


async def test_everything_is_kept_and_nothing_twice() -> None:
    disk = Disk()

    stopped = await work_through(range(100), double, disk.keep, requests=8, progress=Silent())

    assert stopped is None
    assert sorted(disk.kept) == [2 * number for number in range(100)]


async def test_no_tasks_are_no_work() -> None:
    assert await work_through([], double, Disk().keep, requests=8, progress=Silent()) is None


async def test_a_slow_disk_holds_up_no_task_and_gets_many_outcomes_at_a_time() -> None:
    disk = Disk(seconds=0.02)
    ended: list[float] = []

    async def do(number: int) -> int:
        await asyncio.sleep(0.001)
        ended.append(time.monotonic())
        return number

    started = time.monotonic()
    await work_through(range(200), do, disk.keep, requests=8, progress=Silent())

    assert sorted(disk.kept) == list(range(200))
    assert disk.writes < 100
    assert disk.most_at_once == 1
    assert ended[-1] - started < 200 * 0.02 / 2


async def test_what_is_kept_is_kept_in_a_thread() -> None:
    threads: list[int] = []

    def keep(numbers: Sequence[int]) -> None:  # noqa: ARG001 - it looks at who calls
        threads.append(threading.get_ident())

    await work_through(range(3), double, keep, requests=1, progress=Silent())

    assert threading.get_ident() not in threads


async def test_what_is_wrong_with_keeping_ends_the_work_with_its_own_word() -> None:
    disk = Disk(full_after=10)

    with pytest.raises(UserError, match="no space left"):
        await work_through(range(1000), double, disk.keep, requests=4, progress=Silent())

    assert len(disk.kept) <= 10


async def test_what_was_done_before_a_stop_is_kept() -> None:
    async def do(number: int) -> int:
        if number == 5:
            raise Stopped("the budget")
        return await double(number)

    disk = Disk(seconds=0.01)
    stopped = await work_through(range(100), do, disk.keep, requests=1, progress=Silent())

    assert stopped is not None
    assert stopped.endswith(" left: the budget")
    assert disk.kept == [0, 2, 4, 6, 8]


async def test_a_fault_of_the_users_keeps_what_was_done_before_it() -> None:
    async def do(number: int) -> int:
        if number == 5:
            raise UserError("no judge")
        return await double(number)

    disk = Disk(seconds=0.01)
    with pytest.raises(UserError, match="no judge"):
        await work_through(range(100), do, disk.keep, requests=1, progress=Silent())

    assert disk.kept == [0, 2, 4, 6, 8]


async def test_an_interruption_keeps_what_was_done_before_it() -> None:
    done: list[int] = []

    async def do(number: int) -> int:
        await asyncio.sleep(0.005)
        done.append(number)
        return number

    disk = Disk(seconds=0.03)
    task = asyncio.create_task(work_through(range(1000), do, disk.keep, requests=4, progress=Silent()))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert disk.kept == done
    assert disk.most_at_once == 1


class Full(Disk):
    """Keeps so many numbers and then has no room."""

    def keep(self, numbers: Sequence[int]) -> None:
        try:
            super().keep(numbers)
        except UserError as error:
            raise CannotWrite(str(error)) from error


async def test_a_disk_without_room_stops_the_work_and_says_how_much_is_kept() -> None:
    disk, begun = Full(full_after=10), list[int]()

    async def do(number: int) -> int:
        begun.append(number)
        return await double(number)

    stopped = await work_through(range(500), do, disk.keep, requests=4, progress=Silent())

    assert stopped == f"{len(disk.kept)} of 500 done, {500 - len(disk.kept)} left: no space left"
    assert len(begun) < 100


async def test_a_task_that_cannot_write_stops_the_work_and_the_others_are_kept() -> None:
    disk = Disk()

    async def do(number: int) -> int:
        if number == 5:
            raise CannotWrite("no space left")
        return await double(number)

    stopped = await work_through(range(500), do, disk.keep, requests=4, progress=Silent())

    assert stopped is not None
    assert stopped.endswith("left: no space left")
    assert {0, 2, 4, 6, 8} <= set(disk.kept)
    assert len(disk.kept) < 100
