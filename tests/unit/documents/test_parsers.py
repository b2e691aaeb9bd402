import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from astrolabe.core.errors import UserError
from astrolabe.documents.fields import RecordFields
from astrolabe.documents.job import Job
from astrolabe.documents.parsers import Parsers

STUBBORN = """
import os, re
from pathlib import Path
from astrolabe.documents import worker
from astrolabe.documents.fields import RecordFields
from astrolabe.documents.parse import parse_file

def stubborn(path: Path, fields: RecordFields):
    if path.stem == "spins":
        re.fullmatch("(a+)+b", "a" * 60)  # native code that holds the interpreter's lock for years
    if path.stem == "crashes":
        os.abort()
    print("a library's chatter")
    yield from parse_file(path, fields)
    if path.stem == "half":
        os.abort()

worker.parse_file = stubborn
worker.main()
"""


@pytest.fixture
def stubborn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A parsing process that spins or crashes on files of those names."""
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    return "stubborn"


@pytest.fixture
def parsers(stubborn: str) -> Iterator[Parsers]:
    opened = Parsers(0.5, module=stubborn)
    yield opened
    opened.close()


def file(folder: Path, name: str) -> Path:
    path = folder / f"{name}.txt"
    path.write_text(name)
    return path


# D02
def test_code_that_never_returns_is_stopped_at_the_limit_and_the_next_file_is_read(
    parsers: Parsers, tmp_path: Path
) -> None:
    began = time.perf_counter()

    (stuck,) = parsers.parse(file(tmp_path, "spins"), RecordFields())
    (following,) = parsers.parse(file(tmp_path, "good"), RecordFields())

    assert stuck.failure == "not read within 0.5 s, the time limit for a file; raise it or mend the file"
    assert following.text == "good"
    assert time.perf_counter() - began < 20


def test_a_parser_that_crashes_fails_its_file_alone(parsers: Parsers, tmp_path: Path) -> None:
    (crashed,) = parsers.parse(file(tmp_path, "crashes"), RecordFields())
    (following,) = parsers.parse(file(tmp_path, "good"), RecordFields())

    assert crashed.failure is not None
    assert "the parser crashed: it ended with signal 6" in crashed.failure
    assert following.text == "good"


def test_what_came_before_a_crash_is_kept(parsers: Parsers, tmp_path: Path) -> None:
    text, crash = parsers.parse(file(tmp_path, "half"), RecordFields())

    assert text.text == "half"
    assert crash.failure is not None
    assert crash.failure.startswith("after 1 record(s): the parser crashed")


def test_closing_ends_a_process_that_is_busy(stubborn: str, tmp_path: Path) -> None:
    parsers = Parsers(60.0, module=stubborn)
    reading = threading.Thread(target=parsers.parse, args=(file(tmp_path, "spins"), RecordFields()))
    parsers.parse(file(tmp_path, "good"), RecordFields())
    reading.start()
    time.sleep(0.1)

    parsers.close()
    reading.join(5)

    assert not reading.is_alive()
    with pytest.raises(UserError, match="stopped"):
        parsers.parse(file(tmp_path, "good"), RecordFields())


def test_a_process_that_does_not_start_is_an_error_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No module named"):
        Parsers(1.0, module="no_such_module_anywhere").parse(file(tmp_path, "good"), RecordFields())


def test_a_process_whose_parent_is_gone_ends_by_itself(stubborn: str, tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-m", stubborn], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    job = Job(path=str(file(tmp_path, "spins")), fields=RecordFields(), seconds=-4.8)  # and five of grace

    process.stdin.write(job.line())
    process.stdin.flush()

    assert process.wait(10) == 1
    process.communicate()
