"""What is part of a call's key and what is not (field case D24), by properties."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, SecretStr, create_model

from astrolabe.core.errors import ModelError
from astrolabe.core.prompt import Message, Prompt, Role
from astrolabe.core.protocols import Side, Vectors
from astrolabe.embed.recorded import RecordedEmbedder
from astrolabe.embed.served import Served
from astrolabe.llm.gate import Gate, Limits
from astrolabe.llm.limited import Limited
from astrolabe.llm.metered import Metered, Price
from astrolabe.llm.openai_compatible import OpenAICompatible
from astrolabe.llm.provider import RawReply
from astrolabe.llm.recorded import Recorded, call_key
from astrolabe.llm.retried import Retried
from astrolabe.llm.structured import Structured
from astrolabe.store.calls import CallRecord
from astrolabe.store.http import Wire
from astrolabe.store.model_names import ModelName
from tests.providers import Plays, says

TEXTS = st.text(max_size=30)
NAMES = st.text("abcdefgh.-", min_size=1, max_size=8)
ROLES = st.sampled_from(["system", "user", "assistant"])
MESSAGES = st.lists(st.builds(Message, role=ROLES, content=TEXTS), min_size=1, max_size=4).map(tuple)
OPTIONS = st.dictionaries(
    st.sampled_from(["seed", "top_p", "stop", "min_p"]), st.integers(0, 9) | st.booleans() | NAMES, max_size=3
)


class Topics(BaseModel):
    """A reply with defaults, so that an empty object is one."""

    topics: list[str] = []


REPLIES: list[type[BaseModel | str]] = [
    str,
    Topics,
    create_model("Topics", topics=(list[int], [])),
    create_model("Topics", topics=(list[str], Field(default=[], max_length=3))),
    create_model("Topics", topics=(list[str], []), reason=(str, "")),
    create_model("Subjects", subjects=(list[str], [])),
]


def spelled(parts: tuple[str, str, int, str]) -> str:
    """Return a model's id."""
    provider, name, port, kind = parts
    return f"{provider}:{name}@http://127.0.0.1:{port}/v1 {kind}"


PROVIDERS = st.sampled_from(["openai", "vllm", "ollama"])
KINDS = st.sampled_from(["chat", "completions", "embeddings"])
MODELS = st.tuples(PROVIDERS, NAMES, st.integers(1, 9), KINDS).map(spelled)  # a revision is part of a name
PARTS: dict[str, st.SearchStrategy[Any]] = {
    "messages": MESSAGES,
    "max_tokens": st.integers(1, 4),
    "temperature": st.sampled_from([0.0, 0.1, 0.7]),
    "options": OPTIONS,
    "reply": st.sampled_from(REPLIES),
    "name": NAMES.map(lambda name: f"{name}.v1"),
    "repetition": st.integers(0, 3),
}


def prompt_of(**parts: Any) -> Prompt[Any]:  # noqa: ANN401 - what hypothesis draws
    """Return a prompt of drawn parts."""
    return Prompt(**parts)


PROMPTS = st.builds(prompt_of, stage=NAMES, **PARTS)


def asked(*prompts: Prompt[Any], models: list[str] | None = None) -> int:
    """Return how many of some prompts are asked, one after the other, over one record."""
    names = models or ["m"] * len(prompts)
    providers = {name: Plays([says("{}")], id=name) for name in names}

    async def ask_all() -> None:
        with CallRecord(None) as record:
            for name, prompt in zip(names, prompts, strict=True):
                await Recorded(Structured(providers[name]), record).ask(prompt)

    asyncio.run(ask_all())
    return sum(len(provider.requests) for provider in providers.values())


@settings(max_examples=30)
@given(prompt=PROMPTS, part=st.sampled_from(sorted(PARTS)), choices=st.data())
def test_a_change_of_any_part_is_a_miss(prompt: Prompt[Any], part: str, choices: st.DataObject) -> None:
    value = choices.draw(PARTS[part].filter(lambda value: value != getattr(prompt, part)))
    changed = replace(prompt, **{part: value})

    assert call_key("m", changed) != call_key("m", prompt)
    assert asked(prompt, changed, prompt, changed) == 2


@given(prompt=PROMPTS, place=st.integers(0, 3), text=TEXTS, role=ROLES)
def test_a_change_within_any_one_message_is_a_miss(prompt: Prompt[Any], place: int, text: str, role: Role) -> None:
    turns = list(prompt.messages)
    at = place % len(turns)
    other_text = replace(turns[at], content=f"{turns[at].content}{text} ")
    other_role = replace(turns[at], role=role if role != turns[at].role else "user")
    for turn in {other_text, other_role} - {turns[at]}:
        changed = replace(prompt, messages=(*turns[:at], turn, *turns[at + 1 :]))

        assert call_key("m", changed) != call_key("m", prompt)


