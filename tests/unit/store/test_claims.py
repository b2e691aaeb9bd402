"""Claims: one holder a key, among records, processes and threads."""

import subprocess
import sys
from pathlib import Path

import pytest

from astrolabe.store import claims as module
from astrolabe.store.calls import CallRecord
from astrolabe.store.claims import Claims

KEY, OTHER = b"k" * 32, b"o" * 32

_HOLDER = """
import sys, time
from pathlib import Path
from astrolabe.store.claims import Claims
print(Claims(Path(sys.argv[1])).take(b"k" * 32), flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls.sqlite-claims"


def holder(path: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", _HOLDER, str(path)], stdout=subprocess.PIPE, text=True)


def test_a_key_has_one_holder_until_it_is_given_up(path: Path) -> None:
    first, second = Claims(path), Claims(path)

    assert first.take(KEY)
    assert not second.take(KEY)
    assert not first.take(KEY)  # another task of the same process
    assert second.take(OTHER)
    first.drop(KEY)
    assert second.take(KEY)
    first.close()
    second.close()


def test_closing_gives_up_what_is_held_and_only_that(path: Path) -> None:
    first, second, third = Claims(path), Claims(path), Claims(path)
    first.take(KEY)
    second.take(OTHER)

    first.close()

    assert third.take(KEY)
    assert not third.take(OTHER)
    second.close()
    third.close()


def test_a_claim_ends_with_its_process_however_that_ends(path: Path) -> None:
    other = holder(path)
    assert other.stdout is not None
    assert other.stdout.readline() == "True\n"
    claims = Claims(path)
    held = claims.take(KEY)
    other.kill()
    other.communicate(timeout=10)

    assert not held
    assert claims.take(KEY)
    claims.close()


def test_a_system_without_locks_of_open_files_has_those_of_processes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_OWN_LOCKS", None)
    other = holder(path)
    assert other.stdout is not None
    other.stdout.readline()
    claims = Claims(path)
    held = claims.take(KEY)
    other.kill()
    other.communicate(timeout=10)

    assert not held
    assert claims.take(KEY)
    claims.drop(KEY)
    claims.close()


@pytest.mark.parametrize("nobody_else", ["memory", "no locks"])
def test_where_nobody_else_can_be_a_claim_holds_within_the_process(
    path: Path, monkeypatch: pytest.MonkeyPatch, nobody_else: str
) -> None:
    if nobody_else == "no locks":
        monkeypatch.setattr(module, "fcntl", None)
    claims = Claims(None if nobody_else == "memory" else path)

    assert claims.take(KEY)
    assert not claims.take(KEY)
    claims.drop(KEY)
    assert claims.take(KEY)
    assert not path.exists()


def test_a_disk_that_cannot_lock_stops_nobody(tmp_path: Path) -> None:
    claims = Claims(tmp_path / "not a folder" / "claims")

    assert claims.take(KEY)
    claims.drop(KEY)


def test_the_file_of_claims_stays_empty(tmp_path: Path) -> None:
    with CallRecord(tmp_path / "calls.sqlite") as record:
        record.claims.take(KEY)
        size = (tmp_path / "calls.sqlite-claims").stat().st_size

    assert size == 0
