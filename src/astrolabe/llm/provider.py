"""The layer below `LLM`: one request, one reply as it came. Providers and the wrappers around them speak it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Protocol, cast

from pydantic import BaseModel, JsonValue

from astrolabe.core.prompt import Message, Prompt
from astrolabe.core.records import Usage

Schema = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent once.

    Attributes:
        name: The prompt's name, which names the schema, too.
        stage: Where the cost is counted.
        messages: The conversation, in order.
        schema: What the reply must fit; null for plain text.
        max_tokens: The most tokens of the reply, thinking apart.
        temperature: 0 for the likeliest reply.
        options: Further decoding parameters, sent as they are.
    """

    name: str
    stage: str
    messages: tuple[Message, ...]
    schema: Schema | None
    max_tokens: int
    temperature: float
    options: Mapping[str, str | int | float | bool]

    @classmethod
    def of(cls, prompt: Prompt[BaseModel | str]) -> "Request":
        """Return the first request that a prompt leads to."""
        return cls(
            name=prompt.name,
            stage=prompt.stage,
            messages=prompt.messages,
            schema=schema_of(prompt.reply),
            max_tokens=prompt.max_tokens,
            temperature=prompt.temperature,
            options=prompt.options,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RawReply:
    """What came back, before anybody judged it.

    Attributes:
        text: The text, without the thinking that a server sends apart; empty where there was none.
        finish: The server's word on why it ended: `stop`, `length`, `content_filter`, or its own.
        refusal: The model's refusal where a server sends it apart.
        thought: Whether thoughts came apart from the text.
        usage: One call; tokens as the server counted them; `seconds` from sending to the last byte.
    """

    text: str
    finish: str = "stop"
    refusal: str | None = None
    thought: bool = False
    usage: Usage = field(default_factory=lambda: Usage(calls=1))


class Provider(Protocol):
    """Sends requests to one model; wrappers at this level are providers too."""

    @property
    def id(self) -> str:
        """Provider, model, address and endpoint class, without any key."""
        ...

    async def complete(self, request: Request) -> RawReply:
        """Return the reply as it came.

        Raises:
            WireError: Nothing usable came over the wire; says whether asking again makes sense.
            ModelError: This request cannot be answered.
            Stopped: No request can be answered for now.
        """
        ...

    async def aclose(self) -> None:
        """Close connections; the provider may be used again afterwards."""
        ...


@cache
def schema_of(reply: type[BaseModel | str]) -> Schema | None:
    """Return a reply type's JSON Schema as strict servers want it; null for `str`.

    Every object names all its fields as required and allows no others, which pydantic does not say by
    itself. Titles and defaults are left out: strict servers refuse them and models do not need them.
    """
    if not issubclass(reply, BaseModel):
        return None
    strict = _strict(cast("JsonValue", reply.model_json_schema()))
    return cast("Schema", strict)


def _strict(node: JsonValue) -> JsonValue:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _strict(value) for key, value in node.items() if key not in {"title", "default"}}
    fields = node.get("properties")
    if isinstance(fields, dict):
        kept["properties"] = {name: _strict(field) for name, field in fields.items()}
        kept["required"] = list(fields)
        kept["additionalProperties"] = False
    return kept


_BOUNDS: Final = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    | {"pattern", "format", "uniqueItems", "multipleOf"}
)


def without_bounds(schema: Schema) -> Schema:
    """Return a schema without the bounds on lengths and numbers that some strict servers refuse.

    The reply is checked against its type in any case.
    """
    return cast("Schema", _unbounded(dict(schema)))


def _unbounded(node: JsonValue) -> JsonValue:
    if isinstance(node, list):
        return [_unbounded(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _unbounded(value) for key, value in node.items() if key not in _BOUNDS}
    fields = node.get("properties")
    if isinstance(fields, dict):
        kept["properties"] = {name: _unbounded(field) for name, field in fields.items()}
    return kept
