"""Embedding models behind a server."""

import json
from collections.abc import Generator

import pytest
import stamina

from astrolabe.core.errors import ConfigError, ModelError, Stopped
from astrolabe.core.usage import metering
from astrolabe.embed import open_embedder
from astrolabe.embed.served import Served
from astrolabe.store.calls import CallRecord
from astrolabe.store.http import Wire
from astrolabe.store.model_names import ModelName
from tests.misbehaving import EMBED_FATES, Misbehaving
from tests.servers import Behaviour, Body, Embeds, Status, serving


@pytest.fixture
def _no_waiting() -> Generator[None]:  # pyright: ignore[reportUnusedFunction]  # pytest calls it
    with stamina.set_testing(True, attempts=6, cap=True):
        yield


def served(url: str, provider: str = "openai") -> Served:
    return Served(ModelName.parse(f"{provider}:some-model@{url}"), Wire(url), first_wait_seconds=0.01)


async def test_openai_is_asked_in_its_own_words() -> None:
    with serving([Embeds(2)]) as server:
        async with open_embedder(f"openai:some-model@{server.url}", record=None) as embedder:
            rows = await embedder.embed(["a b", "c"], side="query")

    assert rows.tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert server.seen[0].path == "/v1/embeddings"
    assert server.seen[0].body == {"model": "some-model", "input": ["a b", "c"], "encoding_format": "float"}


async def test_ollama_is_told_not_to_cut() -> None:
    with serving([Embeds(2)]) as server:
        async with open_embedder(f"ollama:nomic-embed-text@{server.address}", record=None) as embedder:
            rows = await embedder.embed(["a b"], side="query")

    assert rows.tolist() == [[1.0, 0.0]]
    assert server.seen[0].path == "/api/embed"
    assert server.seen[0].body == {"model": "nomic-embed-text", "input": ["a b"], "truncate": False}


async def test_what_is_recorded_is_not_sent_again() -> None:
    with serving([Embeds(2)]) as server, CallRecord(None) as record:
        for _ in range(2):
            async with open_embedder(f"openai:some-model@{server.url}", record=record) as embedder:
                await embedder.embed(["a", "b"], side="passage")

    assert len(server.seen) == 1


async def test_a_long_text_is_sent_in_windows() -> None:
    with serving([Embeds(2)]) as server:
        async with open_embedder(f"openai:some-model@{server.url}", record=None) as embedder:
            rows = await embedder.embed(["word " * 1000 + "end"], side="passage")

    assert len(rows) == 1
    sent = server.seen[0].body["input"]
    assert isinstance(sent, list)
    assert len(sent) == 4
    assert str(sent[-1]).endswith("end")


async def test_a_busy_server_is_asked_again() -> None:
    with serving([Status(503), Status(429, headers={"Retry-After": "0"}), Embeds(2)]) as server:
        rows = await served(server.url).embed(["a"], side="query")

    assert rows.tolist() == [[1.0, 0.0]]
    assert len(server.seen) == 3


async def test_a_text_that_the_server_refuses_fails_by_its_own_words() -> None:
    script = [Status(400, "the input exceeds the context length")]
    with serving(script) as server, pytest.raises(ModelError, match="exceeds the context length") as caught:
        await served(server.url, "ollama").embed(["a"], side="query")

    assert caught.value.status == "failed"
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [401, 404])
async def test_a_server_that_does_not_know_us_or_the_model_ends_the_run(status: int) -> None:
    with serving([Status(status)]) as server, pytest.raises(Stopped, match="run the same command again"):
        await served(server.url).embed(["a"], side="query")

    assert len(server.seen) == 1


async def test_a_server_that_is_not_there_ends_the_run() -> None:
    with serving([Embeds(2)]) as server:
        url = server.url

    with pytest.raises(Stopped, match="nothing answers"):
        await served(url).embed(["a"], side="query")


BAD_REPLIES: list[Behaviour] = [
    Body(json.dumps({"data": []})),
    Body(json.dumps({"data": [{"index": 0, "embedding": [1.0]}] * 2})),
    Body('{"data": [{"index": 0, "embedding": [NaN]}]}'),
    Body(json.dumps({"data": [{"index": 0, "embedding": "AAAA"}]})),
    Body(json.dumps({"object": "list"})),
]


@pytest.mark.usefixtures("_no_waiting")
@pytest.mark.parametrize("reply", BAD_REPLIES)
async def test_a_reply_without_the_vectors_is_a_named_failure(reply: Behaviour) -> None:
    with serving([reply]) as server, pytest.raises(ModelError, match="openai:some-model"):
        await served(server.url).embed(["a"], side="query")


