"""A key stands nowhere in what a run leaves behind, however it was given and whatever the server says (D38)."""

import asyncio
import gc
import gzip
import logging
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from astrolabe.core.errors import AstrolabeError
from astrolabe.embed import open_embedder
from astrolabe.llm.stack import open_llm
from astrolabe.store.calls import CallRecord
from astrolabe.store.http import address_of
from astrolabe.store.model_names import ModelName
from astrolabe.study.settings import ModelSettings, Settings
from tests.commands import Command, Ended, ended, started
from tests.providers import asks_text
from tests.servers import Behaviour, Embeds, Says, Seen, Server, Status, serving
from tests.small_study import finds, model_at, small_study, speaks

CANARY = "sk-field-CANARY-0001"
SPELLED = (CANARY, "c2stZmllbGQtQ0FOQVJZLTAwMDE")
"""As it is, and in base64."""
ENVIRONMENT = ("OPENAI_API_KEY", "ASTROLABE_KEY_OPENAI")


def everything_in(folder: Path) -> bytes:
    """Return all that stands in a folder: names and contents, what is packed in them unpacked."""
    found: list[bytes] = []
    for path in folder.rglob("*"):
        found.append(str(path.relative_to(folder)).encode())
        if path.is_file():
            content = path.read_bytes()
            found += [content, gzip.decompress(content) if content.startswith(b"\x1f\x8b") else b""]
            found += rows_of(path) if content.startswith(b"SQLite format 3") else []
    return b"\n".join(found)


