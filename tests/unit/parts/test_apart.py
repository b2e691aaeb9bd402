import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from astrolabe.parts.apart import Arrays, apart
from astrolabe.parts.communities import leiden

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")


def a_graph(size: int) -> Arrays:
    """Return a ring of `size` nodes with chords, as `leiden` takes it."""
    nodes = np.arange(size, dtype=np.int64)
    ends = np.concatenate([np.column_stack([nodes, (nodes + step) % size]) for step in (1, 2)])
    return {
        "size": np.array(size),
        "ends": ends,
        "weights": np.ones(len(ends)),
        "max_size": np.array(10),
        "largest": np.array(0),
    }


def ours() -> Iterator[int]:
    """Yield the ids of the processes that this one has started and that still run."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            yield int(entry.parent.name)


async def started(before: set[int]) -> None:
    """Wait for a process that was not there before."""
    while set(ours()) <= before:  # noqa: ASYNC110 - nothing tells when a process is there
        await asyncio.sleep(0.01)


def elsewhere(arrays: Arrays) -> Arrays:
    return arrays


async def test_a_thread_and_a_process_of_its_own_give_the_same() -> None:
    near = await apart(leiden, a_graph(60), heavy=False)
    far = await apart(leiden, a_graph(60), heavy=True)

    assert set(near) == set(far)
    assert all(np.array_equal(near[name], far[name]) for name in near)
    assert len(near["node"]) > 60


async def test_what_fails_apart_is_named_with_its_last_words() -> None:
    with pytest.raises(RuntimeError, match=r"communities\.leiden failed apart: KeyError: 'size'"):
        await apart(leiden, {}, heavy=True)


async def test_only_functions_of_the_package_run_apart() -> None:
    with pytest.raises(RuntimeError, match="is no module of this package"):
        await apart(elsewhere, {}, heavy=True)


@on_linux
async def test_objects_are_refused_before_a_process_is_started() -> None:
    before = set(ours())
    with pytest.raises(ValueError, match="Object arrays"):
        await apart(leiden, {"size": np.array([object()])}, heavy=True)

    assert set(ours()) <= before


@on_linux
async def test_a_process_whose_result_nobody_waits_for_is_ended() -> None:
    before = set(ours())
    waiting = asyncio.create_task(apart(leiden, a_graph(1_000), heavy=True))
    async with asyncio.timeout(10):
        await started(before)

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert set(ours()) <= before


async def test_the_loop_goes_on_meanwhile() -> None:
    waiting = asyncio.create_task(apart(leiden, a_graph(1_000), heavy=True))
    turns = 0
    while not waiting.done():
        await asyncio.sleep(0.001)
        turns += 1

    assert turns > 10
    assert len((await waiting)["node"]) >= 1_000
