"""What an answer cost."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Question, Score, Step
from astrolabe.core.spelling import spell


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The model calls that an answer took, those from the record included. From 0 up, less is better.

    Parts: `calls` (the value), `recorded` (of them, from the record), `prompt_tokens`, `cached_tokens`,
    `completion_tokens` and `usd` of the calls that were not recorded (`usd` null without a price), `model_seconds`
    (their waiting added up), `seconds` (wall clock), and of its trace `steps`, `depth` (the longest chain of parents)
    and `breadth` (the most steps of one depth), both 0 without a trace. An answer that failed has a cost, too: it is
    scored whatever its status.
    """

    name: ClassVar[str] = "cost"

    @property
    def range(self) -> tuple[float, float]:
        """Without bound to nothing."""
        return (math.inf, 0.0)

    async def score(self, question: Question, answer: Answer, kit: Kit) -> Score:  # noqa: ARG002 - a cost needs neither
        """Read the answer's usage and trace."""
        usage = answer.usage
        levels = Counter(_depths(answer.trace))
        parts: dict[str, float | None] = {
            "calls": float(usage.calls),
            "recorded": float(usage.recorded),
            "prompt_tokens": float(usage.prompt_tokens),
            "cached_tokens": float(usage.cached_tokens),
            "completion_tokens": float(usage.completion_tokens),
            "usd": usage.usd,
            "model_seconds": usage.seconds,
            "seconds": answer.duration_seconds,
            "steps": float(len(answer.trace)),
            "depth": float(max(levels, default=0)),
            "breadth": float(max(levels.values(), default=0)),
        }
        return Score(
            question_id=answer.question_id,
            method=answer.method,
            scope=answer.scope,
            metric=spell(self),
            value=float(usage.calls),
            parts=parts,
        )


def _depths(trace: Iterable[Step]) -> list[int]:
    """Return each step's depth, 1 for one without a parent; a step under an unknown parent or itself counts as 1."""
    parents = {step.id: step.parent for step in trace}
    depths: list[int] = []
    for step, own in parents.items():
        above, parent = {step}, own
        while parent in parents and parent not in above:
            above.add(parent)
            parent = parents[parent]
        depths.append(len(above))
    return depths
