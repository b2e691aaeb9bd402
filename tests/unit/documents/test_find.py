from pathlib import Path

import pytest

from astrolabe.core.errors import UserError
from astrolabe.documents.find import find_files


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def sources(*paths: Path) -> list[str]:
    return [found.source for found in find_files(paths)]


def test_a_folders_files_are_found_in_order_by_their_relative_paths(tmp_path: Path) -> None:
    make(tmp_path, "b.txt", "a/z.txt", "a/b/c.txt", "B.txt")

    assert sources(tmp_path) == ["B.txt", "a/b/c.txt", "a/z.txt", "b.txt"]


def test_hidden_files_and_links_that_lead_out_are_skipped(tmp_path: Path) -> None:
    make(tmp_path, "docs/a.txt", "docs/.git/config", "docs/.hidden", "secret.txt", "more/b.txt")
    (tmp_path / "docs" / "out.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "docs" / "more").symlink_to(tmp_path / "more")
    (tmp_path / "docs" / "gone.txt").symlink_to(tmp_path / "nothing")

    assert sources(tmp_path / "docs") == ["a.txt"]


def test_a_file_named_by_itself_keeps_its_name(tmp_path: Path) -> None:
    make(tmp_path, "a/b.txt", "a/.env.txt")

    assert sources(tmp_path / "a" / "b.txt", tmp_path / "a" / ".env.txt") == ["b.txt", ".env.txt"]


def test_a_file_reached_twice_is_found_once(tmp_path: Path) -> None:
    make(tmp_path, "a/b.txt")

    assert sources(tmp_path, tmp_path / "a", tmp_path / "a" / "b.txt") == ["a/b.txt"]


def test_folders_with_the_same_names_in_them_are_told_apart(tmp_path: Path) -> None:
    make(tmp_path, "x/docs/readme.md", "y/docs/readme.md", "z/other.md")

    assert sources(tmp_path / "x" / "docs", tmp_path / "y" / "docs", tmp_path / "z") == [
        "x/docs/readme.md",
        "y/docs/readme.md",
        "other.md",
    ]


def test_a_file_has_the_same_key_however_it_is_named(tmp_path: Path) -> None:
    make(tmp_path, "a/b.txt")

    (below,) = find_files([tmp_path])
    (alone,) = find_files([tmp_path / "a" / "b.txt"])

    assert below.file_key == alone.file_key
    assert below.folder_key is not None
    assert alone.folder_key is None


def test_all_paths_that_do_not_exist_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"one.*two"):
        find_files([tmp_path, tmp_path / "one", tmp_path / "two"])


def test_what_a_study_has_made_is_no_document_and_what_the_user_put_there_is(tmp_path: Path) -> None:
    make(tmp_path / "s", "study.toml", "calls.sqlite", "benchmark/questions.jsonl", "answers/vanilla.jsonl")
    make(tmp_path / "s", "report/report.md", "documents/documents.jsonl")
    make(tmp_path, "s/papers/one.txt", "s/documents/two.txt", "answers/three.txt")

    found = [file.source for file in find_files([tmp_path])]

    assert found == ["answers/three.txt", "s/documents/two.txt", "s/papers/one.txt"]
    assert [file.source for file in find_files([tmp_path / "s" / "report"])] == ["report.md"]
