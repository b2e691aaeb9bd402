"""Ollama over its own API: its OpenAI-compatible one cuts long prompts without a word."""

import time
from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from astrolabe.core.records import Usage
from astrolabe.core.text import clean_text
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.dialect import THINKING_TOKENS
from astrolabe.llm.provider import RawReply, Request
from astrolabe.llm.thinking import said
from astrolabe.store.http import Wire, WireError

SMALLEST_CONTEXT: Final = 8_192
_BAD_REQUEST: Final = 400
_OTHER_VOCABULARY: Final = 1.3
"""How many tokens of another vocabulary one of ours may take; the rest of the doubling is the reserve."""


class Ollama:
    """A `Provider` for one model behind `/api/chat`.

    The context window is asked for with every request, large enough for prompt and reply. It grows by
    doubling and never shrinks, for each change makes Ollama load the model again. A prompt that the model itself
    cannot hold is refused, not cut. Thoughts are switched off; a model that thinks all the same gets tokens for it.
    """

    def __init__(self, model: str, wire: Wire, *, spelled: str) -> None:
        """Take the model's name on the server, the wire, and the spelled name for the id."""
        self.id: Final = f"{spelled} chat"
        self._model = model
        self._wire = wire
        self._context = SMALLEST_CONTEXT
        self._room = 0
        self._switch = True

    async def complete(self, request: Request) -> RawReply:
        """Return the reply.

        Raises:
            WireError: Nothing usable came.
        """
        prompt_tokens = sum(count_tokens(turn.content) for turn in request.messages)
        needed = int(prompt_tokens * _OTHER_VOCABULARY) + request.max_tokens + self._room
        while self._context < needed:
            self._context *= 2
        started = time.perf_counter()
        content = await self._post(request)
        seconds = time.perf_counter() - started
        message = content.get("message")
        if not isinstance(message, dict):
            raise self._wire.error("not json", f"a reply without a message: {str(content)[:200]}")
        spoken = message.get("content")
        text = clean_text(spoken).text if isinstance(spoken, str) else ""
        apart = bool(message.get("thinking"))
        if apart or said(text).thought:
            self._room = THINKING_TOKENS
        return RawReply(
            text=text,
            finish=str(content.get("done_reason") or "stop"),
            thought=apart,
            usage=Usage(
                calls=1,
                prompt_tokens=_count(content, "prompt_eval_count", prompt_tokens),
                completion_tokens=_count(content, "eval_count", count_tokens(text)),
                usd=None,
                seconds=seconds,
            ),
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._wire.aclose()

    async def _post(self, request: Request) -> dict[str, JsonValue]:
        try:
            return await self._wire.post("/api/chat", self._body(request))
        except WireError as error:
            if not self._switch or error.status != _BAD_REQUEST or "think" not in error.reason.casefold():
                raise
            self._switch = False  # it takes no word about thinking
            return await self._wire.post("/api/chat", self._body(request))

    def _body(self, request: Request) -> dict[str, JsonValue]:
        body: dict[str, JsonValue] = {
            "model": self._model,
            "messages": [{"role": turn.role, "content": turn.content} for turn in request.messages],
            "stream": False,
            **({"think": False} if self._switch else {}),
            "truncate": False,
            "shift": False,
            "options": {
                **request.options,
                "temperature": request.temperature,
                "num_predict": request.max_tokens + self._room,
                "num_ctx": self._context,
            },
        }
        if request.schema is not None:
            body["format"] = dict(request.schema)
        return body


def _count(content: Mapping[str, JsonValue], name: str, otherwise: int) -> int:
    found = content.get(name)
    return found if isinstance(found, int) else otherwise