def rows_of(path: Path) -> list[bytes]:
    rows: list[bytes] = []
    with closing(sqlite3.connect(path)) as connection:
        for (table,) in list(connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")):
            for row in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608 - names of our own tables
                rows += [value if isinstance(value, bytes) else str(value).encode() for value in row]
                with suppress(zlib.error, TypeError):
                    rows.append(zlib.decompress(row[-1]))
    return rows


def assert_nowhere(folder: Path, *said: str) -> None:
    everything = everything_in(folder) + "\n".join(said).encode()

    assert len(everything) > 1000
    assert not [spelled for spelled in SPELLED if spelled.encode() in everything]


def plays_all(seen: Seen) -> Behaviour:
    if seen.path.endswith("/embeddings"):
        return Embeds()
    return finds()(seen) if seen.body["model"] == "judge" else speaks()(seen)


def with_key(url: str) -> str:
    return url.replace("http://", f"http://user:{CANARY}@")


def study_with_key(root: Path, server: Server, where: str, environment: pytest.MonkeyPatch) -> list[str]:
    """Write a study whose models get the key in one of the ways; return words for a command."""
    url = with_key(server.url) if where == "study.toml" else server.url
    small_study(root, answer=model_at(url), judge=f"openai:judge@{url}")
    settings = root / "study.toml"
    settings.write_text(settings.read_text("utf-8").replace('"hashed"', f'"openai:embeds@{url}"'), "utf-8")
    for name in ENVIRONMENT:
        environment.delenv(name, raising=False)
    if where in ENVIRONMENT:
        environment.setenv(where, CANARY)
    if where == "option":
        keyed = with_key(server.url)
        return ["--answer", model_at(keyed), "--judge", f"openai:judge@{keyed}", "--embed", f"openai:embeds@{keyed}"]
    return []


def whole_job(run: Callable[..., Ended], root: Path, options: list[str], carried: Path) -> list[Ended]:
    models = dict(zip(options[::2], options[1::2], strict=True))
    answer = [word for name in ("--answer", "--embed") if name in models for word in (name, models[name])]
    judge = [word for name in ("--judge", "--embed") if name in models for word in (name, models[name])]
    words = (
        ["plan", "run", "--method", "vanilla", *answer],
        ["run", "--method", "vanilla,llm_only", *answer, "--json"],
        ["score", "--metric", "topics,topics_local,cost", *judge],
        ["compare"],
        ["report"],
        ["status"],
        ["ask", "What moves the tides?", "--method", "vanilla", *answer],
        ["calls", "export", carried],
    )
    return [run(*line, "--study", root) for line in words]


@pytest.mark.parametrize("where", [*ENVIRONMENT, "study.toml", "option"])
def test_a_run_that_succeeds_leaves_the_key_nowhere(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    where: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    root = tmp_path / "s"
    with serving(plays_all) as server:
        options = study_with_key(root, server, where, monkeypatch)
        ends = whole_job(command, root, options, tmp_path / "calls.gz")
        sent = {seen.headers.get("Authorization") for seen in server.seen}
    if where == "study.toml":
        (root / "study.toml").unlink()  # where the user has written it

    assert "was set for the model that answers" in (root / "report" / "report.html").read_text("utf-8")
    assert {one.code for one in ends} == {0}, [one.err for one in ends]
    assert sent == {f"Bearer {CANARY}"}
    assert_nowhere(tmp_path, caplog.text, *(one.out + one.err for one in ends))


REFUSALS: dict[str, Behaviour] = {
    "401": Status(401, f"Incorrect API key provided: {CANARY}."),
    "400": Status(400, f"bad request of {CANARY}", error={"param": CANARY, "code": f"no_{CANARY}"}),
    "no JSON": Status(403, f"<html>{CANARY}</html>", headers={"X-Key": CANARY}),
}


@pytest.mark.parametrize("where", [*ENVIRONMENT, "study.toml", "option"])
@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_server_that_repeats_the_key_does_not_get_it_written_down(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    where: str,
    refusal: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    root = tmp_path / "s"
    with serving([REFUSALS[refusal]]) as server:
        options = study_with_key(root, server, where, monkeypatch)
        ends = [
            command("run", "--method", "llm_only", *options[:2], *options[4:], "--study", root),
            command("run", "--method", "vanilla", *options[:2], *options[4:], "--study", root),
        ]
        assert server.seen
    if where == "study.toml":
        (root / "study.toml").unlink()

    assert all(one.code in {1, 2, 3} for one in ends)
    assert_nowhere(tmp_path, caplog.text, *(one.out + one.err for one in ends))


def test_retries_are_logged_without_the_key(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    root = tmp_path / "s"
    with serving([Status(500, f"overloaded by {CANARY}", headers={"Retry-After": "0"}), Says("Yes.")]) as server:
        options = study_with_key(root, server, "option", monkeypatch)
        done = command("run", "--method", "llm_only", "--scope", "hard", *options[:2], "--study", root)

    assert done.code == 0
    assert "retry" in caplog.text
    assert_nowhere(tmp_path, caplog.text, done.out, done.err)


def test_debug_logging_in_a_process_of_its_own_says_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "s"
    with serving(plays_all) as server:
        study_with_key(root, server, "study.toml", monkeypatch)
        refused = ended(
            started("run", "--method", "vanilla", "--study", root, PYTHONASYNCIODEBUG="1", PYTHONDEVMODE="1")
        )
    (root / "study.toml").unlink()

    assert refused.code == 0
    assert_nowhere(tmp_path, refused.out, refused.err)


def test_a_system_of_the_users_with_a_key_in_its_address_leaves_it_nowhere(command: Command, tmp_path: Path) -> None:
    root = tmp_path / "s"
    small_study(root)
    with serving([Status(401, f"who is {CANARY}?")]) as server:
        ran = command("run", "--system", with_key(server.address), "--study", root)

    assert ran.code in {1, 3}
    assert server.seen
    assert_nowhere(tmp_path, ran.out, ran.err)


def test_no_object_shows_the_key(tmp_path: Path) -> None:
    """Every live object of ours, and every error that came of it, is shown without the key."""

    async def ask(server: Server) -> list[str]:
        shown: list[str] = []
        with CallRecord(tmp_path / "calls.sqlite") as record:
            url = with_key(server.url)
            embedder = open_embedder(f"openai:embeds@{url}", record=record)
            async with open_llm(model_at(url), record=record) as llm, embedder:
                for asked in (llm.ask(asks_text()), embedder.embed(["a"], side="query")):
                    try:
                        await asked
                    except AstrolabeError as error:
                        shown += [repr(error), str(error), repr(error.__cause__), repr(vars(error))]
                kept = (ModelName.parse(model_at(url)), address_of(url))
                live: list[object] = gc.get_objects()
                ours = [
                    one for one in live if id(one) not in old and str(type(one).__module__).startswith("astrolabe.")
                ]
                shown += [f"{one!r} {one}" for one in (*ours, *kept)]
                shown += [repr(dict(vars(one))) for one in ours if hasattr(one, "__dict__")]
        return shown

    before: list[object] = gc.get_objects()  # other tests write the key into settings, as users do
    old = {id(one) for one in before}
    with serving([Status(401, f"Incorrect API key: {CANARY}")]) as server:
        shown = asyncio.run(ask(server))

    assert len(shown) > 20
    assert not [one for one in shown for spelled in SPELLED if spelled in one]


def test_settings_with_a_key_in_an_address_are_shown_without_it() -> None:
    settings = Settings(models=ModelSettings(answer=f"openai:m@http://user:{CANARY}@127.0.0.1:9/v1"))

    assert CANARY not in f"{settings!r} {settings} {settings.models}"
    assert "openai:m@http://127.0.0.1:9/v1" in repr(settings)
