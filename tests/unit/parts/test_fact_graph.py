"""Facts merged into a graph: which phrases are one, what is counted, which are alike."""

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Gaps
from astrolabe.parts import fact_graph
from astrolabe.parts.fact_graph import FactGraph, FactIndex, Facts, merged_facts
from astrolabe.parts.pagerank import Numbers
from astrolabe.parts.passage_graph import PassageGraph
from astrolabe.parts.readings import Readings
from astrolabe.parts.triples import NamesAndTriples, Triple
from tests.sensible import sensible
from tests.six_passages import TEXTS, TracedKit, passage

Said = tuple[str, str, str]


def dense(matrix: csr_array) -> Numbers:
    """Return a sparse matrix as it is."""
    return cast("Numbers", matrix.toarray())


def places(row: Numbers) -> list[int]:
    """Return where a row is not 0."""
    found: list[int] = np.flatnonzero(row).tolist()
    return found


def facts(*said: list[Said]) -> Facts:
    """Return the facts of passages p1, p2, ..., each with what it says."""
    names = [f"p{number}" for number in range(1, len(said) + 1)]
    of = {
        name: NamesAndTriples(triples=tuple(Triple.model_validate(list(triple)) for triple in triples))
        for name, triples in zip(names, said, strict=True)
    }
    return merged_facts(names, Readings(of=of, gaps=Gaps(asked=len(names))))


# U13, D31
def test_the_spellings_of_a_phrase_are_one_and_its_commonest_is_shown() -> None:
    merged = facts(
        [("Electrons", "orbit", "nuclei"), (" ELECTRONS ", "carry", "charge")],
        [("“Electrons”", "orbit", "Nuclei"), ("electrons", "orbit", "nuclei")],
    )

    assert merged.phrases == ("Electrons", "nuclei", "charge")
    assert [merged.written(place) for place in range(2)] == ["Electrons orbit nuclei", "Electrons carry charge"]
    assert merged.mentions.tolist() == [[0, 0], [0, 1], [1, 0]]


# U13
def test_numbers_signs_and_other_scripts_keep_their_surface() -> None:
    said = [
        ("GPT-3.5", "reaches", "F1 = 0.87"),
        ("Müller", "uses", "C++"),
        ("Mueller", "uses", "C#"),
        ("数据库", "是", "系统"),
    ]

    assert facts(list(said)).phrases == ("GPT-3.5", "F1 = 0.87", "Müller", "C++", "Mueller", "C#", "数据库", "系统")


# U14
def test_triples_that_lack_a_part_or_speak_of_one_thing_are_counted() -> None:
    merged = facts(
        [("moon", "", "water"), ("“”", "pulls", "water"), ("Moon", "is", "moon"), ("moon", "pulls", "water")]
    )

    assert dict(merged.dropped) == {"triple of a thing with itself": 1, "triple without one of its parts": 2}
    assert len(merged.facts) == 1


# U15
def test_a_passage_that_could_not_be_read_says_nothing_and_stays_in_the_count() -> None:
    gaps = Gaps(asked=2, failed={"p1": "HTTP 500"})
    said = NamesAndTriples(triples=(Triple(subject="a", relation="is", object="b"),))

    merged = merged_facts(["p1", "p2"], Readings(of={"p2": said}, gaps=gaps))

    assert (merged.passages, merged.gaps) == (("p1", "p2"), gaps)
    assert merged.mentions.tolist() == [[1, 0]]


NAME = st.sampled_from(["moon", "Moon", "sun", "water", "tide"])


# U19, U20
@given(st.lists(st.lists(st.tuples(NAME, NAME, NAME), max_size=5), max_size=5))
def test_the_matrices_say_what_the_lists_say(said: list[list[Said]]) -> None:
    merged = facts(*said)

    for row, spoken in enumerate(dense(merged.facts_of_passages)):
        written = {
            " ".join(part.casefold() for part in triple)
            for triple in said[row]
            if triple[0].casefold() != triple[2].casefold()
        }
        assert {merged.written(place).casefold() for place in places(spoken)} == written
        assert set(spoken) <= {0.0, 1.0}
    for place, spoken in enumerate(dense(merged.phrases_of_facts)):
        assert places(spoken) == sorted([merged.facts[place].subject, merged.facts[place].object])
    read = dense(merged.facts_of_passages) @ dense(merged.phrases_of_facts) > 0
    assert (dense(merged.phrases_of_passages) == read).all()
    assert merged.passages_of_phrase.tolist() == read.sum(axis=0).tolist()
    assert merged.said.tolist() == dense(merged.facts_of_passages).sum(axis=0).tolist()


