"""The server of embedded models: started once, locked, and never left behind.

What SmolLM2 says means nothing and is not looked at; that it keeps to a schema is.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from astrolabe.core.errors import ConfigError, UserError
from astrolabe.core.prompt import Message, Prompt
from astrolabe.llm import embedded
from astrolabe.llm.stack import open_llm
from astrolabe.llm.weights import find
from astrolabe.store.calls import CallRecord

SMALL = "smollm2-135m"


@pytest.fixture
def small() -> str:
    """The small model; without its weights a test of it is skipped, in CI it fails."""
    if not embedded.is_installed() or find(SMALL) is None:
        missing = f"needs the extra [embedded] and `astrolabe models fetch {SMALL}`"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return SMALL


class City(BaseModel):
    """A reply that a model cannot get wrong in form."""

    city: str = Field(max_length=40)
    inhabitants: int = Field(ge=0, le=99_999_999)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


async def test_a_structured_reply_comes_through_the_whole_stack(small: str) -> None:
    prompt = Prompt(
        name="city.v1",
        stage="test.city",
        messages=(Message(role="user", content="Name a city and how many people live there, as JSON."),),
        reply=City,
        max_tokens=120,
    )
    with CallRecord(None) as record:
        async with open_llm(f"embedded:{small}", record=record) as llm:
            reply = await llm.ask(prompt)

    assert isinstance(reply.value, City)
    assert reply.usage.usd == 0.0
    assert reply.usage.prompt_tokens > 10


async def test_one_server_a_model_that_wants_its_key(small: str) -> None:
    async with asyncio.TaskGroup() as group:
        starts = [group.create_task(embedded.start(small)) for _ in range(3)]
    first, *others = [start.result() for start in starts]

    assert others == [first, first]
    assert first.url.startswith("http://127.0.0.1:")
    assert first.url.endswith("/v1")
    assert first.key.get_secret_value() not in repr(first)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        await asyncio.to_thread(urllib.request.urlopen, f"{first.url}/completions", b"{}")
    with await asyncio.to_thread(urllib.request.urlopen, first.url.replace("/v1", "/health")) as health:
        assert json.load(health) == {"status": "ok"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
@pytest.mark.parametrize("ending", ["killed", "ended"])
def test_the_server_ends_with_the_process_that_started_it(small: str, ending: str) -> None:
    program = (
        "import asyncio, sys\n"
        "from astrolabe.llm import embedded\n"
        f"asyncio.run(embedded.start({small!r}))\n"
        f"print(embedded._servers[{small!r}].process.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        server = int(parent.stdout.readline())
        ran = is_running(server)
        if ending == "killed":
            parent.send_signal(signal.SIGKILL)
        else:
            parent.communicate()

    until = time.monotonic() + 5
    while is_running(server) and time.monotonic() < until:
        time.sleep(0.02)

    assert ran
    assert not is_running(server)


async def test_missing_weights_name_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASTROLABE_CACHE", str(tmp_path))

    with pytest.raises(UserError, match=r"astrolabe models fetch qwen2\.5-coder-0\.5b"):
        await embedded.start("qwen2.5-coder-0.5b")


async def test_an_unknown_model_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="smollm2-135m"):
        await embedded.start("gpt-9")


def test_weights_that_cannot_be_served_are_a_named_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(100))
    order = {"path": str(broken), "name": "x", "key": "k", "threads": 1, "context_tokens": 512}
    if not embedded.is_installed():
        pytest.skip("needs the extra [embedded]")

    command = [sys.executable, "-m", "astrolabe.llm.serve_weights"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(order).encode() + b"\n")
        process.stdin.flush()
        news = json.loads(process.stdout.readline())

    assert news["error"]
    assert "address" not in news
