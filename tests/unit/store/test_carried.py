"""Calls carried from one record to another as one file."""

import gzip
import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from astrolabe.core.errors import UserError
from astrolabe.core.records import Usage
from astrolabe.store.calls import Caller, CallRecord, StoredFailure, StoredReply
from astrolabe.store.carried import Carried, export_calls, import_calls

CALLER = Caller(model="openai:m@http://127.0.0.1:1/v1 chat", prompt="write.v1", stage="answer.write")
REPLY = StoredReply(text="Naïve 数据 🚀\nyes", usage=Usage(calls=1, prompt_tokens=7, usd=None, seconds=0.1 + 0.2))
FAILURE = StoredFailure(status="truncated", reason="cut at 50 tokens", text='{"topics": ["a')
TOOK = {"usage": REPLY.usage.model_dump(), "started_at": "2026-11-30T10:00:00Z"}


def key(number: int) -> bytes:
    return number.to_bytes(32, "big")


@pytest.fixture
def full(tmp_path: Path) -> Path:
    path = tmp_path / "full" / "calls.sqlite"
    with CallRecord(path) as record:
        record.put(key(1), REPLY, CALLER)
        record.put(key(2), REPLY, CALLER)
        record.put_failure(key(3), FAILURE, CALLER)
        record.put_failure(key(3), StoredFailure(status="empty", reason="later", text=""), CALLER)
        record.put_vectors({key(number): bytes([number, 0, 0, 0]) for number in range(5)})
        record.put_took(key(9), TOOK)
    return path


@pytest.fixture
def exported(full: Path, tmp_path: Path) -> Path:
    export_calls(full, tmp_path / "calls.gz")
    return tmp_path / "calls.gz"


def rewritten(file: Path, change: "Change") -> None:
    """Change the lines of an exported file and make its last line fit them."""
    lines = change(gzip.decompress(file.read_bytes()).splitlines(keepends=True)[:-1])
    end = {"table": "end", "rows": len(lines) - 1, "sha256": sha256(b"".join(lines)).hexdigest()}
    file.write_bytes(gzip.compress(b"".join(lines) + json.dumps(end).encode() + b"\n"))


def test_everything_arrives_as_it_was(full: Path, tmp_path: Path) -> None:
    sent = export_calls(full, tmp_path / "calls.gz")
    got = import_calls(tmp_path / "new" / "calls.sqlite", tmp_path / "calls.gz")

    assert sent == got == Carried(replies=2, failures=2, vectors=5, took=1)
    with CallRecord(tmp_path / "new" / "calls.sqlite") as record:
        assert record.get(key(1)) == record.get(key(2)) == REPLY
        assert record.get_failure(key(3)) == StoredFailure(status="empty", reason="later", text="")
        assert record.get_vectors([key(4)]) == {key(4): b"\4\0\0\0"}
        assert record.get_took(key(9)) == TOOK
        assert record.get(key(3)) is None


def test_the_same_calls_make_the_same_file(full: Path, exported: Path, tmp_path: Path) -> None:
    import_calls(tmp_path / "new.sqlite", exported)
    export_calls(tmp_path / "new.sqlite", tmp_path / "again.gz")
    export_calls(full, tmp_path / "twice.gz")

    assert exported.read_bytes() == (tmp_path / "again.gz").read_bytes() == (tmp_path / "twice.gz").read_bytes()


def test_vectors_may_stay_behind(full: Path, tmp_path: Path) -> None:
    sent = export_calls(full, tmp_path / "calls.gz", vectors=False)

    assert (sent.replies, sent.vectors) == (2, 0)
    assert import_calls(tmp_path / "new.sqlite", tmp_path / "calls.gz").vectors == 0


def test_what_is_there_is_not_overwritten_and_nothing_comes_twice(exported: Path, tmp_path: Path) -> None:
    own = StoredReply(text="our own", usage=Usage(calls=1))
    path = tmp_path / "own.sqlite"
    with CallRecord(path) as record:
        record.put(key(1), own, CALLER)
    first = import_calls(path, exported)
    second = import_calls(path, exported)

    assert (first.replies, first.failures, first.known) == (1, 2, 1)
    assert second == Carried(known=10)
    with CallRecord(path) as record:
        assert record.get(key(1)) == own


def test_a_success_here_stays_one_where_the_file_knows_only_a_failure(exported: Path, tmp_path: Path) -> None:
    with CallRecord(tmp_path / "own.sqlite") as record:
        record.put(key(3), REPLY, CALLER)

    import_calls(tmp_path / "own.sqlite", exported)

    with CallRecord(tmp_path / "own.sqlite") as record:
        assert record.get(key(3)) == REPLY


def test_calls_may_be_recorded_while_they_are_exported(full: Path, tmp_path: Path) -> None:
    with CallRecord(full) as record:
        record.put(key(50), REPLY, CALLER).result(5)
        sent = export_calls(full, tmp_path / "calls.gz")
        record.put(key(51), REPLY, CALLER).result(5)

    assert sent.replies == 3


def test_a_file_cut_anywhere_is_refused_and_nothing_of_it_is_taken(exported: Path, tmp_path: Path) -> None:
    whole = exported.read_bytes()
    for length in range(0, len(whole), 37):
        exported.write_bytes(whole[:length])
        with pytest.raises(UserError, match=r"nothing was imported"):
            import_calls(tmp_path / "new.sqlite", exported)

    with CallRecord(tmp_path / "new.sqlite") as record:
        assert record.get(key(1)) is None


