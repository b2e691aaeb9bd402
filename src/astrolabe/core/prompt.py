"""What is asked of a model, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

from astrolabe.core.records import Usage

R_co = TypeVar("R_co", bound=BaseModel | str, covariant=True)
Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(Generic[R_co]):
    """A rendered prompt: everything that decides what a model is asked.

    Attributes:
        name: The prompt file's name and version, such as `write.v1`.
        stage: What the call is for, such as `answer.write`; decides where its cost is counted.
        messages: The conversation, in order.
        reply: The type that the reply is parsed into: a pydantic model, or `str` for plain text.
        max_tokens: The most tokens that the reply may take, thinking apart.
        temperature: 0 for the likeliest reply.
        repetition: 0, or the number of a deliberate repeat (a new sample, another record).
        options: Further decoding parameters, sent as they are.
    """

    name: str
    stage: str
    messages: tuple[Message, ...]
    reply: type[R_co]
    max_tokens: int
    temperature: float = 0.0
    repetition: int = 0
    options: Mapping[str, str | int | float | bool] = field(default_factory=dict[str, str | int | float | bool])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Generic[R_co]):
    """A reply that its parser accepted.

    Attributes:
        value: The parsed reply.
        text: The reply as it came.
        usage: Its cost.
        repaired: Whether the JSON had to be repaired before it parsed.
        dropped: How many list items were null and left out.
        recorded: Whether it came from the record.
    """

    value: R_co
    text: str
    usage: Usage
    repaired: bool = False
    dropped: int = 0
    recorded: bool = False
