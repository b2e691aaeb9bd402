import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from astrolabe.core.errors import UserError
from astrolabe.core.records import Usage
from astrolabe.store.call_file import VERSION
from astrolabe.store.calls import Caller, CallRecord, StoredFailure, StoredReply

CALLER = Caller(model="openai:m chat", prompt="write.v1", stage="answer.write")
REPLY = StoredReply(text="Naïve 数据 🚀\nyes", usage=Usage(calls=1, prompt_tokens=7, usd=None, seconds=0.5))


def _key(number: int) -> bytes:
    return number.to_bytes(32, "big")


@pytest.fixture(params=["file", "memory"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "study" / "calls.sqlite" if request.param == "file" else None


def test_a_reply_comes_back_as_it_was_put(path: Path | None) -> None:
    with CallRecord(path) as record:
        record.put(_key(1), REPLY, CALLER).result(5)

        assert record.get(_key(1)) == REPLY
        assert record.get(_key(2)) is None


def test_a_later_reply_replaces_an_earlier_one(path: Path | None) -> None:
    later = StoredReply(text="later", usage=Usage())
    with CallRecord(path) as record:
        record.put(_key(1), REPLY, CALLER)
        record.put(_key(1), later, CALLER).result(5)

        assert record.get(_key(1)) == later


def test_failures_are_kept_apart_and_the_last_one_counts(path: Path | None) -> None:
    first = StoredFailure(status="empty", reason="no text", text="")
    last = StoredFailure(status="unparsed", reason="prose", text="I think")
    with CallRecord(path) as record:
        record.put_failure(_key(1), first, CALLER)
        record.put_failure(_key(1), last, CALLER).result(5)

        assert record.get(_key(1)) is None
        assert record.get_failure(_key(1)) == last
        assert record.get_failure(_key(2)) is None


def test_vectors_come_back_by_key_and_missing_ones_are_left_out(path: Path | None) -> None:
    vectors = {_key(number): bytes([number % 256] * 8) for number in range(1200)}
    with CallRecord(path) as record:
        record.put_vectors(vectors).result(5)

        assert record.get_vectors([_key(number) for number in range(1100, 1300)]) == {
            _key(number): vectors[_key(number)] for number in range(1100, 1200)
        }
        assert record.get_vectors(list(vectors)) == vectors
        assert record.get_vectors([]) == {}


def test_closing_writes_what_waits(tmp_path: Path) -> None:
    with CallRecord(tmp_path / "calls.sqlite") as record:
        for number in range(500):
            record.put(_key(number), REPLY, CALLER)
    with CallRecord(tmp_path / "calls.sqlite") as record:
        assert all(record.get(_key(number)) == REPLY for number in range(500))


def test_closing_twice_is_closing_once_and_a_closed_record_says_so(path: Path | None) -> None:
    record = CallRecord(path)
    record.close()
    record.close()

    with pytest.raises(UserError, match="is closed"):
        record.put(_key(1), REPLY, CALLER)


def test_two_records_of_one_file_see_each_other_at_once(tmp_path: Path) -> None:
    with CallRecord(tmp_path / "calls.sqlite") as first, CallRecord(tmp_path / "calls.sqlite") as second:
        first.put(_key(1), REPLY, CALLER).result(5)
        second.put(_key(2), REPLY, CALLER).result(5)

        assert second.get(_key(1)) == first.get(_key(2)) == REPLY


def test_many_threads_put_and_get(path: Path | None) -> None:
    with CallRecord(path) as record, ThreadPoolExecutor(8) as pool:

        def put_and_get(number: int) -> StoredReply | None:
            record.put(_key(number), REPLY, CALLER).result(5)
            return record.get(_key(number))

        found = list(pool.map(put_and_get, range(200)))

    assert found == [REPLY] * 200


_WRITER = """
import sys
from pathlib import Path
from astrolabe.core.records import Usage
from astrolabe.store.calls import Caller, CallRecord, StoredReply
caller = Caller(model="m", prompt="p", stage="s")
first = int(sys.argv[2])
with CallRecord(Path(sys.argv[1])) as record:
    for number in range(first, first + 300):
        reply = StoredReply(text=str(number), usage=Usage())
        record.put(number.to_bytes(32, "big"), reply, caller).result(60)
"""


def test_two_processes_write_at_once_without_loss(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(path), str(first)], stderr=subprocess.PIPE)
        for first in (0, 300)
    ]

    complaints = [writer.communicate(timeout=60)[1] for writer in writers]

    assert complaints == [b"", b""]
    with CallRecord(path) as record:
        assert [getattr(record.get(_key(number)), "text", None) for number in range(600)] == list(map(str, range(600)))


def test_a_put_waits_while_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with CallRecord(path) as record:
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(0.2, lambda: other.execute("COMMIT")).start()

        written = record.put(_key(1), REPLY, CALLER)

        assert not written.done()
        assert record.get(_key(1)) is None  # reading does not wait
        written.result(5)
        other.close()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")

    with pytest.raises(UserError, match=r"cannot open '.*calls\.sqlite'.*choose another folder"):
        CallRecord(tmp_path / "file" / "calls.sqlite")


def test_a_file_that_is_no_record_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    path.write_text("these are notes, long enough to be no empty database " * 100)

    with pytest.raises(UserError, match=r"damaged or no record of calls .*move it away"):
        CallRecord(path)

    assert path.read_text().startswith("these are notes")


def test_a_record_of_a_newer_version_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    CallRecord(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()

    with pytest.raises(UserError, match=f"version {VERSION + 1}.*newer"):
        CallRecord(path)


def test_a_write_that_fails_is_told_to_who_waits_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with CallRecord(path) as record:
        record.put(_key(1), REPLY, CALLER).result(5)
        other = sqlite3.connect(path)
        other.execute("DROP TABLE vectors")
        other.close()

        failed = record.put_vectors({_key(1): b"x"})

        with pytest.raises(UserError, match=r"cannot write .* still there"):
            failed.result(5)
        record.put(_key(2), REPLY, CALLER).result(5)
        assert record.get(_key(1)) == record.get(_key(2)) == REPLY


def test_a_record_is_closed_under_threads_that_read_it(tmp_path: Path) -> None:
    record = CallRecord(tmp_path / "calls.sqlite")
    keys = [number.to_bytes(4, "big") * 8 for number in range(2_000)]
    record.put_vectors(dict.fromkeys(keys, b"0" * 1_500)).result()
    ended: list[str] = []

    def read() -> None:
        try:
            while True:
                record.get_vectors(keys)
        except UserError as error:
            ended.append(str(error))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    record.close()
    for reader in readers:
        reader.join(20)

    assert len(ended) == 3
    assert all("cannot read" in said for said in ended)
