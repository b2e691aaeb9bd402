"""The graph over the most central part of a scope: what is read, and what it names."""

import math
from pathlib import Path

import numpy as np
import pytest

from astrolabe.core.errors import ConfigError, ModelError
from astrolabe.core.protocols import Cut
from astrolabe.llm.scripted import AnyPrompt, Line, Scripted
from astrolabe.parts import skeleton
from astrolabe.parts.described_graph import DescribedGraph
from astrolabe.parts.keyword_graph import KeywordGraph
from astrolabe.parts.skeleton import PassageSkeleton, PieceSkeleton, SkeletonIndex, skeleton_spec
from astrolabe.study.kit import ScopeKit
from tests.late import LateScripted
from tests.sensible import sensible
from tests.six_passages import TracedKit, passage
from tests.small_study import TEXTS, small_study
from tests.study_kits import kit_of

PASSAGES = PassageSkeleton(size=20, overlap=4, piece=8)
PIECES = PieceSkeleton(size=20, overlap=4, piece=8)


@pytest.fixture
def llm() -> Scripted:
    return Scripted(sensible)


@pytest.fixture
def kit(tmp_path: Path, llm: Scripted) -> ScopeKit:
    """Return a kit over four documents that are really cut."""
    return kit_of(small_study(tmp_path), llm)


def read_texts(llm: Scripted) -> list[str]:
    """Return the texts that were asked about, in order."""
    shown = [prompt.messages[-1].content for prompt in llm.asked if prompt.name == "extract.v1"]
    return [content.partition('name="passage">\n')[2].partition("\n</block-")[0] for content in shown]


# Acceptance of methods.md 15.2: kept share = budget.
@pytest.mark.parametrize("budget", [0.01, 0.5, 0.8, 1.0])
async def test_the_budgets_share_of_whole_passages_is_read_in_their_order(
    budget: float, kit: ScopeKit, llm: Scripted
) -> None:
    await kit.open(PassageSkeleton(size=20, overlap=4, piece=8, budget=budget))

    every = [one.text for one in kit.passages(Cut(size=20, overlap=4))]
    read = read_texts(llm)
    assert len(read) == math.ceil(budget * len(every))
    assert read == [text for text in every if text in read]


def test_the_passages_that_are_left_out_are_the_least_central() -> None:
    passages = [passage("p1", "a"), passage("p2", "b"), passage("p3", "c")]

    chosen = PassageSkeleton(budget=0.6).chosen(passages, passages, np.array([0.3, 0.2, 0.5]))

    assert [(part.text.id, part.pieces) for part in chosen] == [("p1", (0,)), ("p3", (2,))]


# K5, what all methods share: the skeleton's calls are among those of the graph over everything, word for word.
async def test_what_is_read_is_read_as_for_the_whole_graph(kit: ScopeKit, llm: Scripted, tmp_path: Path) -> None:
    await kit.open(PASSAGES)
    whole = Scripted(sensible)
    await kit_of(small_study(tmp_path / "other"), whole).open(DescribedGraph(size=20, overlap=4))

    assert {prompt.messages for prompt in llm.asked} < {prompt.messages for prompt in whole.asked}


# K3, acceptance of methods.md 15.2: no text spans two documents.
async def test_merged_pieces_stay_within_a_document_and_a_size(kit: ScopeKit, llm: Scripted) -> None:
    index = await kit.open(PIECES)

    pieces = (await kit.open(KeywordGraph(piece=8))).pieces
    read = read_texts(llm)
    lines = [line for text in read for line in text.split("\n")]
    assert len(lines) == math.ceil(0.8 * len(pieces))
    assert lines == [piece.text.strip() for piece in pieces if piece.text.strip() in lines]
    for text in read:
        assert sum(all(line in whole for line in text.split("\n")) for whole in TEXTS.values()) == 1
    assert index.gaps.asked == len(read)


