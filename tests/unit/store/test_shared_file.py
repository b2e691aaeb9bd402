"""A file that several processes append to."""

import threading
from pathlib import Path

import pytest
from pydantic import BaseModel

from astrolabe.core.errors import FileError
from astrolabe.store.lines import append_records, read_records, recover_records, settle_records, write_records
from astrolabe.store.shared_file import SharedFile


class Row(BaseModel):
    name: str
    number: int = 0


def row(name: str, number: int = 0) -> Row:
    return Row(name=name, number=number)


def place(one: Row) -> tuple[str, ...]:
    return (one.name,)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "rows.jsonl"


def test_what_others_append_is_news_once(path: Path) -> None:
    append_records(path, [row("before")])
    ours, others = SharedFile(path, Row), SharedFile(path, Row)

    others.append([row("a"), row("b")])
    first = ours.news()
    second = ours.news()

    assert first == [row("a"), row("b")]
    assert second == []
    assert read_records(path, Row) == [row("before"), row("a"), row("b")]


def test_what_one_appends_oneself_is_no_news(path: Path) -> None:
    ours = SharedFile(path, Row)
    for number in range(3):
        ours.append([row("ours", number)])

    assert ours.news() == []


def test_others_between_ones_own_are_not_missed(path: Path) -> None:
    ours, others = SharedFile(path, Row), SharedFile(path, Row)
    ours.append([row("ours")])
    others.append([row("theirs")])
    ours.append([row("ours", 2)])

    assert row("theirs") in ours.news()
    assert ours.news() == []


def test_a_file_that_is_replaced_or_removed_is_news_as_a_whole(path: Path) -> None:
    append_records(path, [row("long before " * 9)])
    ours = SharedFile(path, Row)
    path.unlink()
    nothing = ours.news()
    write_records(path, [row("new")])

    assert nothing == []
    assert ours.news() == [row("new")]


def test_a_longer_file_in_the_same_place_is_read_from_its_start(path: Path) -> None:
    append_records(path, [row("a")])
    ours = SharedFile(path, Row)
    with path.open("r+b") as file:  # the same file on the disk, as where its number is given again
        file.truncate()
        file.write(b'{"name": "another and longer one"}\n')

    assert ours.news() == [row("another and longer one")]


def test_a_line_that_is_still_written_is_news_when_it_is_whole(path: Path) -> None:
    append_records(path, [row("a")])
    ours = SharedFile(path, Row)
    with path.open("ab") as file:
        file.write(b'{"name": "b", ')
        file.flush()
        torn = ours.news()
        file.write(b'"number": 5}\n')

    assert torn == []
    assert ours.news() == [row("b", 5)]


def test_a_torn_line_that_was_cut_off_hides_nothing(path: Path) -> None:
    append_records(path, [row("a")])
    with path.open("ab") as file:
        file.write(b'{"name": "tor')
    ours = SharedFile(path, Row)
    append_records(path, [row("b"), row("c")])

    assert ours.news() == [row("b"), row("c")]


def test_a_faulty_line_is_an_error(path: Path) -> None:
    append_records(path, [row("a")])
    ours = SharedFile(path, Row)
    with path.open("ab") as file:
        file.write(b"{}\n")

    with pytest.raises(FileError, match="name"):
        ours.news()


def test_a_torn_line_longer_than_a_block_is_cut_off(path: Path) -> None:
    append_records(path, [row("a")])
    with path.open("ab") as file:
        file.write(b"x" * 200_000)

    where = append_records(path, [row("b")])

    assert read_records(path, Row) == [row("a"), row("b")]
    assert (where.start, where.end) == (len(row("a").model_dump_json()) + 1, path.stat().st_size)


def test_a_file_of_one_torn_line_starts_afresh(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{"name": "to')

    assert append_records(path, [row("a")]).start == 0
    assert recover_records(path, Row) == [row("a")]


def test_settled_records_stand_in_the_order_of_their_places_the_latest_alone(path: Path) -> None:
    append_records(path, [row("b", 1), row("a", 1), row("b", 2)])
    settle_records(path, Row, place)

    assert read_records(path, Row) == [row("a", 1), row("b", 2)]


def test_a_file_that_is_settled_is_left_as_it_is(path: Path) -> None:
    settle_records(path, Row, place)
    missing = path.exists()
    append_records(path, [row("a"), row("b")])
    before = path.stat().st_ino
    settle_records(path, Row, place)

    assert not missing
    assert path.stat().st_ino == before


def test_what_is_appended_while_a_file_is_settled_is_not_lost(path: Path) -> None:
    append_records(path, [row("z"), row("y")])

    def append() -> None:
        for number in range(50):
            append_records(path, [row(f"a{number:02}")])

    threads = [threading.Thread(target=append) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        settle_records(path, Row, place)
    for thread in threads:
        thread.join()
    settle_records(path, Row, place)

    assert [one.name for one in read_records(path, Row)] == [*(f"a{number:02}" for number in range(50)), "y", "z"]