@given(first=MESSAGES, second=MESSAGES)
def test_where_a_message_ends_is_part_of_the_key(first: tuple[Message, ...], second: tuple[Message, ...]) -> None:
    prompt = Prompt(name="n.v1", stage="s", messages=first, reply=str, max_tokens=1)

    same = call_key("m", replace(prompt, messages=second)) == call_key("m", prompt)

    assert same == (first == second)


@settings(max_examples=30)
@given(prompt=PROMPTS, first=MODELS, second=MODELS)
def test_another_model_revision_address_or_endpoint_class_is_a_miss(
    prompt: Prompt[Any], first: str, second: str
) -> None:
    assert asked(prompt, prompt, models=[first, second]) == len({first, second})


@settings(max_examples=30)
@given(prompt=PROMPTS, stage=NAMES)
def test_what_a_call_is_for_is_no_part_of_the_key(prompt: Prompt[Any], stage: str) -> None:
    assert asked(prompt, replace(prompt, stage=stage)) == 1


@given(
    key=st.none() | NAMES,
    timeout=st.floats(0.1, 1e4),
    concurrency=st.integers(1, 512),
    attempts=st.integers(1, 9),
    rate=st.none() | st.floats(1, 1e6),
    price=st.none() | st.floats(0, 100),
)
def test_key_timeout_concurrency_retries_limits_and_price_are_no_part_of_it(
    *, key: str | None, timeout: float, concurrency: int, attempts: int, rate: float | None, price: float | None
) -> None:
    wire = Wire("http://127.0.0.1:9/v1", key=SecretStr(key) if key else None, timeout_seconds=timeout)
    asks = OpenAICompatible("m", wire, spelled="openai:m@http://127.0.0.1:9/v1")
    metered = Metered(asks, None if price is None else Price(prompt=price, completion=price))
    gate = Gate(Limits(concurrency=concurrency, requests_per_minute=rate, tokens_per_minute=rate))
    stack = Structured(Retried(Limited(metered, gate), attempts=attempts))
    served = Served(ModelName.parse("openai:m@http://127.0.0.1:9/v1"), wire)

    assert stack.id == "openai:m@http://127.0.0.1:9/v1 chat"
    assert served.id.startswith("openai:m@http://127.0.0.1:9/v1 embeddings;")


class Numbers:
    """An embedder that counts the texts it is given."""

    window_tokens = 100

    def __init__(self, identity: str, dimensions: int) -> None:
        self.id = identity
        self.dimensions = dimensions
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:  # noqa: ARG002
        self.texts += texts
        return np.ones((len(texts), self.dimensions), dtype=np.float32)


def identified(parts: tuple[str, str, int]) -> tuple[str, int]:
    """Return an embedder's id and its dimensions."""
    name, prefix, dimensions = parts
    return f"openai:{name} embeddings;prefix={prefix};dimensions={dimensions}", dimensions


EMBEDDERS = st.tuples(NAMES, NAMES, st.integers(1, 4)).map(identified)


@settings(max_examples=30)
@given(first=EMBEDDERS, second=EMBEDDERS, sides=st.tuples(*[st.sampled_from(["query", "passage"])] * 2), text=TEXTS)
def test_model_prefix_dimensions_and_side_are_part_of_a_vectors_key(
    first: tuple[str, int], second: tuple[str, int], sides: tuple[Side, Side], text: str
) -> None:
    one, other = Numbers(*first), Numbers(*second)

    async def embed() -> tuple[Vectors, Vectors]:
        with CallRecord(None) as record:
            return (
                await RecordedEmbedder(one, record).embed([text], side=sides[0]),
                await RecordedEmbedder(other, record).embed([text], side=sides[1]),
            )

    ours, theirs = asyncio.run(embed())

    assert (ours.shape[1], theirs.shape[1]) == (first[1], second[1])
    assert len(one.texts) + len(other.texts) == len({(first, sides[0]), (second, sides[1])})


BAD = st.sampled_from([says(""), says("not json"), says("{}", "length"), RawReply(text="", refusal="no")])


@settings(max_examples=30)
@given(bad=st.lists(BAD, min_size=1, max_size=3))
def test_a_bad_reply_is_never_reused_however_many_there_were(bad: list[RawReply]) -> None:
    prompt = Prompt(
        name="n.v1",
        stage="s",
        messages=(Message(role="user", content="?"),),
        reply=Topics,
        max_tokens=32_768,
        options={"max_items": len(bad)},
    )

    async def ask() -> tuple[int, str]:
        failed = 0
        with CallRecord(None) as record:
            for raw in bad:
                try:
                    await Recorded(Structured(Plays([raw])), record).ask(prompt)
                except ModelError:
                    failed += 1
            reply = await Recorded(Structured(Plays([says('{"topics": ["good"]}')])), record).ask(prompt)
        return failed, reply.text

    assert asyncio.run(ask()) == (len(bad), '{"topics": ["good"]}')
