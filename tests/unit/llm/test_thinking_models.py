"""Models that think, each beside a server that behaves as the real one does: see the comment above each test."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import pytest

from astrolabe.core.errors import ModelError
from astrolabe.llm.dialect import THINKING_TOKENS, Dialect
from astrolabe.llm.ollama import SMALLEST_CONTEXT, Ollama
from astrolabe.llm.openai_compatible import OpenAICompatible
from astrolabe.llm.provider import Request
from astrolabe.llm.retried import Retried
from astrolabe.llm.stack import provider_of
from astrolabe.llm.structured import Structured
from astrolabe.store.http import Wire
from astrolabe.store.model_names import ModelName
from tests.misbehaving import REFUSED_IN, Part, has_part
from tests.providers import asks, asks_text
from tests.servers import Behaviour, Body, Says, Seen, Server, Status, serving

if TYPE_CHECKING:
    from pydantic import JsonValue

GOOD = '{"topics": ["a"], "reason": ""}'
THOUGHTS = 'Maybe {"topics": ["Wrong"]}?'


def openai(server: Server, dialect: Dialect | None = None) -> OpenAICompatible:
    return OpenAICompatible("m", Wire(server.url), spelled="openai:m", dialect=dialect)


def vllm(server: Server) -> OpenAICompatible:
    return openai(server, Dialect(thinking=True))


def ollama(server: Server) -> Ollama:
    return Ollama("m", Wire(server.address), spelled="ollama:m")


def refuses(*parts: Part) -> "Refuses":
    return Refuses(parts)


class Refuses:
    """A server that refuses parts of a request and answers the rest."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    def __call__(self, seen: Seen) -> Behaviour:
        return next((REFUSED_IN[part] for part in self._parts if has_part(seen, part)), Says(GOOD))


# gpt-5: no max_tokens, no temperature but 1, and it cannot be kept from thinking a little
async def test_gpt_5_is_asked_in_its_own_words_and_thinks_as_little_as_it_can() -> None:
    with serving(refuses("max_tokens", "reasoning_effort", "temperature")) as server:
        model = openai(server)
        await model.complete(Request.of(asks()))
        await model.complete(Request.of(asks("again")))

    last = server.seen[-1].body
    assert len(server.seen) == 3 + 2
    assert "max_tokens" not in last
    assert "temperature" not in last
    assert last["max_completion_tokens"] == 100 + THINKING_TOKENS
    assert last["reasoning_effort"] == "minimal"


# gpt-5.1: does not think at all when told so, and then needs no tokens for it
async def test_gpt_5_1_is_told_not_to_think_and_gets_the_replys_tokens_alone() -> None:
    with serving(refuses("max_tokens")) as server:
        await openai(server).complete(Request.of(asks()))

    last = server.seen[-1].body
    assert last["max_completion_tokens"] == 100
    assert last["reasoning_effort"] == "none"
    assert last["temperature"] == 0.0


# o1-mini: refuses the parameter as a whole
async def test_a_model_that_knows_no_effort_is_not_told_any() -> None:
    def behave(seen: Seen) -> Behaviour:
        if "reasoning_effort" in seen.body:
            return Status(400, "Unrecognized request argument supplied: reasoning_effort")
        return refuses("max_tokens")(seen)

    with serving(behave) as server:
        await openai(server).complete(Request.of(asks()))

    assert "reasoning_effort" not in server.seen[-1].body
    assert server.seen[-1].body["max_completion_tokens"] == 100 + THINKING_TOKENS
    assert len(server.seen) == 5  # max_tokens, then `none`, `minimal` and `low`


# o3: takes low, medium and high
async def test_the_least_effort_that_is_listed_is_taken() -> None:
    listed = "Supported values are: 'low', 'medium', and 'high'."

    def behave(seen: Seen) -> Behaviour:
        if seen.body.get("reasoning_effort") not in {None, "low"}:
            return Status(400, f"Unsupported value: 'none' is not supported. {listed}", error={"param": "x.effort"})
        return refuses("max_tokens")(seen)

    with serving(behave) as server:
        await openai(server).complete(Request.of(asks()))

    assert [seen.body.get("reasoning_effort") for seen in server.seen] == [None, "none", "low"]


# vLLM with Qwen3, SGLang, llama.cpp: a switch in the chat template
@pytest.mark.parametrize("spelled", ["vllm:Qwen/Qwen3-8B@{url}", "openai:qwen3@{url}"])
async def test_thinking_is_switched_off_on_every_server_but_openais_own(spelled: str) -> None:
    with serving([Says(GOOD)]) as server:
        await provider_of(ModelName.parse(spelled.format(url=server.url))).complete(Request.of(asks()))

    assert server.seen[0].body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "guided_json" not in server.seen[0].body  # vLLM ignores it without a word
    assert cast("dict[str, JsonValue]", server.seen[0].body["response_format"])["type"] == "json_schema"


