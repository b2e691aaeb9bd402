"""What one server understands, learned from what it refuses."""

from dataclasses import dataclass, replace
from typing import Final, Literal

from astrolabe.store.http import WireError

Format = Literal["schema", "schema without bounds", "object", "plain"]
_LADDER: Final[tuple[Format, ...]] = ("schema", "schema without bounds", "object", "plain")
_REFUSALS: Final = frozenset({400, 415, 422, 501})
_FORMAT_WORDS: Final = ("response_format", "json_schema", "json_object", "schema", "grammar", "structured", "'format'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a server wants to be asked.

    Attributes:
        format: How it is told the form of a reply, the strictest that it has not refused.
        limit: What it calls the most tokens of a reply.
        temperature: Whether it takes a temperature.
        thinking: Whether it takes `chat_template_kwargs`, which switch thoughts off.
    """

    format: Format = "schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    thinking: bool = False

    def after(self, refusal: WireError) -> "Dialect | None":
        """Return the dialect to try after a refusal; null where the refusal is not about the dialect.

        Every step leads away from this dialect for good, so a server is tried at most six times in all.
        """
        if refusal.status not in _REFUSALS:
            return None
        complaint = f"{refusal.parameter} {refusal.reason}".casefold()
        if "max_completion_tokens" in complaint and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        if "chat_template" in complaint and self.thinking:
            return replace(self, thinking=False)
        if "temperature" in complaint and self.temperature:
            return replace(self, temperature=False)
        if self.format != "plain" and any(word in complaint for word in _FORMAT_WORDS):
            return replace(self, format=_LADDER[_LADDER.index(self.format) + 1])
        return None
