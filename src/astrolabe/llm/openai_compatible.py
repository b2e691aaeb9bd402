"""Servers that speak OpenAI's chat API: OpenAI, vLLM, llama.cpp and many more."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import JsonValue

from astrolabe.core.errors import ConfigError
from astrolabe.core.prompt import Message
from astrolabe.core.records import Usage
from astrolabe.core.text import clean_text
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.dialect import Dialect
from astrolabe.llm.provider import RawReply, Request, Schema, without_bounds
from astrolabe.llm.thinking import said
from astrolabe.prompts.rendering import load
from astrolabe.store.http import Wire, WireError
from astrolabe.store.model_names import NO_KEY, OPENAI_URL

_THOUGHTS: Final = ("reasoning_content", "reasoning")
"""Under which names servers send thoughts apart: vLLM's older and llama.cpp's, vLLM's newer."""


class OpenAICompatible:
    """A `Provider` for one model behind `/chat/completions`.

    What a server refuses (a JSON schema, `max_tokens`, a temperature) is left out once it said so, and
    remembered. A refused request costs nothing and is sent again at once. Thoughts are switched off where the
    server can; where they come all the same, they get tokens of their own and are left out of the text.
    """

    def __init__(self, model: str, wire: Wire, *, spelled: str, dialect: Dialect | None = None) -> None:
        """Take the model's name on the server, the wire, and the spelled name for the id."""
        self.id: Final = f"{spelled} chat"
        self._model = model
        self._wire = wire
        self._dialect = dialect or Dialect()

    async def complete(self, request: Request) -> RawReply:
        """Return the first choice.

        Raises:
            ConfigError: The provider wants a key and none is set.
            WireError: Nothing usable came.
        """
        if self._wire.address == OPENAI_URL and not self._wire.has_key:
            raise ConfigError(f"{self.id.removesuffix(' chat')} {NO_KEY}")
        while True:
            dialect = self._dialect
            body = body_of(self._model, request, dialect)
            started = time.perf_counter()
            try:
                content = await self._wire.post("/chat/completions", body)
            except WireError as error:
                # Another request may have learned the same refusal meanwhile.
                if self._dialect == dialect:
                    if (learned := dialect.after(error)) is None:
                        raise
                    self._dialect = learned
                elif dialect.after(error) is None:
                    raise
            else:
                return self._reply(content, request, time.perf_counter() - started)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._wire.aclose()

    def _reply(self, content: Mapping[str, JsonValue], request: Request, seconds: float) -> RawReply:
        """Read a chat completion; thoughts that come apart from the reply are left out."""
        choices = content.get("choices")
        if not isinstance(choices, list):
            reason = f"a reply without choices: {json.dumps(content, ensure_ascii=False)[:200]}"
            raise self._wire.error("not json", reason)
        choice = _object(choices[0]) if choices else _object(None)
        message = _object(choice.get("message"))
        text = clean_text(_text(message.get("content"))).text
        refusal = message.get("refusal")
        apart = any(_text(message.get(name)).strip() for name in _THOUGHTS)
        self._dialect = self._dialect.heard(thought=apart or said(text).thought, text=text)
        return RawReply(
            text=text,
            finish=str(choice.get("finish_reason") or "stop") if choices else "no choices",
            refusal=refusal if isinstance(refusal, str) and refusal else None,
            thought=apart,
            usage=_usage(_object(content.get("usage")), request, text, seconds),
        )


def body_of(model: str, request: Request, dialect: Dialect) -> dict[str, JsonValue]:
    """Return the request's body in a server's dialect."""
    body: dict[str, JsonValue] = {
        **request.options,
        "model": model,
        "messages": [{"role": turn.role, "content": turn.content} for turn in _messages(request, dialect)],
        dialect.limit: request.max_tokens + dialect.room,
    }
    if dialect.effort:
        body["reasoning_effort"] = dialect.effort
    if dialect.temperature:
        body["temperature"] = request.temperature
    if dialect.thinking:
        body["chat_template_kwargs"] = {"enable_thinking": False}
    if request.schema is not None and (form := _format(request, request.schema, dialect)):
        body["response_format"] = form
    return body


def _messages(request: Request, dialect: Dialect) -> Sequence[Message]:
    if request.schema is None or dialect.format not in {"object", "plain"}:
        return request.messages
    return told_the_schema(request.messages, request.schema)


def told_the_schema(messages: Sequence[Message], schema: Schema) -> Sequence[Message]:
    """Return the messages with the schema written into the system turn, for servers that take none."""
    (told,) = load("json_only.v1").fill({"schema": json.dumps(schema, ensure_ascii=False)})
    if messages[0].role != "system":
        return (told, *messages)
    return (Message(role="system", content=f"{messages[0].content}\n\n{told.content}"), *messages[1:])


def _format(request: Request, schema: Schema, dialect: Dialect) -> dict[str, JsonValue]:
    if dialect.format == "plain":
        return {}
    if dialect.format == "object":
        return {"type": "json_object"}
    sent = schema if dialect.format == "schema" else without_bounds(schema)
    name = request.name.replace(".", "_")
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": dict(sent)}}


def _text(content: JsonValue) -> str:
    if isinstance(content, list):
        return "".join(_text(_object(part).get("text")) for part in content)
    return content if isinstance(content, str) else ""


def _usage(said: Mapping[str, JsonValue], request: Request, text: str, seconds: float) -> Usage:
    """Return the server's counts; where it has none, those of the vendored tokenizer."""
    prompt, completion = said.get("prompt_tokens"), said.get("completion_tokens")
    if not isinstance(prompt, int):
        prompt = sum(count_tokens(turn.content) for turn in request.messages)
    cached = _object(said.get("prompt_tokens_details")).get("cached_tokens")
    return Usage(
        calls=1,
        prompt_tokens=prompt,
        cached_tokens=min(cached, prompt) if isinstance(cached, int) else 0,
        completion_tokens=completion if isinstance(completion, int) else count_tokens(text),
        usd=None,
        seconds=seconds,
    )


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}
