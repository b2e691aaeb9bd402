"""The lock that keeps every test, and every process it starts, on this machine."""

import asyncio
import os
import socket
import subprocess
import sys

import pytest

ELSEWHERE = ("192.0.2.1", 80)  # an address kept for documentation: nobody answers there


def test_a_test_that_leaves_the_machine_is_told_so() -> None:
    with socket.socket() as line, pytest.raises(RuntimeError, match="not this machine"):
        line.connect(ELSEWHERE)


def test_a_name_elsewhere_is_not_even_looked_up() -> None:
    with pytest.raises(RuntimeError, match=r"'astrolabe\.invalid' is not this machine"):
        socket.getaddrinfo("astrolabe.invalid", 80)


async def test_an_event_loop_is_locked_too() -> None:
    with pytest.raises(RuntimeError, match="not this machine"):
        await asyncio.open_connection(*ELSEWHERE)


def test_a_process_that_a_test_starts_is_locked_too() -> None:
    code = f"import socket; socket.socket().connect({ELSEWHERE!r})"

    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert "NetworkLockedError" in ended.stderr


def test_servers_on_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as line:
            line.sendall(b"here")
            answered, _ = server.accept()
        with answered:
            received = answered.recv(4)

    assert received == b"here"


@pytest.mark.skipif(os.name != "posix", reason="Unix sockets are addressed by a path")
def test_sockets_without_a_host_are_left_alone() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(b"here")

        assert other.recv(4) == b"here"
