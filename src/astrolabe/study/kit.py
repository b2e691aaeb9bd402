"""What a method, an index or a metric may touch, bound to one scope's documents."""

import asyncio
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from pydantic import JsonValue

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.ids import content_id, text_hash
from astrolabe.core.plural import plural
from astrolabe.core.protocols import LLM, Cut, Embedder, Gaps, IndexSpec
from astrolabe.core.records import Document, Passage
from astrolabe.core.spelling import spell
from astrolabe.core.usage import Meter, metering
from astrolabe.store.folder import read_manifest
from astrolabe.study.index_records import lacks
from astrolabe.study.passages import Shelf
from astrolabe.study.progress import SILENT
from astrolabe.study.settings import AnswerSettings
from astrolabe.study.study import save_manifest

T = TypeVar("T")
ENOUGH: Final = 0.99
"""The share of a build's replies below which an index answers no question."""
FIRST_NOTE_SECONDS: Final = 10.0
LONGEST_NOTE_SECONDS: Final = 160.0
"""How soon it is said that an index is still built, and how often at the least; each pause is twice the one before."""
_OPEN_SCOPES: Final = 64


def _nothing() -> None:
    """Refuse no model."""


@dataclass(slots=True, kw_only=True)
class Bench:
    """What all scopes of a run share.

    Attributes:
        shelf: The study's passages.
        llm: The model of the role that asks; null where none is set.
        embedder: The embedding model.
        answers: How long answers and contexts may be.
        indexes: Where built indexes are kept; null keeps them in memory.
        role: The role's name, for messages.
        check: Refuses a model that cannot be asked.
        around: The context in which indexes are built: what a build costs is the run's and the index's, not the
            question's that happened to come first.
        told: Hears about indexes that take long.
        lacking: Says of each index that was built without some of its replies what is missing.
        building: Those that are built, the innermost last: it is the one at work.
    """

    shelf: Shelf
    llm: LLM | None
    embedder: Embedder
    answers: AnswerSettings
    indexes: Path | None
    role: str
    check: Callable[[], None] = _nothing
    around: Context = field(default_factory=copy_context)
    told: Callable[[str], None] = SILENT.note
    lacking: list[str] = field(default_factory=list[str])
    building: list[str] = field(default_factory=list[str])

    def need_llm(self) -> LLM:
        """Return the model of the role that asks.

        Raises:
            ConfigError: None is set.
        """
        if self.llm is None:
            role = self.role
            msg = f"no model plays the role {role!r}; set [models] {role} in study.toml or give --{role} PROVIDER:NAME"
            raise ConfigError(msg)
        return self.llm

    def need_ready_llm(self) -> None:
        """Refuse to begin what a model is needed for where it cannot be asked: before anything is embedded.

        Raises:
            UserError: No model is set for the role, or its key, its weights or its library is missing.
        """
        self.need_llm()
        self.check()


