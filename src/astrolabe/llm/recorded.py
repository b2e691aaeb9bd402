"""Paying for nothing twice."""

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from pydantic import BaseModel

from astrolabe.core.errors import ModelError, NotRecorded
from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.protocols import LLM
from astrolabe.core.records import Usage
from astrolabe.core.usage import count, waiting
from astrolabe.llm.provider import RawReply, schema_of
from astrolabe.llm.reading import complete_items, read
from astrolabe.store.calls import Caller, CallRecord, StoredFailure, StoredReply
from astrolabe.store.halt import asking

if TYPE_CHECKING:
    from concurrent.futures import Future

R = TypeVar("R", bound="BaseModel | str")
CallMode = Literal["reuse", "live", "replay"]
FROM_RECORD: Final = Usage(calls=1, recorded=1)
FIRST_LOOK_SECONDS: Final = 0.01
LONGEST_LOOK_SECONDS: Final = 0.1
"""How soon, and how often at the least, it is looked whether another process has the reply that both want."""


def call_key(model_id: str, prompt: Prompt[BaseModel | str]) -> bytes:
    """Return the key of a call: SHA-256 over all that decides its reply, and nothing else.

    That is the model's id (provider, model, address, endpoint class), the messages, the decoding parameters,
    the reply's schema, the prompt's name and version, and the repetition. Keys, timeouts and limits are not
    part of it.
    """
    decoding = [prompt.max_tokens, prompt.temperature, sorted(prompt.options.items())]
    messages = [[message.role, message.content] for message in prompt.messages]
    parts = [model_id, messages, decoding, _schema_hash(prompt.reply), prompt.name, prompt.repetition]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).digest()


@cache
def _schema_hash(reply: type[BaseModel | str]) -> str:
    schema = schema_of(reply)
    return hashlib.sha256(json.dumps(schema, sort_keys=True).encode("ascii")).hexdigest()


