"""The embedder without a model."""

import asyncio
import os
import subprocess
import sys

import numpy as np

from astrolabe.embed.hashed import HashedEmbedder


async def test_every_text_has_a_row_of_norm_one_in_its_place() -> None:
    texts = ["The sea is calm.", "Foxes run.", "The sea is calm."]

    vectors = await HashedEmbedder().embed(texts, side="passage")

    assert vectors.shape == (3, 512)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert np.array_equal(vectors[0], vectors[2])


async def test_texts_that_share_words_are_closer_than_texts_that_do_not() -> None:
    query, near, far = await HashedEmbedder().embed(
        ["causes of flooding", "Heavy rain caused the floods.", "The mayor opened a library."], side="passage"
    )

    assert query @ near > 0.5
    assert abs(query @ far) < 0.2


async def test_a_text_without_content_is_zeros() -> None:
    vectors = await HashedEmbedder().embed(["", "  \n", "the of and", "!?"], side="query")

    assert not vectors.any()


async def test_no_texts_are_no_rows() -> None:
    vectors = await HashedEmbedder().embed([], side="query")

    assert vectors.shape == (0, 512)


async def test_scripts_without_spaces_are_compared_too() -> None:
    query, near, far = await HashedEmbedder().embed(["数据库", "这个数据库很大", "天气很好"], side="passage")

    assert query @ near > query @ far


def test_another_process_computes_the_same_vector() -> None:
    here = asyncio.run(HashedEmbedder().embed(["A fox and a calm sea."], side="query"))
    program = (
        "import asyncio; from astrolabe.embed.hashed import HashedEmbedder;"
        "print(asyncio.run(HashedEmbedder().embed(['A fox and a calm sea.'], side='query')).tobytes().hex())"
    )

    there = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "1"},
    )

    assert there.stdout.strip() == here.tobytes().hex()