def test_a_file_cut_at_a_line_is_refused_too(exported: Path, tmp_path: Path) -> None:
    lines = gzip.decompress(exported.read_bytes()).splitlines(keepends=True)
    for number in range(1, len(lines)):
        exported.write_bytes(gzip.compress(b"".join(lines[:number])))
        with pytest.raises(UserError, match="it ends in the middle; nothing was imported"):
            import_calls(tmp_path / "new.sqlite", exported)


def test_a_reply_that_was_changed_is_noticed(exported: Path, tmp_path: Path) -> None:
    text = gzip.decompress(exported.read_bytes())
    exported.write_bytes(gzip.compress(text.replace(b"yes", b"no!")))

    with pytest.raises(UserError, match="was changed after it was written"):
        import_calls(tmp_path / "new.sqlite", exported)


Change = Callable[[list[bytes]], list[bytes]]


def with_line(line: bytes) -> Change:
    """Add a row behind the others."""
    return lambda lines: [*lines, line + b"\n"]


def with_head(line: bytes) -> Change:
    """Put another first line."""
    return lambda lines: [line + b"\n", *lines[1:]]


def changed(**fields: object) -> Change:
    """Change fields of the first row."""
    return lambda lines: [lines[0], json.dumps({**json.loads(lines[1]), **fields}).encode() + b"\n", *lines[2:]]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (changed(key="../../etc/passwd"), r"line 2: holds no row \(calls\.key"),
        (changed(usage={"calls": -1}), r"line 2: holds no row \(calls\.usage\.calls"),
        (changed(text=None), r"calls\.text"),
        (changed(table="sqlite_master"), r"line 2: holds no row"),
        (changed(table="failures"), r"line 2: holds no row \(failures\.status"),
        (changed(surplus=1), r"calls\.surplus"),
        (changed(at=float("nan")), r"line 2: holds no row"),
        (with_line(b'{"table": "vectors", "key": "' + b"0" * 64 + b'", "vector": "%%"}'), r"line 12: "),
        (with_line(b'{"table": "vectors", "key": "' + b"0" * 64 + b'", "vector": "AA=="}'), "whole"),
        (with_head(b'{"format": "notes", "version": 1}'), "line 1: is no file of exported calls"),
        (with_head(b'{"format": "astrolabe calls", "version": 2}'), "newer Astrolabe"),
        (with_line(b"[" * 100_000), "line 12: holds no row"),
    ],
)
def test_hostile_lines_are_named_and_nothing_is_taken(
    exported: Path, tmp_path: Path, change: Change, problem: str
) -> None:
    rewritten(exported, change)

    with pytest.raises(UserError, match=problem):
        import_calls(tmp_path / "new.sqlite", exported)

    with CallRecord(tmp_path / "new.sqlite") as record:
        assert record.get(key(1)) is record.get(key(2)) is None


@pytest.mark.parametrize("behind", [b"\n", b'{"table": "end", "rows": 0, "sha256": ""}\n'])
def test_what_stands_behind_the_end_is_refused(exported: Path, tmp_path: Path, behind: bytes) -> None:
    exported.write_bytes(gzip.compress(gzip.decompress(exported.read_bytes()) + behind))

    with pytest.raises(UserError, match="goes on behind its end"):
        import_calls(tmp_path / "new.sqlite", exported)


@pytest.mark.parametrize(
    "content", [b"", b"plain notes\n", gzip.compress(b"", mtime=0), gzip.compress(b"notes\n", mtime=0)]
)
def test_another_file_is_no_exported_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "notes").write_bytes(content)

    with pytest.raises(UserError, match=r"is no file of exported calls|is torn or damaged"):
        import_calls(tmp_path / "new.sqlite", tmp_path / "notes")


def test_a_file_or_a_record_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no file '.*missing' to import"):
        import_calls(tmp_path / "new.sqlite", tmp_path / "missing")
    with pytest.raises(UserError, match="nothing was asked here yet"):
        export_calls(tmp_path / "none.sqlite", tmp_path / "calls.gz")
    with pytest.raises(UserError, match="cannot be read"):
        import_calls(tmp_path / "new.sqlite", tmp_path)

    assert not list(tmp_path.iterdir())


def test_an_export_that_cannot_be_written_leaves_nothing(full: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "folder" / "in the way").mkdir(parents=True)

    with pytest.raises(UserError, match="cannot write"):
        export_calls(full, tmp_path / "file" / "calls.gz")
    with pytest.raises(UserError, match="cannot write"):
        export_calls(full, tmp_path / "folder")

    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "full"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_an_export_takes_the_place_of_no_pipe_or_device(full: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")

    for place in ("pipe", "link"):
        with pytest.raises(UserError, match="a folder or a device, not a file"):
            export_calls(full, tmp_path / place)

    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()


def test_an_export_to_a_link_fills_what_it_leads_to(full: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "calls.gz")

    export_calls(full, tmp_path / "link")

    assert (tmp_path / "link").is_symlink()
    assert import_calls(tmp_path / "new.sqlite", tmp_path / "calls.gz").replies == 2


def test_a_damaged_record_is_not_exported_as_if_it_were_whole(full: Path, tmp_path: Path) -> None:
    pages = full.read_bytes()
    full.write_bytes(pages[:4096] + b"\xff" * 4096 * 3 + pages[4096 * 4 :])

    with pytest.raises(UserError, match="move it away"):
        export_calls(full, tmp_path / "calls.gz")

    assert not (tmp_path / "calls.gz").exists()