class Recorded:
    """An `LLM` that asks only what the record does not hold.

    Only a reply that its parser accepted is reused. What failed is kept beside it and asked again, unless the model
    would say the same again: there a reply that could not be used stands. Identical prompts under way at the same time
    are asked once, also by several processes with the same record: the others wait, and ask where the one that asked is
    ended before it has a reply. `live` waits for no other process.

    Args:
        llm: What is asked.
        record: Where replies are kept.
        mode: `reuse` what is recorded; `live` asks everything again and records it; `replay` asks nothing: a
            recorded failure fails again, and what is not recorded is an error that names the step.
        repeats: Whether the model, at temperature 0, has the same reply to the same prompt each time.
    """

    def __init__(self, llm: LLM, record: CallRecord, mode: CallMode = "reuse", *, repeats: bool = False) -> None:
        """Take the model and the record."""
        self._llm = llm
        self._record = record
        self._mode: Final = mode
        self._repeats: Final = repeats
        self._writing: tuple[asyncio.AbstractEventLoop, Future[None], asyncio.Future[None]] | None = None
        self._under_way: dict[bytes, asyncio.Future[StoredReply | ModelError | None]] = {}

    @property
    def id(self) -> str:
        """The model's id."""
        return self._llm.id

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        """Return the recorded reply, or ask and record.

        Raises:
            ModelError: Nothing usable came.
            NotRecorded: In `replay`, the record has neither a reply nor a failure.
        """
        key = call_key(self.id, prompt)
        while True:
            if reply := self._recalled(key, prompt):
                return reply
            if self._mode == "replay":
                raise self._known_failure(key, prompt) or NotRecorded(
                    prompt.stage, f"a reply to prompt {prompt.name!r}"
                )
            if unusable := self._standing(key, prompt):
                raise unusable
            with waiting():
                if (other := self._under_way.get(key)) is None:
                    return await self._ask(key, prompt)
                outcome = await asyncio.shield(other)
            if isinstance(outcome, ModelError):
                raise ModelError(outcome.status, outcome.reason, text=outcome.text, partial=outcome.partial)
            if outcome and (reply := _reread(outcome, prompt)):
                return reply

    def _recalled(self, key: bytes, prompt: Prompt[R]) -> Reply[R] | None:
        stored = None if self._mode == "live" else self._record.get(key)
        return stored and _reread(stored, prompt)

    def _standing(self, key: bytes, prompt: Prompt[R]) -> ModelError | None:
        """Return the recorded failure that asking again would only bring back; `failed` is of the way there."""
        same = self._repeats and self._mode == "reuse" and not prompt.temperature
        failure = self._known_failure(key, prompt) if same else None
        return failure if failure and failure.status != "failed" else None

    def _known_failure(self, key: bytes, prompt: Prompt[R], *, since: float = 0.0) -> ModelError | None:
        failure = self._record.get_failure(key, since=since)
        if failure is None:
            return None
        partial = complete_items(failure.text, prompt.reply) if failure.status == "truncated" else None
        return ModelError(failure.status, failure.reason, text=failure.text, partial=partial)

    async def _ask(self, key: bytes, prompt: Prompt[R]) -> Reply[R]:
        outcome: asyncio.Future[StoredReply | ModelError | None] = asyncio.get_running_loop().create_future()
        self._under_way[key] = outcome
        try:
            async with self._claim(key, prompt):
                with asking():
                    reply = self._recalled(key, prompt) or await self._asked(key, prompt)
            outcome.set_result(StoredReply(text=reply.text, usage=reply.usage))
        except ModelError as error:
            outcome.set_result(error)
            raise
        else:
            return reply
        finally:
            del self._under_way[key]
            if not outcome.done():
                outcome.set_result(None)  # stopped before it knew: the next in line asks for itself

    async def _asked(self, key: bytes, prompt: Prompt[R]) -> Reply[R]:
        """Ask, and return or raise once what came is on disk."""
        caller = Caller(model=self.id, prompt=prompt.name, stage=prompt.stage)
        try:
            reply = await self._llm.ask(prompt)
        except ModelError as error:
            failure = StoredFailure(status=error.status, reason=error.reason, text=error.text)
            await self._on_disk(self._record.put_failure(key, failure, caller))
            raise
        await self._on_disk(self._record.put(key, StoredReply(text=reply.text, usage=reply.usage), caller))
        return reply

    @asynccontextmanager
    async def _claim(self, key: bytes, prompt: Prompt[R]) -> AsyncGenerator[None]:
        """Hold a call alone, once no other process asks for the same.

        Raises:
            ModelError: The other one has just asked, and nothing usable came.
        """
        if self._mode == "live":
            yield
            return
        began, seconds = time.time(), FIRST_LOOK_SECONDS
        while not self._record.claims.take(key):
            await asyncio.sleep(seconds)
            seconds = min(2 * seconds, LONGEST_LOOK_SECONDS)
            if failure := self._known_failure(key, prompt, since=began):
                raise failure
        try:
            yield
        finally:
            self._record.claims.drop(key)

    def _on_disk(self, written: "Future[None]") -> "asyncio.Future[None]":
        """Return what waits for a write; all calls of one write share one wake-up of the loop."""
        loop = asyncio.get_running_loop()
        if self._writing is None or self._writing[:2] != (loop, written):
            self._writing = (loop, written, asyncio.wrap_future(written))
        return asyncio.shield(self._writing[2])


def _reread(stored: StoredReply, prompt: Prompt[R]) -> Reply[R] | None:
    """Return the reply that a stored text reads as; null where today's parser does not accept it."""
    try:
        value, repaired, dropped = read(RawReply(text=stored.text), prompt.reply)
    except ModelError:
        return None
    count(prompt.stage, FROM_RECORD)
    return Reply(value=value, text=stored.text, usage=FROM_RECORD, repaired=repaired, dropped=dropped, recorded=True)
