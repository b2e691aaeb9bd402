"""From a spelled embedding model to an embedder with all its wrappers."""

from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Embedder
from astrolabe.embed.batched import Batched
from astrolabe.embed.hashed import HashedEmbedder
from astrolabe.embed.minilm import is_installed, shared_minilm
from astrolabe.embed.recorded import RecordedEmbedder
from astrolabe.embed.served import Served
from astrolabe.embed.whole import Whole
from astrolabe.store.calls import CallRecord
from astrolabe.store.http import Wire
from astrolabe.store.model_names import ModelName

HASHED: Final = "hashed"
MINILM: Final = "embedded:minilm"


@dataclass(frozen=True, slots=True)
class OpenEmbedder(Batched):
    """An embedder whose connections can be closed."""

    server: Served | None = None

    async def aclose(self) -> None:
        """Close connections; the record stays open."""
        if self.server:
            await self.server.aclose()

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.aclose()


def open_embedder(spelled: str, *, record: CallRecord | None, replay: bool = False) -> OpenEmbedder:
    """Return a spelled embedder behind its wrappers; nothing is connected or started before the first text.

    Args:
        spelled: `embedded:minilm`, `hashed`, or a served model such as `ollama:nomic-embed-text`.
        record: Where vectors are kept; null keeps none. Hashing costs less than recording, so it is never recorded.
        replay: A served model is not asked: a vector that the record lacks is an error. What is computed on this
            machine is computed all the same.

    Raises:
        ConfigError: There is no such embedder.
        MissingExtra: It needs the extra `[embedded]`.
    """
    if spelled == HASHED:
        return OpenEmbedder(HashedEmbedder())
    if spelled == MINILM:
        return OpenEmbedder(_kept(shared_minilm(), record))
    name = ModelName.parse(spelled)
    if name.provider == "embedded":
        raise ConfigError(f"{spelled!r} embeds nothing; embedders are {MINILM}, {HASHED}, openai:..., ollama:...")
    server = Served(name, Wire(name.url, key=name.find_key()))
    return OpenEmbedder(_kept(server, record, replay=replay), server)


def default_embedder_name() -> str:
    """Return `embedded:minilm` where the extra `[embedded]` is installed, else `hashed`.

    Who uses `hashed` for that reason says so at the top of what they show.
    """
    return MINILM if is_installed() else HASHED


def _kept(embedder: Embedder, record: CallRecord | None, *, replay: bool = False) -> Embedder:
    whole = Whole(embedder)
    return whole if record is None else RecordedEmbedder(whole, record, replay)
