from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.protocols import Side, Vectors
from astrolabe.embed.hashed import HashedEmbedder
from astrolabe.parts.match import WITH_MINILM, WORDS_ALONE, apart, calibration_for, features, match

ASKED = "What is known about code generation?"
TEXT = st.text(alphabet=st.sampled_from("abcde数据 .?"), max_size=30)


@dataclass
class Fixed:
    """An embedder under the embedded model's name, whose vectors depend on the text's letters."""

    id: str = "embedded:minilm@0123456789ab;window=254"
    window_tokens: int = 254
    asked: list[Sequence[str]] = field(default_factory=list[Sequence[str]])

    async def embed(self, texts: Sequence[str], *, side: Side) -> Vectors:  # noqa: ARG002
        self.asked.append(texts)
        rows = np.array([[1.0 + text.count(letter) for letter in "abcdefgh"] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


async def test_a_statement_in_the_topics_words_expresses_it_and_another_does_not() -> None:
    said = ["Copy mechanisms take rare tokens over from the input.", "The weather in Oslo was fine."]

    matches = await match([["copy mechanism for rare tokens"]], said, ASKED, HashedEmbedder())

    assert matches.express.tolist() == [[True, False]]
    assert matches.matcher == "words"


async def test_words_of_the_question_are_no_evidence() -> None:
    said = ["Code generation is known."]

    matches = await match([["code generation by beam search"]], said, ASKED, HashedEmbedder())

    assert not matches.express.any()


async def test_an_alias_never_lowers_a_topic() -> None:
    said = ["Joblessness rose in the north.", "Prices fell."]

    alone = await match([["unemployment figures"]], said, ASKED, HashedEmbedder())
    both = await match([["unemployment figures", "joblessness in the north"]], said, ASKED, HashedEmbedder())

    assert (both.probability >= alone.probability).all()
    assert both.express[0].tolist() == [True, False]


async def test_the_embedded_model_is_asked_once_for_an_answer_and_the_hashed_one_never() -> None:
    embedder, hashed = Fixed(), Fixed(id="hashed;dimensions=512;v1")

    await match([["a"], ["b", "c"]], ["d e", "f g"], ASKED, embedder)
    await match([["a"]], ["d e"], ASKED, hashed)

    assert len(embedder.asked) == 1
    assert not hashed.asked


async def test_a_topic_is_judged_alike_whatever_stands_beside_it() -> None:
    said = ["abc abd", "def deg"]

    alone = await match([["abc abd"]], said, ASKED, Fixed())
    beside = await match([["zzz"], ["abc abd"], ["def"]], [*said, "ggg"], ASKED, Fixed())

    assert beside.probability[1, :2] == pytest.approx(alone.probability[0], abs=1e-6)


async def test_nothing_to_compare_gives_an_empty_table() -> None:
    assert (await match([["a"]], [], ASKED, Fixed())).probability.shape == (1, 0)
    assert (await match([], ["a"], ASKED, Fixed())).probability.shape == (0, 1)


@given(st.lists(TEXT, min_size=1, max_size=4), st.lists(TEXT, min_size=1, max_size=4), TEXT)
def test_features_of_words_stay_in_range(topics: list[str], said: list[str], asked: str) -> None:
    table = features(topics, said, asked)

    assert table.shape == (len(topics), len(said), 3)
    assert (table >= 0.0).all()
    assert (table <= 1.0 + 1e-9).all()


def test_apart_takes_the_question_out_and_keeps_zeros() -> None:
    asked = np.array([1.0, 0.0, 0.0], dtype=np.float32)
    vectors = np.array([[0.6, 0.8, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]], dtype=np.float32)

    assert apart(vectors, asked).tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def test_only_the_calibrated_model_is_trusted_with_vectors() -> None:
    assert calibration_for(Fixed()) is WITH_MINILM
    assert calibration_for(Fixed(id="ollama:nomic-embed-text")) is WORDS_ALONE
    assert calibration_for(HashedEmbedder()) is WORDS_ALONE
