"""A model that answers from the record alone and counts what is not there: how `plan` goes through a command."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

from astrolabe.core.errors import ModelError, NotRecorded
from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.protocols import LLM
from astrolabe.core.tokens import count_tokens
from astrolabe.llm.recorded import call_key
from astrolabe.store.calls import CallRecord

R = TypeVar("R", bound="BaseModel | str")

EXPECTED_SHARE: Final = 0.5
"""Of the tokens that a reply may take, for the expected count, where no reply to the prompt is recorded yet."""
_LINES: Final = 50_000
"""How many lines are remembered: some 25 MB of text."""
INDEX: Final = "index."
"""How the stages of building an index begin."""


class _Planned(ModelError):
    """A call that is not recorded: it is counted, and what asked for it goes on as where a reply is not usable."""

    def __init__(self) -> None:
        super().__init__("failed", "it would be asked for")


@dataclass(slots=True)
class Tally:
    """The calls of one stage and prompt, each once: new ones with their tokens, and those that the record has."""

    calls: int = 0
    recorded: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(slots=True)
class _Known:
    """What recorded calls of one prompt took, by our count of its tokens and by the server's."""

    calls: int = 0
    counted: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(slots=True)
class Walk:
    """What one walk through a question asked, new or not, and whether anything that it needs is not there yet."""

    index: int = 0
    question: int = 0
    index_stops: bool = False
    question_stops: bool = False


@dataclass(slots=True)
class Counting:
    """Answers from the record and counts what is not there.

    A call that failed counts as new, as it will be asked again; the same call twice, new or recorded, counts once.

    Attributes:
        llm: The model, replaying.
        record: What recorded calls took is read from here.
        live: Whether recorded calls are asked again.
        tallies: What was counted, by stage and prompt name.
        walk: What the walk under way asked; replaced before each.
    """

    llm: LLM
    record: CallRecord
    live: bool
    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict[tuple[str, str], Tally])
    walk: Walk = field(default_factory=Walk)
    _learns: bool = False
    _known: dict[str, _Known] = field(default_factory=dict[str, _Known])
    _counted: set[bytes] = field(default_factory=set[bytes])
    _missing: set[bytes] = field(default_factory=set[bytes])

    @property
    def id(self) -> str:
        """The id of the model that would be asked."""
        return self.llm.id

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        """Return the recorded reply, or count the call.

        Raises:
            ModelError: It was counted.
        """
        key = call_key(self.id, prompt)
        reply = None if key in self._missing else await self._recorded(prompt)
        if reply is None:
            self._missing.add(key)  # what all scopes share is looked for once
        else:
            self._learn(key, prompt)
        if not self._learns:
            self._count(key, prompt, new=reply is None or self.live)
        self._note(prompt, missing=reply is None)
        if reply is None:
            raise _Planned
        return reply

    @contextmanager
    def learning(self) -> Generator[None]:
        """Inside, recorded calls only teach what their prompts take: nothing is counted."""
        self._learns = True
        yield
        self._learns = False

    def expected(self, stage: str) -> Tally:
        """Return a stage's calls, their tokens corrected by what recorded calls of the same prompts took."""
        total = Tally()
        for (where, name), tally in self.tallies.items():
            if where != stage:
                continue
            known = self._known.get(name, _Known())
            ratio = known.prompt_tokens / known.counted if known.counted and known.prompt_tokens else 1.0
            mean = known.reply_tokens / known.calls if known.reply_tokens else None
            replies = EXPECTED_SHARE * tally.reply_tokens if mean is None else tally.calls * mean
            total.calls += tally.calls
            total.recorded += tally.recorded
            total.prompt_tokens += round(tally.prompt_tokens * ratio)
            total.reply_tokens += round(replies)
        return total

    @property
    def stages(self) -> list[str]:
        """The stages that asked, in order of their names."""
        return sorted({stage for stage, _ in self.tallies})

    async def _recorded(self, prompt: Prompt[R]) -> Reply[R] | None:
        with suppress(NotRecorded, ModelError):
            return await self.llm.ask(prompt)
        return None

    def _learn(self, key: bytes, prompt: Prompt[R]) -> None:
        stored = self.record.get(key)
        if stored is None:
            return
        known = self._known.setdefault(prompt.name, _Known())
        known.calls += 1
        known.counted += _tokens(prompt)
        known.prompt_tokens += stored.usage.prompt_tokens
        known.reply_tokens += stored.usage.completion_tokens

    def _count(self, key: bytes, prompt: Prompt[R], *, new: bool) -> None:
        tally = self.tallies.setdefault((prompt.stage, prompt.name), Tally())
        if key in self._counted:
            return
        if new:
            tally.calls += 1
            tally.prompt_tokens += _tokens(prompt)
            tally.reply_tokens += prompt.max_tokens
        else:
            tally.recorded += 1
        self._counted.add(key)

    def _note(self, prompt: Prompt[R], *, missing: bool) -> None:
        if prompt.stage.startswith(INDEX):
            self.walk.index += 1
            self.walk.index_stops |= missing
        else:
            self.walk.question += 1
            self.walk.question_stops |= missing


def mean_tokens(tallies: Mapping[tuple[str, str], Tally], *, index: bool, other: Tally) -> Tally:
    """Return what one call of an index, or of a question, takes on average; `other` where none was counted."""
    chosen = [tally for (stage, _), tally in tallies.items() if stage.startswith(INDEX) == index and tally.calls]
    calls = sum(tally.calls for tally in chosen)
    if not calls:
        return other
    prompts, replies = (sum(tally.prompt_tokens for tally in chosen), sum(tally.reply_tokens for tally in chosen))
    return Tally(calls=1, prompt_tokens=round(prompts / calls), reply_tokens=round(replies / calls))


def _tokens(prompt: Prompt[R]) -> int:
    return sum(tokens_by_line(message.content) for message in prompt.messages)


def tokens_by_line(text: str) -> int:
    """Count the tokens of a text, as `count_tokens` does: no token goes beyond a line.

    Prompts repeat their instructions, and different ones show the same passages: a line is counted once.
    """
    return sum(map(_line_tokens, text.split("\n")))


@lru_cache(maxsize=_LINES)
def _line_tokens(line: str) -> int:
    return count_tokens(line) if line else 0
