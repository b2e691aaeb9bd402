"""Arithmetic in a process of its own, so that the loop goes on answering meanwhile.

Arrays go there and come back as npz over pipes: nothing is pickled, and the caller's main module is not run again.
"""

import asyncio
import io
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

import numpy as np
import numpy.typing as npt

# Two threads that wait for each other actively take many times as long on a busy machine.
_ONE_THREAD: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
Array = npt.NDArray[np.generic]
Arrays = Mapping[str, Array]
Arithmetic = Callable[[Arrays], Arrays]


async def apart(function: Arithmetic, arrays: Arrays, *, heavy: bool) -> Arrays:
    """Return what a function of a module makes of arrays.

    Args:
        function: Defined at the top of a module of this package; deterministic; imports what is heavy inside.
        arrays: Numbers, texts and truth values as arrays; no objects.
        heavy: Whether it takes longer than starting a process (about two seconds); else it runs in a thread.

    Raises:
        RuntimeError: The process ended without a result; holds its last words.
        ValueError: An array holds objects.
    """
    if not heavy:
        return await asyncio.to_thread(function, arrays)
    sent = _packed(arrays)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-X",
        "utf8",
        "-m",
        __name__,
        function.__module__,
        function.__name__,
        env={**os.environ, **_ONE_THREAD},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        said, complaints = await process.communicate(sent)
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode:
        last = complaints.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise RuntimeError(f"{function.__module__}.{function.__name__} failed apart: {''.join(last)}")
    return _unpacked(said)


def _packed(arrays: Arrays) -> bytes:
    buffer = io.BytesIO()
    named: dict[str, Any] = dict(arrays)
    np.savez(buffer, allow_pickle=False, **named)
    return buffer.getvalue()


def _unpacked(content: bytes) -> dict[str, Array]:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _main() -> None:
    """Run the function that the command line names over the arrays on stdin."""
    module, name = sys.argv[1:]
    if not module.startswith("astrolabe."):
        sys.exit(f"{module!r} is no module of this package")
    function: Arithmetic = getattr(import_module(module), name)
    sys.stdout.buffer.write(_packed(function(_unpacked(sys.stdin.buffer.read()))))


if __name__ == "__main__":
    _main()
