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
from astrolabe.store.model_names import NO_KEY, OPENAI_URL, ModelName

WINDOW_TOKENS: Final = 384
"""What embedding models read at the least, 512 tokens, of a vocabulary that may cut more finely than ours."""
_ATTEMPTS: Final = 6
LONGEST_WAIT_SECONDS: Final = 120.0
"""The longest wait that a server may ask for; above it the run stops at once."""
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
    times where that can help, after the wait that the server asks for; a reply that holds no vectors for the texts,
    or vectors of another length than before, is asked for again likewise.
    """

    def __init__(self, name: ModelName, wire: Wire, *, first_wait_seconds: float = 0.5) -> None:
        """Take the model's name and the wire to its server; connects at the first text."""
        self.id: Final = f"{name} embeddings;{windowing(WINDOW_TOKENS)}"
        self._model = name.name
        self._spelled = str(name)
        self._ollama = name.provider == "ollama"
        self._wire = wire
        self._first_wait_seconds = first_wait_seconds
        self._dimensions: int | None = None

    @property
    def window_tokens(self) -> int:
        """How long texts are cut."""
        return WINDOW_TOKENS

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:
        """Return rows of L2 norm 1, in one request; zeros where the server's row is zeros.

        Raises:
            ConfigError: The provider wants a key and none is set.
            ModelError: `failed`: the server refused these texts, or no reply of it holds vectors for them.
            Stopped: The server does not answer, not to us, or only after too long a wait.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        if self._wire.address == OPENAI_URL and not self._wire.has_key:
            raise ConfigError(f"{self._spelled} {NO_KEY}")
        return await self._ask(texts, side)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._wire.aclose()

    async def _ask(self, texts: Sequence[str], side: Side) -> Vectors:
        import stamina

        try:
            async for attempt in stamina.retry_context(
                _wait, attempts=_ATTEMPTS, timeout=None, wait_initial=self._first_wait_seconds, wait_max=30.0
            ):
                with attempt:
                    return await self._ask_once(texts, side)
        except WireError as error:
            if error.status in _THIS_TEXT:
                raise ModelError("failed", f"{self._spelled}: {error}") from error
            asked = f"; the server asks to wait {error.wait_seconds:g} seconds" if error.wait_seconds else ""
            raise Stopped(
                f"{self._spelled}: {error}{asked}; check the server, the model's name and the key, "
                "then run the same command again: what was embedded is recorded"
            ) from error
        raise AssertionError("a retry ends with a reply or an error")

    async def _ask_once(self, texts: Sequence[str], side: Side) -> Vectors:
        body: dict[str, JsonValue] = {"model": self._model, "input": list(texts)}
        body |= {"truncate": False} if self._ollama else {"encoding_format": "float"}
        path = "/api/embed" if self._ollama else "/embeddings"
        started = time.perf_counter()
        content = await self._wire.post(path, body)
        seconds = time.perf_counter() - started
        usage.count(f"embed.{side}", Usage(calls=1, prompt_tokens=_tokens(content), usd=None, seconds=seconds))
        return self._rows(content, len(texts))

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
        if rows.shape[1] != (self._dimensions or rows.shape[1]):
            reason = f"{self._spelled}: vectors of {rows.shape[1]} numbers came, and before of {self._dimensions}"
            raise ModelError("failed", f"{reason}; has the model behind the name changed?")
        self._dimensions = rows.shape[1]
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.divide(rows, norms, out=rows, where=norms > 0.0)


def _wait(error: Exception) -> bool | float:
    """Return whether to ask again: after the server's own wait where it names one; never where nobody listens."""
    if isinstance(error, ModelError):
        return True  # a reply without the vectors
    if not isinstance(error, WireError) or not error.can_be_retried or error.fault == "connect":
        return False
    if error.wait_seconds is None:
        return True
    return error.wait_seconds if error.wait_seconds <= LONGEST_WAIT_SECONDS else False


def _tokens(content: dict[str, JsonValue]) -> int:
    counted = content.get("usage")
    found = counted.get("prompt_tokens") if isinstance(counted, dict) else content.get("prompt_eval_count")
    return found if isinstance(found, int) else 0