# hosted servers that refuse what they do not know: OpenAI's and Groq's words, Mistral's list
@pytest.mark.parametrize(
    "refusal",
    [
        REFUSED_IN["chat_template_kwargs"],
        Status(400, "property 'chat_template_kwargs' is unsupported"),
        Status(422, "", error={"message": "", "detail": [{"type": "extra", "loc": ["body", "chat_template_kwargs"]}]}),
    ],
)
async def test_a_server_that_knows_no_such_switch_is_not_sent_it_again(refusal: Status) -> None:
    def behave(seen: Seen) -> Behaviour:
        return refusal if "chat_template_kwargs" in seen.body else Says(GOOD)

    with serving(behave) as server:
        model = vllm(server)
        await model.complete(Request.of(asks()))
        await model.complete(Request.of(asks("again")))

    assert ["chat_template_kwargs" in seen.body for seen in server.seen] == [True, False, False]


# DeepSeek-R1, QwQ, gpt-oss: no switch; thoughts in the text, under reasoning_content, or under reasoning
@pytest.mark.parametrize(
    "reply",
    [
        Says(f"<think>{THOUGHTS}</think>\n{GOOD}"),
        Says(f"{THOUGHTS}\n</think>\n\n{GOOD}"),
        Says(f"[THINK]{THOUGHTS}[/THINK]{GOOD}"),
        Says(f"<|channel|>analysis<|message|>{THOUGHTS}<|end|><|start|>assistant<|channel|>final<|message|>{GOOD}"),
        Says(GOOD, reasoning=THOUGHTS),
        Body('{"choices": [{"message": {"content": "{\\"topics\\": [\\"a\\"]}", "reasoning": "hm"}}]}'),
    ],
    ids=["tags", "end alone", "Mistral's", "gpt-oss's", "reasoning_content", "reasoning"],
)
async def test_thoughts_are_left_out_and_get_tokens_of_their_own_from_then_on(reply: Behaviour) -> None:
    with serving([reply]) as server:
        model = Structured(vllm(server))
        first = await model.ask(asks())
        await model.ask(asks("again"))

    assert first.value.topics == ["a"]
    assert [seen.body["max_tokens"] for seen in server.seen] == [100, 100 + THINKING_TOKENS]


# Qwen3 told not to think writes two tags with nothing between them
async def test_thoughts_of_nothing_need_no_tokens() -> None:
    with serving([Says(f"<think>\n\n</think>\n\n{GOOD}")]) as server:
        model = Structured(vllm(server))
        await model.ask(asks())
        await model.ask(asks("again"))

    assert [seen.body["max_tokens"] for seen in server.seen] == [100, 100]


# the same models where the limit ends them while they still think
@pytest.mark.parametrize(
    "cut",
    [
        Says(f"<think>{THOUGHTS}", finish="length"),
        Says(None, finish="length", reasoning=THOUGHTS),
        Says("", finish="length", reasoning=THOUGHTS),
    ],
    ids=["tags", "apart, null", "apart, empty"],
)
async def test_a_reply_cut_in_its_thoughts_is_asked_for_again_with_tokens_for_them(cut: Says) -> None:
    with serving([cut, Says(GOOD)]) as server:
        reply = await Structured(vllm(server)).ask(asks())

    assert reply.value.topics == ["a"]
    assert [seen.body["max_tokens"] for seen in server.seen] == [100, 200 + THINKING_TOKENS]


async def test_a_reply_that_never_leaves_its_thoughts_is_truncated_and_brings_nothing() -> None:
    script = [Says(f"<think>{THOUGHTS}", finish="length")]
    with serving(script) as server, pytest.raises(ModelError, match="inside its thoughts") as caught:
        await Structured(vllm(server)).ask(asks())

    assert caught.value.status == "truncated"
    assert caught.value.partial is None
    assert len(server.seen) == 2


# vllm-project/vllm#17609: told not to think, with a reasoning parser that expects thoughts, all comes as thoughts
async def test_a_server_that_takes_the_reply_for_thoughts_is_no_longer_told_not_to_think() -> None:
    def behave(seen: Seen) -> Behaviour:
        return Says(None, reasoning=GOOD) if "chat_template_kwargs" in seen.body else Says(GOOD, reasoning=THOUGHTS)

    with serving(behave) as server:
        model = Structured(vllm(server))
        first = await model.ask(asks())
        await model.ask(asks("again"))

    assert first.value.topics == ["a"]
    assert first.usage.calls == 2
    assert ["chat_template_kwargs" in seen.body for seen in server.seen] == [True, False, False]


async def test_a_reply_of_thoughts_alone_is_empty_and_says_what_to_do() -> None:
    said = "only thoughts: start the server with a reasoning parser"
    with serving([Says(None, reasoning=GOOD)]) as server, pytest.raises(ModelError, match=said) as caught:
        await Structured(vllm(server)).ask(asks())

    assert caught.value.status == "empty"
    assert len(server.seen) == 2


