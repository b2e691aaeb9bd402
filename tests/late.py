"""A scripted model whose replies arrive in any order: the sooner asked, the later, or shuffled by a seed."""

import asyncio
import random
from typing import TYPE_CHECKING, TypeVar

from astrolabe.core.prompt import Prompt, Reply
from astrolabe.llm.scripted import Script, Scripted
from tests.six_passages import TracedKit

if TYPE_CHECKING:
    from pydantic import BaseModel

R = TypeVar("R", bound="BaseModel | str")
_LONGEST_SECONDS = 0.004


class LateScripted(Scripted):
    """Plays a script; each reply takes its time."""

    def __init__(self, replies: Script, seed: int) -> None:
        super().__init__(replies)
        self._rng = random.Random(seed)  # noqa: S311 - latencies, no secrets

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        await asyncio.sleep(self._rng.uniform(0, _LONGEST_SECONDS))
        reply = await super().ask(prompt)
        await asyncio.sleep(self._rng.uniform(0, _LONGEST_SECONDS))
        return reply


def late(kit: TracedKit, seed: int) -> TracedKit:
    """Return the kit with replies that take their time; the order of its trace says nothing any more."""
    kit.scripted = LateScripted(kit.script or {}, seed)
    return kit
