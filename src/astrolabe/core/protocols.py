"""The few protocols that everything is built against."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from astrolabe.core.errors import ConfigError
from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.records import Answer, Document, Hit, Passage, Question, Score
from astrolabe.core.spelling import Spelled

R = TypeVar("R", bound=BaseModel | str)
T = TypeVar("T")
Side = Literal["query", "passage"]
Vectors = npt.NDArray[np.float32]


class LLM(Protocol):
    """A model that can be asked; wrappers are LLMs too."""

    @property
    def id(self) -> str:
        """Provider, model and endpoint class: part of every record key."""
        ...

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        """Return the parsed reply, or raise `ModelError`."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def id(self) -> str:
        """Provider, model, revision, windowing and prefixes: part of every index key."""
        ...

    @property
    def window_tokens(self) -> int:
        """The most tokens that one text may have before it must be cut into windows."""
        ...

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:
        """Return float32 rows of L2 norm 1, shape (len(texts), dimensions), in the texts' order.

        A text without any content gets a row of zeros.
        """
        ...


class Index(Protocol):
    """A built index; read-only."""

    async def search(self, query: str, *, k: int) -> Sequence[Hit]:
        """Return at most `k` passages, best first, no passage twice."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """How documents are cut into passages: `size` and `overlap` in tokens.

    Raises:
        ConfigError: Unless size is at least 1 and overlap at least 0 and below size.
    """

    size: int = 512
    overlap: int = 0

    def __post_init__(self) -> None:
        """Refuse a cut that would not advance."""
        if self.size < 1 or not 0 <= self.overlap < self.size:
            msg = (
                f"passages need size >= 1 and 0 <= overlap < size, got size={self.size!r}, "
                f"overlap={self.overlap!r}; choose for example size=512, overlap=0"
            )
            raise ConfigError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """How many calls to a model a method makes, so that `plan` can say it before they are paid for.

    `low` equals `high` where the parameters fix the number; else nothing may lie outside. A prompt that is asked
    again because its reply was not usable counts once, and so does one that two scopes or methods share.

    Attributes:
        question_low: For one question, over indexes that are there and hold a passage: the fewest.
        question_high: The most.
        passage_low: For each passage of a scope, to build the method's indexes: the fewest.
        passage_high: The most, with everything that is made from extractions: summaries, reports.
        scope_high: The most on top for each scope, however many passages it has: a root over a single one, say.
        cut: The passages that are meant; null where indexes ask nothing.

    Raises:
        ConfigError: A low lies above its high or below 0, or passages cost calls and no cut says which they are.
    """

    question_low: int = 0
    question_high: int = 0
    passage_low: float = 0.0
    passage_high: float = 0.0
    scope_high: int = 1
    cut: Cut | None = None

    def __post_init__(self) -> None:
        """Refuse bounds that hold nothing."""
        lows_first = 0 <= self.question_low <= self.question_high and 0 <= self.passage_low <= self.passage_high
        if not lows_first or (self.passage_high > 0 and self.cut is None):
            msg = f"{self!r}: calls need 0 <= low <= high, and a cut where passages cost any; state them so"
            raise ConfigError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """What the build of an index asked a model for and did not get.

    Attributes:
        asked: How many replies the build needed.
        failed: Why each of the missing ones is missing, by what it was asked about (a passage's id).
    """

    asked: int = 0
    failed: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def share(self) -> float:
        """The share that came, in [0, 1]; 1 where nothing was asked."""
        return 1.0 - len(self.failed) / self.asked if self.asked else 1.0

    def __add__(self, other: "Gaps") -> "Gaps":
        """Return both builds' gaps."""
        return Gaps(asked=self.asked + other.asked, failed={**self.failed, **other.failed})


class IndexSpec(Spelled, Protocol[T]):
    """How to build an index; a frozen dataclass whose spelling is part of the index key.

    An index whose build asks a model has an attribute `gaps`. With any gap it is built again by the next run, which
    asks only for what is missing; where less than 99 % came it answers no question.

    Attributes:
        prompts: The names of the prompts that the build asks, those of the indexes it opens included; part of the key.
    """

    prompts: ClassVar[tuple[str, ...]]

    @property
    def cut(self) -> Cut:
        """The passages it is built over."""
        ...

    async def build(self, passages: Sequence[Passage], kit: "Kit") -> T:
        """Build the index over a scope's passages (possibly none)."""
        ...

    def save(self, index: T, folder: Path) -> None:
        """Write the index into an empty folder."""
        ...

    def load(self, folder: Path, passages: Sequence[Passage], kit: "Kit") -> T:
        """Open what `save` wrote over the same passages."""
        ...


class Kit(Protocol):
    """All that a method, an index or a metric may touch; bound to one scope's documents."""

    @property
    def scope(self) -> str | None:
        """The scope's name; null for answers without one."""
        ...

    @property
    def documents(self) -> Sequence[str]:
        """The ids of the scope's documents."""
        ...

    @property
    def llm(self) -> LLM:
        """The model under study; for metrics, the judge.

        Raises:
            ConfigError: No model is set for this role.
        """
        ...

    @property
    def embedder(self) -> Embedder:
        """The embedding model."""
        ...

    @property
    def answer_tokens(self) -> int:
        """The most tokens that an answer may take."""
        ...

    @property
    def context_tokens(self) -> int:
        """The most tokens of passages that a model may be shown at once."""
        ...

    async def open(self, spec: IndexSpec[T]) -> T:
        """Build the index over this scope once, then open it."""
        ...

    def passages(self, cut: Cut) -> Sequence[Passage]:
        """Return the scope's passages, by document and place."""
        ...

    def read(self, passage: str) -> Passage:
        """Return a passage of this scope by its id.

        Raises:
            KeyError: The scope has no such passage.
        """
        ...

    def has_document(self, document: str) -> bool:
        """Tell whether the scope holds the document."""
        ...

    def document(self, document: str) -> Document:
        """Return a document of this scope by its id: its title, its address, what else is known of it.

        Raises:
            KeyError: The scope has no such document.
        """
        ...


class Method(Spelled, Protocol):
    """Answers questions; a frozen dataclass whose fields are its parameters. Remembers nothing."""

    @property
    def calls(self) -> Calls:
        """How many calls it makes with its parameters; `plan` counts with it."""
        ...

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Return the answer; the study stamps method, scope, usage and times."""
        ...


class Metric(Spelled, Protocol):
    """Scores answers; a frozen dataclass whose fields are its parameters."""

    @property
    def range(self) -> tuple[float, float]:
        """The worst and the best value: (1, 0) where less is better."""
        ...

    async def score(self, question: Question, answer: Answer, kit: Kit) -> Score:
        """Return the score, `unscored` with a reason where there is no number."""
        ...
