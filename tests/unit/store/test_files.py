import json
import os
import stat
from pathlib import Path

import pytest

from astrolabe.core.errors import UserError
from astrolabe.store.files import write_json, write_whole


def test_a_file_is_written_whole_and_its_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "text.txt"

    write_whole(path, "é\r\n\u2028")

    assert path.read_bytes() == "é\r\n\u2028".encode()
    assert [found.name for found in path.parent.iterdir()] == ["text.txt"]


def test_others_may_read_what_is_written_as_the_system_is_set(tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("x", "utf-8")

    write_whole(tmp_path / "ours.txt", "x")

    assert stat.S_IMODE((tmp_path / "ours.txt").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_write_that_fails_leaves_the_old_content_and_no_remains(tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    folder.mkdir()
    (folder / "kept").write_text("old", "utf-8")

    with pytest.raises(UserError, match=r"cannot write .*taken.*nothing of it was changed"):
        write_whole(folder, "new")

    assert [found.name for found in tmp_path.iterdir()] == ["taken"]
    assert (folder / "kept").read_text("utf-8") == "old"


def test_a_file_where_a_folder_should_be_is_an_error_for_people(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")

    with pytest.raises(UserError, match="cannot write"):
        write_whole(tmp_path / "file" / "below.txt", "new")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a folder that this user may not write to")
def test_a_folder_that_is_read_only_is_an_error_for_people(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(UserError, match="Choose a folder that can be written to"):
        write_whole(tmp_path / "x.txt", "new")


def test_json_is_indented_and_holds_no_nan(tmp_path: Path) -> None:
    write_json(tmp_path / "m.json", {"name": "é", "n": None})

    assert json.loads((tmp_path / "m.json").read_text("utf-8")) == {"name": "é", "n": None}
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "n.json", {"n": float("nan")})
    assert not (tmp_path / "n.json").exists()
