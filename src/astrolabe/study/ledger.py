"""What jobs took when they were done: kept beside their calls, and given back when the run is replayed.

A replayed run sends nothing, so it has no costs and times of its own. It shows those of the run that it repeats,
which makes its scores and its report the same to the byte.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from astrolabe.core.records import Answer, Score, Usage
from astrolabe.store.calls import CallRecord


class _Took(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    usage: Usage
    steps: tuple[Usage, ...] = ()
    stages: dict[str, Usage] = {}
    started_at: datetime | None = None
    duration_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Ledger:
    """Notes what answers and scores took, or in `replay` gives it back.

    Attributes:
        record: Where it is noted.
        replay: Whether the run is one that is repeated.
        keyed: The ids of the models for which a key is set now.
    """

    record: CallRecord
    replay: bool
    keyed: frozenset[str] = frozenset()

    async def had_key(self, model: str) -> bool:
        """Tell whether a key was set for a model when it was asked; which one, nobody notes."""
        key = _key("key", model)
        if not self.replay:
            await asyncio.wrap_future(self.record.put_took(key, {"key": model in self.keyed}))
            return model in self.keyed
        return (self.record.get_took(key) or {}).get("key") is True

    async def of_answer(self, answer: Answer, made_from: Mapping[str, JsonValue]) -> Answer:
        """Return the answer as it goes to disk; a job that nobody noted keeps what it took now."""
        key = _key("answer", answer.method, answer.question_id, answer.scope, dict(made_from))
        now = _Took(
            usage=answer.usage,
            steps=tuple(step.usage for step in answer.trace),
            stages=answer.stages,
            started_at=answer.started_at,
            duration_seconds=answer.duration_seconds,
        )
        then = await self._then(key, now)
        trace = answer.trace
        if len(trace) == len(then.steps):
            trace = tuple(
                step.model_copy(update={"usage": usage}) for step, usage in zip(trace, then.steps, strict=True)
            )
        return answer.model_copy(
            update={
                "usage": then.usage,
                "stages": then.stages or answer.stages,
                "trace": trace,
                "started_at": then.started_at,
                "duration_seconds": then.duration_seconds,
            }
        )

    async def of_score(self, score: Score, judged: Sequence[JsonValue]) -> Score:
        """Return the score as it goes to disk; `judged` is what it depends on besides metric, method and job."""
        key = _key("score", score.metric, score.method, score.question_id, score.scope, *judged)
        then = await self._then(key, _Took(usage=score.usage))
        return score.model_copy(update={"usage": then.usage})

    async def _then(self, key: bytes, now: _Took) -> _Took:
        if not self.replay:
            await asyncio.wrap_future(self.record.put_took(key, now.model_dump(mode="json")))
            return now
        kept = self.record.get_took(key)
        try:
            return now if kept is None else _Took.model_validate(kept)
        except ValidationError:  # damaged
            return now


def _key(*parts: JsonValue) -> bytes:
    return sha256(json.dumps(parts, sort_keys=True).encode("ascii")).digest()
