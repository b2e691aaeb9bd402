"""Six passages for traces: a kit that writes down every search and every call, in order."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from astrolabe.core.errors import ConfigError
from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.protocols import LLM, Cut, Embedder, Index, IndexSpec, Side, Vectors
from astrolabe.core.records import Document, Hit, Passage, Question
from astrolabe.core.spelling import spell
from astrolabe.core.tokens import count_tokens
from astrolabe.embed.hashed import HashedEmbedder
from astrolabe.llm.scripted import AnyPrompt, Script, Scripted
from tests.scoring_kit import bare_document

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T")
R = TypeVar("R", bound="BaseModel | str")

TEXTS = {
    "p1": "The moon pulls the water of the oceans, and tides follow it.",
    "p2": "Spring tides come when sun and moon pull together.",
    "p3": "Salt pans dry sea water in the sun until crystals form.",
    "p4": "Lighthouse lamps burned whale oil before paraffin came.",
    "p5": "Nets of hemp rot when they are stored wet.",
    "p6": "A tide table tells the harbour master when the water is high.",
}
QUESTION = Question(id="q", text="What moves the tides of the oceans?")


def passage(name: str, text: str) -> Passage:
    """Return a text as the only passage of a document of its own."""
    return Passage(id=name, document_id=f"d-{name}", text=text, start=0, end=len(text), tokens=count_tokens(text))


def material(prompt: AnyPrompt) -> str:
    """Return what a prompt shows beside its question: the block of the hole `context`."""
    return prompt.messages[-1].content.partition('name="context">\n')[2].partition("\n</block-")[0]


@dataclass
class TracedKit:
    """A kit over some passages; `trace` is what was done, in order."""

    script: Script | None = None
    held: Sequence[Passage] = tuple(passage(name, text) for name, text in TEXTS.items())
    answer_tokens: int = 120
    context_tokens: int = 1000
    scope: str | None = "hard"
    trace: list[str] = field(default_factory=list[str])
    opened: dict[str, object] = field(default_factory=dict[str, object])
    specs: dict[str, IndexSpec[Any]] = field(default_factory=dict[str, IndexSpec[Any]])
    scripted: Scripted = field(init=False)

    def __post_init__(self) -> None:
        self.scripted = Scripted(self.script or {})

    @property
    def llm(self) -> LLM:
        if self.script is None:
            raise ConfigError("no model plays the role 'answer'")
        return _TracedLLM(self.scripted, self.trace)

    @property
    def embedder(self) -> Embedder:
        return _TracedEmbedder(HashedEmbedder(), self.trace)

    @property
    def documents(self) -> Sequence[str]:
        return [held.document_id for held in self.held]

    def passages(self, cut: Cut) -> Sequence[Passage]:  # noqa: ARG002 - they were cut before
        return self.held

    def read(self, passage: str) -> Passage:
        return {held.id: held for held in self.held}[passage]

    def has_document(self, document: str) -> bool:
        return document in self.documents

    def document(self, document: str) -> Document:
        return bare_document(document)

    async def open(self, spec: IndexSpec[T]) -> T:
        """Build an index once; its calls stand in the trace, its embeddings do not."""
        built = await self.built(spec)
        return cast("T", _TracedIndex(cast("Index", built), self.trace) if hasattr(built, "search") else built)

    async def built(self, spec: IndexSpec[T]) -> T:
        """Build an index once."""
        spelled = spell(spec)
        if spec.prompts:
            _ = self.llm  # its id is a part of the index's key
        if spelled not in self.opened:
            self.trace.append(f"open {spelled}")
            self.specs[spelled] = spec
            self.opened[spelled] = await spec.build(self.held, _Building(self))
        return cast("T", self.opened[spelled])


class _Building(TracedKit):
    """The kit as an index sees it while it is built."""

    def __init__(self, kit: TracedKit) -> None:
        super().__init__(held=kit.held, script=kit.script, context_tokens=kit.context_tokens, trace=kit.trace)
        self.scripted = kit.scripted
        self.opened, self.specs = kit.opened, kit.specs

    @property
    def embedder(self) -> Embedder:
        return HashedEmbedder()

    async def open(self, spec: IndexSpec[T]) -> T:
        """Build an index of which another is made; its searches are no steps of the method."""
        return await self.built(spec)


@dataclass
class _TracedIndex:
    index: Index
    trace: list[str]

    async def search(self, query: str, *, k: int) -> Sequence[Hit]:
        hits = await self.index.search(query, k=k)
        self.trace.append(f"search {query!r} k={k}: {', '.join(hit.passage_id for hit in hits) or 'nothing'}")
        return hits


@dataclass
class _TracedLLM:
    inner: Scripted
    trace: list[str]

    @property
    def id(self) -> str:
        return self.inner.id

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        shown = "\n".join(message.content for message in prompt.messages)
        names = [name for _, name in sorted((shown.index(text), name) for name, text in TEXTS.items() if text in shown)]
        self.trace.append(f"ask {prompt.name} ({prompt.stage}) with {', '.join(names) or 'no passage'}")
        await asyncio.sleep(0)
        return await self.inner.ask(prompt)


@dataclass
class _TracedEmbedder:
    inner: Embedder
    trace: list[str]

    @property
    def id(self) -> str:
        return self.inner.id

    @property
    def window_tokens(self) -> int:
        return self.inner.window_tokens

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:
        self.trace.append(f"embed {len(texts)} as {side}")
        return await self.inner.embed(texts, side=side)