@dataclass(kw_only=True)
class ScopeKit:
    """The kit of one scope: its documents' passages and the indexes over them."""

    bench: Bench
    documents: Sequence[str]
    scope: str | None = None
    _open: dict[str, "asyncio.Task[object]"] = field(default_factory=dict[str, "asyncio.Task[object]"])
    _cuts: dict[Cut, Sequence[Passage]] = field(default_factory=dict[Cut, Sequence[Passage]])
    _made_from: dict[Cut, str] = field(default_factory=dict[Cut, str])

    @property
    def llm(self) -> LLM:
        """The model of this kit's role."""
        return self.bench.need_llm()

    @property
    def embedder(self) -> Embedder:
        """The embedding model."""
        return self.bench.embedder

    @property
    def answer_tokens(self) -> int:
        """The most tokens that an answer may take."""
        return self.bench.answers.max_tokens

    @property
    def context_tokens(self) -> int:
        """The most tokens of passages that a model may be shown at once."""
        return self.bench.answers.context_tokens

    def passages(self, cut: Cut) -> Sequence[Passage]:
        """Return the scope's passages, gathered once: every question of a large scope asks for them."""
        if cut not in self._cuts:
            self._cuts[cut] = tuple(self.bench.shelf.passages(cut, self.documents))
        return self._cuts[cut]

    def read(self, passage: str) -> Passage:
        """Return a passage of this scope."""
        found = self.bench.shelf.read(passage)
        if not self.has_document(found.document_id):
            raise KeyError(passage)
        return found

    def has_document(self, document: str) -> bool:
        """Tell whether the scope holds the document."""
        return document in self._members

    def document(self, document: str) -> Document:
        """Return a document of this scope."""
        found = self.bench.shelf.document(document) if self.has_document(document) else None
        if found is None:
            raise KeyError(document)
        return found

    @cached_property
    def _members(self) -> frozenset[str]:
        return frozenset(self.documents)

    async def open(self, spec: IndexSpec[T]) -> T:
        """Build the index once, however many ask for it at the same time, then open it."""
        passages = self.passages(spec.cut)
        if spec.cut not in self._made_from:
            self._made_from[spec.cut] = text_hash("\n".join(passage.id for passage in passages))
        key = content_id("i", spell(spec), self.embedder.id, self._made_from[spec.cut], *self._asked_by(spec))
        if key not in self._open:
            task = asyncio.create_task(self._build_or_load(spec, key, passages), context=self.bench.around.copy())
            self._open[key] = task
        # Shielded: when one question is given up, the others still get the index that it began.
        return cast("T", await asyncio.shield(self._open[key]))

    def _asked_by(self, spec: IndexSpec[Any]) -> Sequence[str]:
        """Return the model and the prompts that an index is made with; nothing where it asks nothing."""
        return (self.llm.id, *sorted(set(spec.prompts))) if spec.prompts else ()

    async def _build_or_load(self, spec: IndexSpec[Any], key: str, passages: Sequence[Passage]) -> object:
        folder = self.bench.indexes / key if self.bench.indexes else None
        if folder and (manifest := read_manifest(folder)) and not manifest.get("failed"):
            with suppress(OSError, ValueError, KeyError, EOFError):  # damaged: it is built again
                return spec.load(folder, passages, self)
        began = time.monotonic()
        with metering() as meter:
            index = await self._built(spec, passages, meter)
        gaps = cast("Gaps", getattr(index, "gaps", Gaps()))
        _check(spec, gaps)
        if gaps.failed:
            self.bench.lacking.append(lacks(spell(spec), gaps.asked, gaps.failed))
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
            _keep(
                spec,
                index,
                folder,
                {
                    "passages": len(passages),
                    "embedder": self.embedder.id,
                    "model": self.llm.id if spec.prompts else None,
                    "asked": gaps.asked,
                    "failed": dict(gaps.failed),
                    "usage": {stage: usage.model_dump() for stage, usage in sorted(meter.stages.items())},
                    "seconds": round(time.monotonic() - began, 3),
                },
            )
        return index

    async def _built(self, spec: IndexSpec[T], passages: Sequence[Passage], meter: Meter) -> T:
        """Build an index; now and then say how far it is, and what it waits for."""
        name = f"index {spell(spec)} over {len(passages)} {plural(len(passages), 'passage')}"
        began = time.monotonic()
        self.bench.building.append(name)
        building = asyncio.ensure_future(spec.build(passages, self))
        pause = FIRST_NOTE_SECONDS
        try:
            while not (await asyncio.wait({building}, timeout=pause))[0]:
                pause = min(2 * pause, LONGEST_NOTE_SECONDS)
                if self.bench.building[-1] == name:
                    self.bench.told(f"{name}: {_so_far(meter, time.monotonic() - began)}")
            return building.result()
        finally:
            building.cancel()
            self.bench.building.remove(name)


def _so_far(meter: Meter, seconds: float) -> str:
    """Say how far a build is: that it waits for a model is not said of one that clusters or embeds."""
    calls = meter.total.calls + meter.waiting
    if not calls:
        return f"it computes, {seconds:.0f} s so far"
    now = f"{meter.waiting} under way" if meter.waiting else "none under way: it computes"
    return f"{meter.total.calls} {plural(meter.total.calls, 'call')} in {seconds:.0f} s so far, {now}"


@dataclass(slots=True)
class Kits:
    """One kit a scope and its documents, the least recently used let go: open indexes take memory."""

    bench: Bench
    _kits: dict[tuple[str | None, ...], ScopeKit] = field(default_factory=dict[tuple[str | None, ...], ScopeKit])

    def of(self, scope: str | None, documents: tuple[str, ...]) -> ScopeKit:
        """Return the kit of a scope's documents."""
        key = (scope, *documents)
        kit = self._kits.pop(key, None) or ScopeKit(bench=self.bench, documents=documents, scope=scope)
        self._kits[key] = kit
        if len(self._kits) > _OPEN_SCOPES:
            self._kits.pop(next(iter(self._kits)))
        return kit


def _check(spec: IndexSpec[Any], gaps: Gaps) -> None:
    """Refuse an index that lacks too much.

    Raises:
        ModelError: Less than 99 % of what its build asked for came.
    """
    if gaps.share >= ENOUGH:
        return
    what, reason = next(iter(gaps.failed.items()))
    came = gaps.asked - len(gaps.failed)
    raise ModelError(
        "failed",
        f"the index {spell(spec)!r} has {came} of {gaps.asked} {plural(gaps.asked, 'reply', 'replies')} "
        f"({gaps.share:.1%}; {ENOUGH:.0%} are needed): "
        f"{what}: {reason}; the same command asks for the missing ones again",
    )


def _keep(spec: IndexSpec[Any], index: object, folder: Path, made: Mapping[str, JsonValue]) -> None:
    """Save an index under a temporary name and rename it, so that a folder is whole or not there."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".draft-"))
    spec.save(index, draft)
    save_manifest(draft, {"index": spell(spec), **made})
    try:
        draft.rename(folder)
    except OSError:
        # Another process has just built the same index: its key says that it is equal.
        shutil.rmtree(draft)
