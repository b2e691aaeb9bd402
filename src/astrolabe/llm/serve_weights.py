"""The program that serves an embedded model over HTTP on loopback.

It reads one JSON line, writes one JSON line when it is ready or cannot be, and ends with its input: it never outlives
the process that started it. The key comes with the input, so that no list of processes shows it.
"""

import importlib
import json
import os
import sys
import threading
from dataclasses import asdict, dataclass
from typing import IO, Final, Protocol, cast

REPEAT_PENALTY: Final = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What to serve and how.

    Attributes:
        path: The file of weights.
        name: What the model is called in requests.
        key: Who does not send it is refused.
        threads: How many compute.
        context_tokens: The most tokens of a prompt and its reply together.
    """

    path: str
    name: str
    key: str
    threads: int
    context_tokens: int

    def as_line(self) -> bytes:
        """Return it as a line of JSON."""
        return json.dumps(asdict(self)).encode("ascii") + b"\n"


def serve(orders: IO[bytes], news: IO[bytes]) -> None:
    """Serve until the input ends."""
    order = Order(**json.loads(orders.readline()))
    # Already while the weights are loaded: who asked for them may be gone before they are.
    watch = threading.Thread(target=_end_with, args=[orders], daemon=True)
    watch.start()
    try:
        server = _started(order)
    except Exception as error:  # noqa: BLE001 - whatever it is, the process that asked has to say it
        said = {"error": str(error) or type(error).__name__}
    else:
        said = {"address": server.listening_address}
    news.write(json.dumps(said).encode("ascii") + b"\n")
    news.flush()
    watch.join()


class _Listening(Protocol):
    listening_address: str


def _started(order: Order) -> _Listening:
    # Its names come from a compiled module without types.
    xllamacpp = importlib.import_module("xllamacpp")
    settings = xllamacpp.CommonParams()
    settings.model.path = order.path
    settings.model_alias = {order.name}
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.api_keys = [order.key]
    settings.cors_origins = ""
    # One request at a time: on few cores a second one gains nothing, and alone a prompt has the same reply each time.
    settings.n_parallel = 1
    settings.n_ctx = order.context_tokens
    settings.cache_prompt = False
    # Small models fall into loops at temperature 0; the slightest penalty lets them come to an end.
    settings.sampling.penalty_repeat = REPEAT_PENALTY
    settings.cache_ram_mib = 0
    settings.cpuparams.n_threads = order.threads
    settings.cpuparams_batch.n_threads = order.threads
    settings.n_threads_http = 4
    settings.ui = False
    settings.offline = True
    settings.verbosity = 0
    return cast("_Listening", xllamacpp.Server(settings))


def _end_with(orders: IO[bytes]) -> None:
    while orders.read(1):
        pass
    os._exit(0)


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
