"""Models that come with the package: a server of our own, on loopback, that ends with us."""

import asyncio
import atexit
import importlib.util
import json
import os
import secrets
import subprocess
import sys
import threading
from typing import Final, NamedTuple

from pydantic import SecretStr

from astrolabe.core.errors import MissingExtra, Stopped, UserError
from astrolabe.llm.serve_weights import Order
from astrolabe.llm.weights import checked, find, not_fetched

CONTEXT_TOKENS: Final = 6_144
"""4,096 tokens of prompt and 2,048 of reply."""


class Running(NamedTuple):
    """A server that is up: its address up to `/v1`, and the key that it wants."""

    url: str
    key: SecretStr


class _Server(NamedTuple):
    process: "subprocess.Popen[bytes]"
    running: Running


_servers: Final[dict[str, _Server]] = {}
_starting: Final = threading.Lock()


def is_installed() -> bool:
    """Whether the extra `[embedded]` has brought what serves the weights; nothing is imported."""
    return importlib.util.find_spec("xllamacpp") is not None


def is_ready(name: str) -> bool:
    """Return whether an embedded model can answer here: its weights and the library that runs them are there.

    Raises:
        ConfigError: There is no embedded model of this name.
    """
    return missing(name) is None


def missing(name: str) -> UserError | None:
    """Return the error to raise where an embedded model cannot answer here, for it says what to run; null where it can.

    Raises:
        ConfigError: There is no embedded model of this name.
    """
    if find(name) is None:
        return not_fetched(name)
    return None if is_installed() else MissingExtra(f"embedded:{name}", "embedded")


async def start(name: str) -> Running:
    """Return the server of an embedded model, started where it does not run yet: one a model in this process.

    It listens on loopback, wants a key that nobody else has, and ends with this process, however that ends.

    Raises:
        ConfigError: There is no such model.
        MissingExtra: The extra `[embedded]` is not installed.
        UserError: The weights were not fetched, or are not the publisher's; names the command.
        Stopped: The server did not start; says why.
    """
    return await asyncio.to_thread(_start, name)


def _start(name: str) -> Running:
    with _starting:
        server = _servers.get(name)
        if server and server.process.poll() is None:
            return server.running
        weights = checked(name)
        if not is_installed():
            raise MissingExtra(f"embedded:{name}", "embedded")
        _servers[name] = _served(
            Order(
                path=str(weights),
                name=name,
                key=secrets.token_urlsafe(24),
                threads=_threads(),
                context_tokens=CONTEXT_TOKENS,
            )
        )
        return _servers[name].running


def _served(order: Order) -> _Server:
    # In a session of its own, so that Ctrl-C reaches us alone: what was asked last is still answered.
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "astrolabe.llm.serve_weights"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # Threads that wait sleep: on cores that others use, too, spinning ones are several times slower.
        env={**os.environ, "OMP_WAIT_POLICY": "passive"},
    )
    atexit.register(_end, process)
    if process.stdin is None or process.stdout is None:
        raise AssertionError("both were asked for as pipes")
    try:
        process.stdin.write(order.as_line())
        process.stdin.flush()
        news: dict[str, str] = json.loads(process.stdout.readline() or "{}")
    except OSError:
        news = {}
    if "address" not in news:
        _end(process)
        why = news.get("error", f"its process ended with exit code {process.returncode}")
        raise Stopped(f"embedded:{order.name}: the server did not start: {why}; `astrolabe doctor` looks for the cause")
    return _Server(process, Running(f"{news['address']}/v1", SecretStr(order.key)))


def _threads() -> int:
    return max(1, min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1))


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