# vLLM and llama.cpp refuse a request whose reply would not fit the window
@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.",
        "'max_tokens' or 'max_completion_tokens' is too large: 8292. This model supports at most 4096.",
        "the request exceeds the available context size (4096 tokens), try increasing it",
    ],
)
async def test_tokens_for_thoughts_are_cut_down_to_what_the_window_holds(message: str) -> None:
    def behave(seen: Seen) -> Behaviour:
        tokens = seen.body["max_tokens"]
        return Status(400, message) if isinstance(tokens, int) and tokens > 4096 else Says(GOOD, reasoning=THOUGHTS)

    with serving(behave) as server:
        model = vllm(server)
        for text in ("one", "two", "three"):
            await model.complete(Request.of(asks(text)))

    room = THINKING_TOKENS // 4
    assert [seen.body["max_tokens"] for seen in server.seen] == [100, 100 + THINKING_TOKENS, 100 + room, 100 + room]


async def test_a_cut_reply_stands_where_the_server_grants_no_more_tokens() -> None:
    def behave(seen: Seen) -> Behaviour:
        refusal = Status(400, "This model's maximum context length is 150 tokens.")
        return refusal if seen.body["max_tokens"] != 100 else Says('{"topics": ["solar", "wi', finish="length")

    with serving(behave) as server, pytest.raises(ModelError) as caught:
        await Structured(Retried(vllm(server))).ask(asks())

    assert caught.value.status == "truncated"
    assert "solar" in str(caught.value.partial)
    assert len(server.seen) == 2


# a server that ignores response_format without a word (vLLM's guided_json, some proxies): prose, then told the fault
async def test_a_schema_that_is_ignored_without_a_word_costs_one_more_call() -> None:
    with serving([Says("The topics are a and b."), Says(GOOD)]) as server:
        reply = await Structured(vllm(server)).ask(asks())

    assert reply.value.topics == ["a"]
    assert len(server.seen) == 2
    assert "topics" in server.seen[1].messages[-1]["content"]


# vLLM and llama.cpp where the grammar cannot be made of a schema: each in its own words
@pytest.mark.parametrize(
    "message",
    [
        "The provided JSON schema contains features not supported by xgrammar.",
        "Failed to parse grammar",
        'JSON schema conversion failed: Unrecognized schema: {"maxItems":120}',
        '"response_format" type must be one of "text" or "json_object", but got: json_schema',
    ],
)
async def test_a_schema_that_makes_no_grammar_is_sent_without_bounds_then_as_an_object(message: str) -> None:
    def behave(seen: Seen) -> Behaviour:
        return Status(400, message) if has_part(seen, "json_schema") else Says(GOOD)

    with serving(behave) as server:
        reply = await Structured(vllm(server)).ask(asks())

    assert reply.value.topics == ["a"]
    assert [has_part(seen, "json_object") for seen in server.seen] == [False, False, True]


# Ollama: its own switch, a window for every request, and no silent cut
async def test_ollama_is_told_not_to_think_and_not_to_cut() -> None:
    with serving([Says(GOOD)]) as server:
        await ollama(server).complete(Request.of(asks()))

    body = server.seen[0].body
    assert (body["think"], body["truncate"], body["shift"], body["stream"]) == (False, False, False, False)


# gpt-oss on Ollama thinks whatever it is told
@pytest.mark.parametrize("reply", [Says(GOOD, reasoning=THOUGHTS), Says(f"<think>{THOUGHTS}</think>{GOOD}")])
async def test_ollama_gives_thoughts_tokens_of_their_own_and_a_window_that_holds_them(reply: Says) -> None:
    with serving([reply]) as server:
        model = Structured(ollama(server))
        first = await model.ask(asks())
        await model.ask(asks("again"))

    options = [cast("dict[str, JsonValue]", seen.body["options"]) for seen in server.seen]
    assert first.value.topics == ["a"]
    assert [one["num_predict"] for one in options] == [100, 100 + THINKING_TOKENS]
    assert [one["num_ctx"] for one in options] == [SMALLEST_CONTEXT, 2 * SMALLEST_CONTEXT]


async def test_ollama_cut_in_its_thoughts_is_asked_again_with_tokens_for_them() -> None:
    with serving([Says("", finish="length", reasoning=THOUGHTS), Says(GOOD, reasoning=THOUGHTS)]) as server:
        reply = await Structured(ollama(server)).ask(asks())

    options = [cast("dict[str, JsonValue]", seen.body["options"]) for seen in server.seen]
    assert reply.value.topics == ["a"]
    assert options[1]["num_predict"] == 200 + THINKING_TOKENS


async def test_an_ollama_model_that_takes_no_word_about_thinking_gets_none() -> None:
    def behave(seen: Seen) -> Behaviour:
        return Body('{"error": "\\"m\\" does not support thinking"}', code=400) if "think" in seen.body else Says(GOOD)

    with serving(behave) as server:
        model = ollama(server)
        await model.complete(Request.of(asks()))
        await model.complete(Request.of(asks("again")))

    assert ["think" in seen.body for seen in server.seen] == [True, False, False]


async def test_ollama_says_what_it_cannot_do() -> None:
    script = [Body('{"error": "the input length exceeds the context length"}', code=400)]
    with serving(script) as server, pytest.raises(ModelError, match="exceeds the context length"):
        await Structured(Retried(ollama(server))).ask(asks_text("word " * 50))

    assert len(server.seen) == 1
