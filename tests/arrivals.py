"""Every method's answer and index, where replies arrive in an order of chance: run apart, so that hash seeds differ.

    python -m tests.arrivals SEED

writes an object with `answers`, by method, and `indexes`, a digest of what is saved of each, to stdout; seed 0 lets
every reply arrive at once.
"""

import asyncio
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.protocols import IndexSpec
from astrolabe.llm.scripted import Scripted
from astrolabe.methods import METHODS
from tests.sensible import sensible
from tests.six_passages import QUESTION, TEXTS, TracedKit, passage

if TYPE_CHECKING:
    from pydantic import BaseModel, JsonValue

R = TypeVar("R", bound="BaseModel | str")
MORE = (
    "Salt pans of Venice dry sea water in the sun.",
    "Fishers of Bergen mend nets while the moon is full.",
    "Fishers of Bergen mend nets while the moon is full.",
    "Divers of Naples know the tides of Naples and the lamps of Bergen.",
    "Pilots of Dover read the tide table before they leave.",
    "Keepers of Bergen trim lamps while the moon is low.",
    "Traders of Venice carry salt to Naples by the spring tides.",
    "Rope makers of Dover tar hemp so that nets last.",
)
"""More than a summary tree takes without a summary."""


class _Late(Scripted):
    """The sensible model, whose replies wait for a while of chance; seed 0 keeps none waiting."""

    def __init__(self, seed: int) -> None:
        super().__init__(sensible)
        self._most_seconds = 0.004 if seed else 0.0
        self._rng = np.random.default_rng(seed)

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        await asyncio.sleep(float(self._rng.random()) * self._most_seconds)
        return await super().ask(prompt)


async def made(seed: int) -> "dict[str, dict[str, JsonValue]]":
    """Return the answer of every method over passages of which two are alike, and what the indexes are on disk."""
    held = [passage(name, text) for name, text in (*TEXTS.items(), *((f"m{n}", text) for n, text in enumerate(MORE)))]
    kit = TracedKit(sensible, held=held)
    kit.scripted = _Late(seed)
    answers: dict[str, JsonValue] = {
        name: (await kind().answer(QUESTION, kit)).model_dump(mode="json") for name, kind in METHODS.items()
    }
    indexes: dict[str, JsonValue] = {name: _digest(spec, kit.opened[name]) for name, spec in kit.specs.items()}
    return {"answers": answers, "indexes": indexes}


def _digest(spec: IndexSpec[object], index: object) -> str:
    """Return a digest of all bytes that an index is saved in."""
    with tempfile.TemporaryDirectory() as folder:
        spec.save(index, Path(folder))
        files = sorted(Path(folder).iterdir())
        assert files
        return hashlib.sha256(b"".join(file.name.encode() + file.read_bytes() for file in files)).hexdigest()


if __name__ == "__main__":
    json.dump(asyncio.run(made(int(sys.argv[1]))), sys.stdout)