def test_pieces_are_merged_up_to_the_size_and_no_further() -> None:
    words = ["one two", "three", "four five", "six", "seven"]
    pieces = [passage(f"p{place}", word).model_copy(update={"document_id": "d"}) for place, word in enumerate(words)]
    pieces[4] = pieces[4].model_copy(update={"document_id": "e"})

    parts = PieceSkeleton(size=3, overlap=0, budget=1.0).chosen([], pieces, np.ones(5))

    assert [(part.text.text, part.pieces) for part in parts] == [
        ("one two\nthree", (0, 1)),
        ("four five\nsix", (2, 3)),
        ("seven", (4,)),
    ]
    assert len({part.text.id for part in parts}) == 3
    assert [part.text.document_id for part in parts] == ["d", "d", "e"]


@pytest.mark.parametrize("spec", [PASSAGES, PIECES])
async def test_entities_name_the_pieces_of_the_texts_that_were_read(
    spec: PassageSkeleton | PieceSkeleton, kit: ScopeKit
) -> None:
    index = await opened(spec, kit)

    (moon,) = [entity for entity in index.graph.entities if entity.name == "moon"]
    texts = [kit.read(name).text for name in moon.passages]
    assert any("moon" in text for text in texts)
    assert len(moon.passages) == len(set(moon.passages))
    assert all(kit.read(name).tokens <= 8 for name in moon.passages)


@pytest.mark.parametrize("spec", [PASSAGES, PIECES])
async def test_a_skeleton_is_kept_and_opened_again(
    spec: PassageSkeleton | PieceSkeleton, kit: ScopeKit, tmp_path: Path
) -> None:
    index = await opened(spec, kit)
    (tmp_path / "kept").mkdir()

    spec.save(index, tmp_path / "kept")

    again = spec.load(tmp_path / "kept", [], kit)
    assert (again.graph.entities, again.graph.relations) == (index.graph.entities, index.graph.relations)
    assert (again.vectors.rows == index.vectors.rows).all()


async def opened(spec: PassageSkeleton | PieceSkeleton, kit: ScopeKit) -> SkeletonIndex:
    return await kit.open(skeleton_spec("pieces" if isinstance(spec, PieceSkeleton) else "passages", spec))


async def test_many_pieces_are_ranked_in_a_process_of_its_own_with_the_same_result(
    kit: ScopeKit, llm: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await kit.open(PASSAGES)
    there = Scripted(sensible)
    monkeypatch.setattr(skeleton, "_A_LONG_TIME", 0)

    await kit_of(small_study(tmp_path / "other"), there).open(PASSAGES)

    assert read_texts(there) == read_texts(llm)


async def test_the_order_in_which_replies_arrive_does_not_matter(kit: ScopeKit, tmp_path: Path) -> None:
    index = await opened(PASSAGES, kit)

    late = await opened(PASSAGES, kit_of(small_study(tmp_path / "other"), LateScripted(sensible, 5)))

    assert late.graph == index.graph


# U15
async def test_a_text_that_cannot_be_read_is_a_gap() -> None:
    def model(prompt: AnyPrompt) -> Line:
        return ModelError("failed", "HTTP 500") if "Lighthouse" in prompt.messages[-1].content else sensible(prompt)

    index = await TracedKit(model).built(PassageSkeleton())

    assert (index.gaps.asked, index.gaps.failed) == (5, {"p4": "HTTP 500"})


# D29
async def test_nothing_that_was_read_is_a_skeleton_of_nothing() -> None:
    index = await TracedKit(lambda _: '{"entities": [], "relations": []}').built(PassageSkeleton())
    empty = await TracedKit(sensible, held=()).built(PieceSkeleton())

    assert (len(index.graph.entities), len(index.vectors)) == (0, 0)
    assert (len(empty.graph.entities), empty.gaps.share) == (0, 1.0)


async def test_identical_passages_are_taken_in_their_order() -> None:
    held = [passage(f"p{number}", "The moon pulls the water.") for number in range(1, 6)]

    index = await TracedKit(sensible, held=held).built(PassageSkeleton())

    assert index.graph.entities[1].passages == ("p1", "p2", "p3", "p4")


@pytest.mark.parametrize("budget", [0.0, 1.1])
def test_a_budget_that_is_no_share_is_refused(budget: float) -> None:
    with pytest.raises(ConfigError, match="budget"):
        PassageSkeleton(budget=budget)
