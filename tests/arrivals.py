"""Every method's answer, where replies arrive in an order of chance: run apart, so that hash seeds differ, too.

    python -m tests.arrivals SEED

writes an object with an answer by method to stdout; seed 0 lets every reply arrive at once.
"""

import asyncio
import json
import sys
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from astrolabe.core.prompt import Prompt, Reply
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
)


class _Late(Scripted):
    """The sensible model, whose replies wait for a while of chance; seed 0 keeps none waiting."""

    def __init__(self, seed: int) -> None:
        super().__init__(sensible)
        self._most_seconds = 0.004 if seed else 0.0
        self._rng = np.random.default_rng(seed)

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        await asyncio.sleep(float(self._rng.random()) * self._most_seconds)
        return await super().ask(prompt)


async def answers(seed: int) -> "dict[str, JsonValue]":
    """Return the answer of every method over passages of which two are alike."""
    held = [passage(name, text) for name, text in (*TEXTS.items(), *((f"m{n}", text) for n, text in enumerate(MORE)))]
    kit = TracedKit(sensible, held=held)
    kit.scripted = _Late(seed)
    return {name: (await kind().answer(QUESTION, kit)).model_dump(mode="json") for name, kind in METHODS.items()}


if __name__ == "__main__":
    json.dump(asyncio.run(answers(int(sys.argv[1]))), sys.stdout)
