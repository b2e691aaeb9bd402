"""A kit whose replies come in another order for each seed: what waits for nothing may come first or last."""

import asyncio
import random
from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.protocols import LLM
from astrolabe.llm.scripted import Script, Scripted
from tests.six_passages import TracedKit

if TYPE_CHECKING:
    from pydantic import BaseModel

R = TypeVar("R", bound="BaseModel | str")


class Late(TracedKit):
    """A kit whose replies take a random time by seed; one after the other without a seed.

    `asked` counts what was asked, each with its repetition; `most_at_once` how many calls were ever under way.
    """

    def __init__(self, script: Script, seed: int | None, *, longest_seconds: float = 0.005) -> None:
        super().__init__(script)
        self.seed = seed
        self.longest_seconds = longest_seconds
        self.rng = random.Random(seed)  # noqa: S311  only for latencies
        self.one_at_a_time = asyncio.Lock()
        self.asked: Counter[tuple[str, int]] = Counter()
        self.under_way = 0
        self.most_at_once = 0

    @property
    def llm(self) -> LLM:
        return _Waiting(self)


class _Waiting:
    def __init__(self, kit: Late) -> None:
        self.kit = kit
        self.id = "late"

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        shown = "\n".join(turn.content for turn in prompt.messages)
        self.kit.asked[shown, prompt.repetition] += 1
        inner = Scripted(self.kit.script or {})
        if self.kit.seed is None:
            async with self.kit.one_at_a_time:
                await asyncio.sleep(0)
                return await inner.ask(prompt)
        self.kit.under_way += 1
        self.kit.most_at_once = max(self.kit.most_at_once, self.kit.under_way)
        try:
            await asyncio.sleep(self.kit.rng.random() * self.kit.longest_seconds)
            return await inner.ask(prompt)
        finally:
            self.kit.under_way -= 1
