"""What an answer cost."""

import math
from dataclasses import dataclass
from typing import ClassVar

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Question, Score
from astrolabe.core.spelling import spell
from astrolabe.parts.trace_shape import shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The model calls that an answer took, those from the record included. From 0 up, less is better.

    Parts: `calls` (the value), `recorded` (of them, from the record), `prompt_tokens`, `cached_tokens`,
    `completion_tokens` and `usd` of the calls that were not recorded (`usd` null without a price), `model_seconds`
    (their waiting added up), `seconds` (wall clock), and of its trace `steps` (that were done), `depth` (the longest
    chain of parents), `breadth` (the mean number of steps below one that has any) and `widest` (the most steps of one
    depth), all 0 without a trace. An answer that failed has a cost, too: it is scored whatever its status.
    """

    name: ClassVar[str] = "cost"

    @property
    def range(self) -> tuple[float, float]:
        """Without bound to nothing."""
        return (math.inf, 0.0)

    async def score(self, question: Question, answer: Answer, kit: Kit) -> Score:  # noqa: ARG002 - a cost needs neither
        """Read the answer's usage and trace."""
        usage = answer.usage
        seen = shape(answer.trace)
        parts: dict[str, float | None] = {
            "calls": float(usage.calls),
            "recorded": float(usage.recorded),
            "prompt_tokens": float(usage.prompt_tokens),
            "cached_tokens": float(usage.cached_tokens),
            "completion_tokens": float(usage.completion_tokens),
            "usd": usage.usd,
            "model_seconds": usage.seconds,
            "seconds": answer.duration_seconds,
            "steps": float(seen.steps),
            "depth": float(seen.depth),
            "breadth": seen.breadth,
            "widest": float(seen.widest),
        }
        return Score(
            question_id=answer.question_id,
            method=answer.method,
            scope=answer.scope,
            metric=spell(self),
            value=float(usage.calls),
            parts=parts,
        )