async def test_rows_have_norm_one_and_zeros_stay_zeros() -> None:
    rows = [{"index": 0, "embedding": [3.0, 4.0]}, {"index": 1, "embedding": [0.0, 0.0]}]
    with serving([Body(json.dumps({"data": rows}))]) as server:
        got = await served(server.url).embed(["a", "b"], side="query")

    assert got.tolist() == [pytest.approx([0.6, 0.8]), [0.0, 0.0]]


async def test_rows_are_put_in_the_order_of_their_index() -> None:
    rows = [{"index": 1, "embedding": [0.0, 1.0]}, {"index": 0, "embedding": [1.0, 0.0]}]
    with serving([Body(json.dumps({"data": rows}))]) as server:
        got = await served(server.url).embed(["a", "b"], side="query")

    assert got.tolist() == [[1.0, 0.0], [0.0, 1.0]]


async def test_what_embedding_costs_is_counted() -> None:
    reply = {"data": [{"index": 0, "embedding": [1.0]}], "usage": {"prompt_tokens": 7}}
    with serving([Body(json.dumps(reply))]) as server, metering() as meter:
        await served(server.url).embed(["a"], side="passage")

    assert meter.stages["embed.passage"].calls == 1
    assert meter.stages["embed.passage"].prompt_tokens == 7
    assert meter.stages["embed.passage"].usd is None


async def test_openai_without_a_key_is_refused_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        await open_embedder("openai:text-embedding-3-small", record=None).embed(["a"], side="query")


@pytest.mark.parametrize("spelled", ["embedded:qwen2.5-coder-0.5b", "minilm", "", "openai:", "hashed:"])
def test_what_is_no_embedder_is_refused_with_the_spellings(spelled: str) -> None:
    with pytest.raises(ConfigError, match=r"embedders are|models are spelled"):
        open_embedder(spelled, record=None)


async def test_a_key_is_sent_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with serving([Status(401, "bad key sk-secret")]) as server:
        embedder = open_embedder(f"openai:some-model@{server.url}", record=None)
        with pytest.raises(Stopped) as caught:
            await embedder.embed(["a"], side="query")
        await embedder.aclose()

    assert server.seen[0].headers["Authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in str(caught.value)
    assert "sk-secret" not in embedder.id


# D26
async def test_a_wait_of_two_days_ends_the_run_and_is_named() -> None:
    script = [Status(429, "slow down", headers={"Retry-After": "198300"})]
    with serving(script) as server, pytest.raises(Stopped, match="asks to wait 198300 seconds"):
        await served(server.url).embed(["a"], side="query")

    assert len(server.seen) == 1


@pytest.mark.usefixtures("_no_waiting")
async def test_vectors_of_another_length_than_before_are_asked_for_again() -> None:
    with serving([Embeds(2), Embeds(3), Embeds(2)]) as server:
        model = served(server.url)
        await model.embed(["a"], side="query")
        rows = await model.embed(["b"], side="query")

    assert rows.shape == (1, 2)
    assert len(server.seen) == 3


@pytest.mark.usefixtures("_no_waiting")
async def test_a_model_that_changed_behind_its_name_is_named() -> None:
    with serving([Embeds(2), Embeds(3)]) as server:
        model = served(server.url)
        await model.embed(["a"], side="query")
        with pytest.raises(ModelError, match="of 3 numbers came, and before of 2"):
            await model.embed(["b"], side="query")

    assert len(server.seen) == 1 + 6


@pytest.mark.usefixtures("_no_waiting")
@pytest.mark.parametrize("seed", range(3))
async def test_whatever_a_server_does_each_text_gets_its_vector_or_a_named_end(seed: int) -> None:
    script = Misbehaving(seed=seed, says=str, rate=0.0, stubborn=0.0)
    ends: dict[str, str] = {}
    with serving(script) as server:
        model = served(server.url)
        await model.embed(["the first, which says how long a row is"], side="passage")
        script.rate, script.stubborn = 0.5, 0.2
        for number in range(40):
            try:
                ends[f"text {number}"] = str((await model.embed([f"text {number}"], side="passage")).shape)
            except (ModelError, Stopped) as error:
                ends[f"text {number}"] = type(error).__name__

    for text, end in ends.items():
        fates = [done.fate for done in script.log if done.conversation == json.dumps([text])]
        last = EMBED_FATES.get(fates[-1], "well")
        assert all(fates[:-1])
        assert (len(fates) == 6) or last == "well"
        assert end == {"well": "(1, 4)", "wire": "Stopped", "spoilt": "ModelError"}[last]
    assert len(set(ends.values())) > 1
