"""From a prompt to a parsed reply: the only place where replies are judged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from astrolabe.core.errors import ModelError
from astrolabe.core.prompt import Message, Prompt, Reply
from astrolabe.core.records import Usage
from astrolabe.llm.provider import Provider, RawReply, Request
from astrolabe.llm.reading import read
from astrolabe.prompts.rendering import load
from astrolabe.store.http import WireError

if TYPE_CHECKING:
    from pydantic import BaseModel

R = TypeVar("R", bound="BaseModel | str")
MOST_TOKENS: Final = 32_768
"""A cut reply is asked for again with twice the tokens, but never more than these."""
_SHOWN_AGAIN: Final = 8_000
"""How many characters of an unusable reply are shown to the model again."""


@dataclass(frozen=True, slots=True)
class Structured:
    """An `LLM` over a provider: asks, reads, and asks once more where that can help.

    A reply cut at the token limit is asked for again with twice the limit, one that cannot be parsed with
    the fault shown; each at most once a prompt. A refusal or an empty reply is not asked again, for the same
    request brings the same; but one of thoughts alone is, once: the provider asks otherwise then. So no prompt
    takes more than four calls. Where more tokens are refused, the cut reply stands.

    Attributes:
        provider: What is asked.
        most_tokens: The most tokens that any reply may take, whatever its prompt allows.
    """

    provider: Provider
    most_tokens: int = MOST_TOKENS

    @property
    def id(self) -> str:
        """The provider's id."""
        return self.provider.id

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        """Return the parsed reply.

        Raises:
            ModelError: Nothing usable came; see `reading.read`.
        """
        asked = Request.of(prompt)
        first = request = replace(asked, max_tokens=min(asked.max_tokens, self.most_tokens))
        tried: set[str] = set()
        raws: list[RawReply] = []
        cut: ModelError | None = None
        while True:
            try:
                raw = await self.provider.complete(request)
            except ModelError as error:
                if cut and _is_final(error):
                    raise cut from error
                raise
            raws.append(raw)
            try:
                value, repaired, dropped = read(raw, prompt.reply)
            except ModelError as error:
                again = self._again(first, request, raw, error)
                if error.status in tried or again is None:
                    raise
                tried.add(error.status)
                cut = error if error.status == "truncated" else None
                request = again
            else:
                return Reply(value=value, text=raw.text, usage=_sum(raws), repaired=repaired, dropped=dropped)

    def _again(self, first: Request, last: Request, raw: RawReply, error: ModelError) -> Request | None:
        if error.status == "truncated" and last.max_tokens < self.most_tokens:
            return replace(last, max_tokens=min(2 * last.max_tokens, self.most_tokens))
        if error.status == "empty" and raw.thought:
            return last
        if error.status == "unparsed":
            said = Message(role="assistant", content=raw.text[:_SHOWN_AGAIN])
            (correction,) = load("reply_again.v1").fill({"problem": error.reason})
            return replace(last, messages=(*first.messages, said, correction))
        return None


def _is_final(error: ModelError) -> bool:
    """Tell whether a request failed because the server will not have it, whenever it is asked."""
    return isinstance(error.__cause__, WireError) and not error.__cause__.can_be_retried


def _sum(raws: Sequence[RawReply]) -> Usage:
    total = raws[0].usage
    for raw in raws[1:]:
        total = total + raw.usage
    return total
