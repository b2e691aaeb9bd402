"""Embedding models behind a server: OpenAI's API and its like, and Ollama's own."""

import time
from collections.abc import Sequence
from typing import Final

import numpy as np
from pydantic import BaseModel, JsonValue, ValidationError

from astrolabe.core import usage
from astrolabe.core.errors import ConfigError, ModelError, Stopped
from astrolabe.core.protocols import Side, Vectors
from astrolabe.core.records import Usage
from astrolabe.embed.windows import windowing
from astrolabe.store.http import Wire, WireError
from astrolabe.store.model_names import OPENAI_URL, ModelName

WINDOW_TOKENS: Final = 384
"""What embedding models read at the least, 512 tokens, of a vocabulary that may cut more finely than ours."""
_ATTEMPTS: Final = 6
_THIS_TEXT: Final = frozenset({400, 413, 422})


class _Row(BaseModel):
    index: int
    embedding: list[float]


class _OpenAIReply(BaseModel):
    data: list[_Row]

    @property
    def rows(self) -> list[list[float]]:
        return [row.embedding for row in sorted(self.data, key=lambda row: row.index)]


class _OllamaReply(BaseModel):
    embeddings: list[list[float]]

    @property
    def rows(self) -> list[list[float]]:
        return self.embeddings


class Served:
    """An embedding model that a server runs.

    A text that the server finds too long is refused by it, never cut: Ollama is told so. A request is sent up to six
    times where that can help, after the wait that the server asks for.
    """

    def __init__(self, name: ModelName, wire: Wire, *, first_wait_seconds: float = 0.5) -> None:
        """Take the model's name and the wire to its server; connects at the first text."""
        self.id: Final = f"{name} embeddings;{windowing(WINDOW_TOKENS)}"
        self._model = name.name
        self._spelled = str(name)
        self._ollama = name.provider == "ollama"
        self._wire = wire
        self._first_wait_seconds = first_wait_seconds

    @property
    def window_tokens(self) -> int:
        """How long texts are cut."""
        return WINDOW_TOKENS

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:
        """Return rows of L2 norm 1, in one request; zeros where the server's row is zeros.

        Raises:
            ConfigError: The provider wants a key and none is set.
            ModelError: `failed`: the server refused these texts, or its reply holds no vectors for them.
            Stopped: The server does not answer, or not to us.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        if self._wire.address == OPENAI_URL and not self._wire.has_key:
            raise ConfigError(f"{self._spelled} needs a key: set OPENAI_API_KEY in the environment")
        started = time.perf_counter()
        content = await self._post(texts)
        seconds = time.perf_counter() - started
        spent = Usage(calls=1, prompt_tokens=_tokens(content), usd=None, seconds=seconds)
        usage.count(f"embed.{side}", spent)
        return self._rows(content, len(texts))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._wire.aclose()

    async def _post(self, texts: Sequence[str]) -> dict[str, JsonValue]:
        import stamina

        body: dict[str, JsonValue] = {"model": self._model, "input": list(texts)}
        body |= {"truncate": False} if self._ollama else {"encoding_format": "float"}
        path = "/api/embed" if self._ollama else "/embeddings"
        try:
            async for attempt in stamina.retry_context(
                _wait, attempts=_ATTEMPTS, timeout=None, wait_initial=self._first_wait_seconds, wait_max=30.0
            ):
                with attempt:
                    return await self._wire.post(path, body)
        except WireError as error:
            if error.status in _THIS_TEXT:
                raise ModelError("failed", f"{self._spelled}: {error}") from error
            raise Stopped(
                f"{self._spelled}: {error}; check the server, the model's name and the key, "
                "then run the same command again: what was embedded is recorded"
            ) from error
        raise AssertionError("a retry ends with a reply or an error")

    def _rows(self, content: dict[str, JsonValue], wanted: int) -> Vectors:
        kind = _OllamaReply if self._ollama else _OpenAIReply
        try:
            rows: Vectors = np.array(kind.model_validate(content).rows, dtype=np.float32)
        except (ValidationError, ValueError) as error:
            reason = f"{self._spelled}: the reply holds no vectors of one length: {str(error)[:200]}"
            raise ModelError("failed", reason, text=str(content)[:500]) from error
        if rows.ndim != 2 or len(rows) != wanted or not np.isfinite(rows).all():  # noqa: PLR2004 - texts and dimensions
            reason = (
                f"{self._spelled}: {wanted} texts were sent, and a reply of shape {rows.shape} came, or not numbers"
            )
            raise ModelError("failed", reason)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.divide(rows, norms, out=rows, where=norms > 0.0)


def _wait(error: Exception) -> bool | float:
    """Return whether to ask again: after the server's own wait where it names one; never where nobody listens."""
    if not isinstance(error, WireError) or not error.can_be_retried or error.fault == "connect":
        return False
    return True if error.wait_seconds is None else error.wait_seconds


def _tokens(content: dict[str, JsonValue]) -> int:
    counted = content.get("usage")
    found = counted.get("prompt_tokens") if isinstance(counted, dict) else content.get("prompt_eval_count")
    return found if isinstance(found, int) else 0