# U19
def test_passages_of_the_same_text_are_two_passages_of_one_fact() -> None:
    merged = facts([("moon", "pulls", "water")], [("moon", "pulls", "water")])

    assert dense(merged.facts_of_passages).tolist() == [[1.0], [1.0]]
    assert merged.passages_of_phrase.tolist() == [2, 2]


async def built(*said: list[Said], synonyms: float = 0.8) -> FactIndex:
    texts = {f"p{number}": f"Text {number}." for number in range(1, len(said) + 1)}
    replies = [NamesAndTriples(triples=tuple(Triple.model_validate(list(one)) for one in triples)) for triples in said]
    kit = TracedKit({"triples": replies}, held=[passage(name, text) for name, text in texts.items()])
    return await kit.built(FactGraph(synonyms=synonyms))


# U17, U18, P2
async def test_phrases_that_are_alike_are_tied_by_their_cosine_beside_the_facts_they_share() -> None:
    index = await built(
        [("salt water", "is", "water salts"), ("salt water", "fills", "oceans")], [("salt water", "fills", "oceans")]
    )

    assert index.facts.phrases == ("salt water", "water salts", "oceans")
    assert [part.tolist() for part in index.synonyms] == [[0], [1], [pytest.approx(1.0)]]
    assert dense(index.weights) == pytest.approx(np.array([[0, 2, 2], [2, 0, 0], [2, 0, 0]]))


async def test_phrases_of_two_letters_are_like_none_but_two_characters_of_han_are_a_word() -> None:
    index = await built([("AI", "is", "ai!"), ("数据", "是", "《数据》")])

    pairs = zip(index.synonyms.sources.tolist(), index.synonyms.targets.tolist(), strict=True)
    assert [(index.facts.phrases[one], index.facts.phrases[other]) for one, other in pairs] == [("数据", "《数据》")]


async def test_many_phrases_are_compared_in_a_process_of_its_own_with_the_same_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = [("salt water", "is", "water salts"), ("tide table", "is", "table of tides")]
    here = await built(said)
    monkeypatch.setattr(fact_graph, "_A_LONG_TIME", 0)

    there = await built(said)

    assert [part.tolist() for part in there.synonyms] == [part.tolist() for part in here.synonyms]
    assert len(here.synonyms.sources) == 2


async def test_a_graph_is_kept_and_opened_again(tmp_path: Path) -> None:
    kit = TracedKit(sensible)
    index = await kit.built(FactGraph())

    FactGraph().save(index, tmp_path)

    opened = FactGraph().load(tmp_path, kit.held, kit)
    assert (dense(opened.weights) == dense(index.weights)).all()
    assert (opened.facts.phrases, opened.facts.facts) == (index.facts.phrases, index.facts.facts)
    assert (opened.vectors.rows == index.vectors.rows).all()
    assert opened.gaps == index.gaps


async def test_a_graph_with_passages_is_kept_and_opened_again_without_another_index(tmp_path: Path) -> None:
    kit = TracedKit(sensible)
    index = await kit.built(PassageGraph())

    PassageGraph().save(index, tmp_path)

    opened = PassageGraph().load(tmp_path, kit.held, kit)
    assert (dense(opened.weights) == dense(index.weights)).all()
    assert (opened.fact_vectors.rows == index.fact_vectors.rows).all()
    assert (opened.passage_vectors.rows == index.passage_vectors.rows).all()


# P2
async def test_passages_are_tied_once_to_each_phrase_of_their_facts() -> None:
    index = await TracedKit(sensible).built(PassageGraph())

    phrases = len(index.graph.facts.phrases)
    weights = dense(index.weights)
    assert (weights == weights.T).all()
    assert (weights[:phrases, :phrases] == dense(index.graph.weights)).all()
    assert (weights[phrases:, :phrases] == dense(index.graph.facts.phrases_of_passages)).all()
    assert not weights[phrases:, phrases:].any()


# D29
async def test_a_scope_in_which_no_fact_was_read_is_a_graph_of_nothing_and_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kit = TracedKit(lambda _: '{"entities": [], "triples": []}')

    index = await kit.built(PassageGraph())

    assert index.weights.shape == (len(TEXTS), len(TEXTS))
    assert index.graph.weights.shape == (0, 0)
    assert caplog.messages == ["no fact was read in 6 of 6 passages"]


async def test_a_scope_without_passages_asks_nothing() -> None:
    kit = TracedKit(sensible, held=())

    index = await kit.built(PassageGraph())

    assert (kit.scripted.asked, index.weights.shape, index.gaps.share) == ([], (0, 0), 1.0)


@pytest.mark.parametrize("synonyms", [0.0, 1.1])
def test_a_cosine_that_says_nothing_is_refused(synonyms: float) -> None:
    with pytest.raises(ConfigError, match="cosine above 0"):
        PassageGraph(synonyms=synonyms)
