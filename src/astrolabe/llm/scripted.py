"""A model that says what a script tells it to: the double for tests, through the real parser and meter."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from pydantic import BaseModel

from astrolabe.core.prompt import Prompt, Reply
from astrolabe.core.records import Usage
from astrolabe.llm.metered import FREE, Metered
from astrolabe.llm.provider import RawReply, Request
from astrolabe.llm.structured import Structured

R = TypeVar("R", bound="BaseModel | str")
Line = str | BaseModel | RawReply | Exception
"""A reply's text, a model that is sent as JSON, a whole reply (with its finish reason), or an error to raise."""
AnyPrompt = Prompt[BaseModel | str]
Script = Mapping[str, Sequence[Line]] | Callable[[AnyPrompt], Line]


class Scripted:
    """An `LLM` that plays a script.

    Args:
        replies: Either a mapping from a prompt's name (`write.v1`), its name without version (`write`) or
            its stage (`answer.write`) to the replies in order; or a function of the prompt.

    Attributes:
        asked: The prompts as they were asked, in order.
        requests: What was sent, the repeats after an unusable reply included.
    """

    def __init__(self, replies: Script) -> None:
        """Take the script."""
        self._lines = replies if callable(replies) else {key: deque(lines) for key, lines in replies.items()}
        self.asked: Final[list[AnyPrompt]] = []
        self.requests: Final[list[Request]] = []

    @property
    def id(self) -> str:
        """What manifests call this model."""
        return "scripted"

    async def ask(self, prompt: Prompt[R]) -> Reply[R]:
        """Play the next line for this prompt.

        Raises:
            LookupError: The script has no line left for it.
            ModelError: The line cannot be read as the prompt's reply.
        """
        self.asked.append(prompt)
        return await Structured(Metered(_Stage(self, prompt), FREE)).ask(prompt)

    def line(self, prompt: AnyPrompt) -> Line:
        """Return the next line for a prompt."""
        if callable(self._lines):
            return self._lines(prompt)
        keys = (prompt.name, prompt.name.partition(".v")[0], prompt.stage)
        for key in keys:
            if lines := self._lines.get(key):
                return lines.popleft()
        raise LookupError(f"the script has no line left for any of {keys!r}; prompt no. {len(self.asked)}")


class _Stage:
    """The provider under a scripted model, for one prompt."""

    def __init__(self, script: Scripted, prompt: AnyPrompt) -> None:
        self._script = script
        self._prompt = prompt
        self.id = script.id

    async def complete(self, request: Request) -> RawReply:
        """Play the next line."""
        self._script.requests.append(request)
        line = self._script.line(self._prompt)
        if isinstance(line, Exception):
            raise line
        if isinstance(line, RawReply):
            return line
        text = line.model_dump_json() if isinstance(line, BaseModel) else line
        words = sum(len(message.content.split()) for message in request.messages)
        return RawReply(text=text, usage=Usage(calls=1, prompt_tokens=words, completion_tokens=len(text.split())))

    async def aclose(self) -> None:
        """Nothing is open."""
