"""What one server understands, learned from what it refuses and from what it sends."""

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from astrolabe.store.http import WireError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Format = Literal["schema", "schema without bounds", "object", "plain"]
Effort = Literal["none", "minimal", "low"]
THINKING_TOKENS: Final = 8_192
"""What a model that thinks may spend before its reply; servers count both against one limit."""
_LADDER: Final[tuple[Format, ...]] = ("schema", "schema without bounds", "object", "plain")
_EFFORTS: Final[tuple[Effort, ...]] = ("none", "minimal", "low")
_REFUSALS: Final = frozenset({400, 415, 422, 501})
_FORMAT_WORDS: Final = ("response_format", "json_schema", "json_object", "schema", "grammar", "structured", "'format'")
_ROOM_WORDS: Final = ("context length", "context window", "context size", "too large", "at most", "maximum")
_LEAST_ROOM: Final = 512
_SMALLER: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a server wants to be asked.

    Attributes:
        format: How it is told the form of a reply, the strictest that it has not refused.
        limit: What it calls the most tokens of a reply.
        temperature: Whether it takes a temperature.
        thinking: Whether it takes `chat_template_kwargs`, which switch thoughts off.
        effort: The least `reasoning_effort` that it takes; null where none is sent.
        room: The tokens that thoughts get beside the reply's, where they cannot be switched off.
    """

    format: Format = "schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    thinking: bool = False
    effort: Effort | None = None
    room: int = 0

    def after(self, refusal: WireError) -> "Dialect | None":
        """Return the dialect to try after a refusal; null where the refusal is not about the dialect.

        Every step leads away from this dialect for good, so a server is tried a dozen times at most in all.
        """
        if refusal.status not in _REFUSALS:
            return None
        return next(self._steps(f"{refusal.parameter} {refusal.reason}".casefold()), None)

    def _steps(self, complaint: str) -> "Iterator[Dialect]":
        """Yield the dialects that answer a complaint, the likeliest first."""
        too_many = any(word in complaint for word in _ROOM_WORDS)
        if self.room and too_many:
            yield replace(self, room=self.room // _SMALLER if self.room > _LEAST_ROOM else 0)
        if "max_completion_tokens" in complaint and self.limit == "max_tokens" and not too_many:
            yield replace(self, limit="max_completion_tokens", effort="none")
        if self.effort and "effort" in complaint:
            yield replace(self, effort=_next_effort(self.effort, complaint), room=THINKING_TOKENS)
        if "chat_template" in complaint and self.thinking:
            yield replace(self, thinking=False)
        if "temperature" in complaint and self.temperature:
            yield replace(self, temperature=False)
        if self.format != "plain" and any(word in complaint for word in _FORMAT_WORDS):
            yield replace(self, format=_LADDER[_LADDER.index(self.format) + 1])

    def heard(self, *, thought: bool, text: str) -> "Dialect":
        """Return the dialect after a reply: thoughts that came in spite of everything need room.

        Some servers take the whole reply of a model that was told not to think for its thoughts. Such a one is
        no longer told so.

        Args:
            thought: Whether thoughts came.
            text: What came beside them.
        """
        if not thought or (self.room and (text or not self.thinking)):
            return self
        return replace(self, room=self.room or THINKING_TOKENS, thinking=self.thinking and bool(text))


def _next_effort(effort: Effort, complaint: str) -> Effort | None:
    """Return the least effort above this one that a complaint names as supported; where it names none, the next."""
    _, named, listed = complaint.partition("supported values are")
    above: Sequence[Effort] = _EFFORTS[_EFFORTS.index(effort) + 1 :]
    if named:
        above = [one for one in above if re.search(rf"\b{one}\b", listed)]
    return next(iter(above), None)
