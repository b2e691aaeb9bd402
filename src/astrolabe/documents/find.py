"""Files below the paths that a user names, in a fixed order, each with the name that it keeps."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from astrolabe.core.errors import UserError
from astrolabe.core.ids import content_id
from astrolabe.store.folder import MADE_FILES, MADE_FOLDERS, SETTINGS


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file to read.

    Attributes:
        path: Where it is.
        source: Its path relative to the folder that was named, with `/`; a named file's own name.
        file_key: A short hash of its absolute path: the same file however it was named.
        folder_key: The same of the folder that was named; null for a file named by itself.
    """

    path: Path
    source: str
    file_key: str
    folder_key: str | None


def find_files(paths: Sequence[Path]) -> list[FoundFile]:
    """Return all files in the order of `paths`, within a folder sorted by their path.

    What a study has made in a folder below, hidden files and folders, links that lead out of the named
    folder, links to folders and what is no regular file are skipped. A file reached twice is kept once.
    Where two named folders hold files of the same relative path, the sources of both begin with as much
    of their folders' paths as tells them apart.

    Raises:
        UserError: A path does not exist, or is neither a file nor a folder; names all such.
    """
    missing = [path for path in paths if not path.is_file() and not path.is_dir()]
    if missing:
        named = ", ".join(repr(str(path)) for path in missing)
        msg = f"no such file or folder: {named}; check the spelling"
        raise UserError(msg)
    found: dict[Path, tuple[Path, Path | None, str]] = {}
    for root in dict.fromkeys(path.resolve() for path in paths):
        folder = root if root.is_dir() else None
        for file in _walk(root) if folder else [root]:
            found.setdefault(
                file, (root if folder else root.parent, folder, _shown(file.relative_to(root)) if folder else "")
            )
    entries = [(file, base, folder, name or _shown(Path(file.name))) for file, (base, folder, name) in found.items()]
    sources = _told_apart([(base, name) for _, base, _, name in entries])
    return [
        FoundFile(
            path=file,
            source=source,
            file_key=_key(file),
            folder_key=_key(folder) if folder else None,
        )
        for source, (file, _, folder, _) in zip(sources, entries, strict=True)
    ]


def folder_keys(paths: Sequence[Path]) -> set[str]:
    """Return the keys of those paths that are folders."""
    return {_key(path.resolve()) for path in paths if path.is_dir()}


def _walk(root: Path) -> Iterator[Path]:
    files: list[Path] = []
    made: set[Path] = set()
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if SETTINGS in names:
            # What a study makes is no document: questions and answers in the corpus would be gold given away.
            folders[:] = [name for name in folders if name not in MADE_FOLDERS]
            made |= {Path(folder, name) for name in MADE_FILES}
        files += [Path(folder, name) for name in names if not name.startswith(".")]
    files = [file for file in files if file not in made]
    for file in sorted(files, key=lambda file: file.relative_to(root).parts):
        if file.is_file() and (not file.is_symlink() or file.resolve().is_relative_to(root)):
            yield file


def _told_apart(entries: Sequence[tuple[Path, str]]) -> list[str]:
    """Return each name, with the last folders of its base before it where two bases have the name."""
    depth = {base: 0 for base, _ in entries}
    while True:
        names = [_prefixed(base, name, depth[base]) for base, name in entries]
        counts = Counter(names)
        clashing = {base for (base, _), name in zip(entries, names, strict=True) if counts[name] > 1}
        deeper = {base for base in clashing if depth[base] < len(base.parts)}
        if not deeper:
            return names
        for base in deeper:
            depth[base] += 1


def _prefixed(base: Path, name: str, depth: int) -> str:
    folders = [part.strip("/\\") or "root" for part in base.parts[len(base.parts) - depth :]] if depth else []
    return "/".join([*map(_shown, map(Path, folders)), name])


def _shown(path: Path) -> str:
    # The name's bytes as UTF-8, whatever the locale: the same file has the same source everywhere.
    return os.fsencode(path.as_posix()).decode("utf-8", "replace")


def _key(path: Path) -> str:
    return content_id("f", _shown(path))
