"""Refuses every connection that leaves this machine, in the tests and in the processes they start.

Python runs a module of this name at its start when it finds one on its path, so a folder in
`PYTHONPATH` is all that a child needs. An audit hook sees what C code does, too.
"""

import os
import sys
from typing import cast

_HOST_AT = {"socket.getaddrinfo": 0, "socket.gethostbyname": 0}
_ADDRESS_AT = {"socket.connect": 1, "socket.sendto": 1, "socket.sendmsg": 1}


class NetworkLockedError(RuntimeError):
    """A test tried to leave the machine. Not an OSError: nobody may take it for a broken line."""


def _named_host(event: str, arguments: tuple[object, ...]) -> str:
    """Return the host that an event names; empty for Unix sockets and connected ones."""
    host: object = None
    if event in _HOST_AT:
        host = arguments[_HOST_AT[event]]
    elif event in _ADDRESS_AT and isinstance(address := arguments[_ADDRESS_AT[event]], tuple):
        host = cast("tuple[object, ...]", address)[0]
    return host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if not event.startswith("socket."):  # first, and without globals: they are gone at the end
        return
    host = _named_host(event, arguments)
    here = host in {"", "localhost", "::1"} or host.startswith("127.")
    if not here and "ASTROLABE_TESTS_LIVE" not in os.environ:
        raise NetworkLockedError(
            f"{event}: {host!r} is not this machine. Tests run without a network: start a server "
            "on 127.0.0.1, or mark the test `live`."
        )


sys.addaudithook(_refuse)
