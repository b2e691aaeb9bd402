"""What RAPTOR shows, and what it refuses."""

import sys

import pytest

from astrolabe.core.errors import ConfigError, MissingExtra
from astrolabe.core.records import Question
from astrolabe.core.spelling import parse_spelled, spell
from astrolabe.llm.scripted import AnyPrompt, Line
from astrolabe.methods import METHODS
from astrolabe.methods.raptor import Raptor
from tests.six_passages import QUESTION, TracedKit, passage


def says(prompt: AnyPrompt) -> Line:
    if prompt.name == "summarise.v1":
        return "What moves the tides of the oceans is summed up here."
    return "The moon."


def kit_of(number: int, text: str = "The tide no. {} comes in.") -> TracedKit:
    held = [passage(f"p{place}", text.format(place)) for place in range(number)]
    return TracedKit(says, held=held)


async def test_a_summary_is_shown_and_leads_to_its_passages_which_are_not() -> None:
    kit = kit_of(14)

    answer = await Raptor(k=1).answer(QUESTION, kit)

    shown = kit.scripted.asked[-1].messages[-1].content
    assert "is summed up here." in shown
    assert answer.contexts == ()
    assert {hit.source for hit in answer.retrieved} == {"summary"}
    assert len(answer.retrieved) > 1
    assert [hit.rank for hit in answer.retrieved] == list(range(1, len(answer.retrieved) + 1))


async def test_no_more_is_shown_than_a_model_may_be_shown_and_the_best_always_is() -> None:
    kit = kit_of(10, "The tide no. {0} comes in. " * 20)
    kit.context_tokens = 400

    answer = await Raptor().answer(QUESTION, kit)

    assert 0 < len(answer.contexts) < len(answer.retrieved) == 10


# D30
@pytest.mark.parametrize("number", [1, 2, 3, 4, 11, 12])
async def test_few_and_identical_passages_are_answered_from(number: int) -> None:
    answer = await Raptor(top=2).answer(QUESTION, kit_of(number, "The tide comes in."))

    assert answer.status == "ok"
    assert {hit.passage_id for hit in answer.retrieved} <= {f"p{place}" for place in range(number)}


async def test_a_question_in_another_language_is_answered_or_named() -> None:
    answer = await Raptor().answer(Question(id="q", text="潮汐是什么引起的？"), kit_of(14))

    assert answer.status == "ok" or answer.reason


def test_the_published_run_is_a_preset() -> None:
    published = parse_spelled("raptor@published", METHODS, what="method")

    assert isinstance(published, Raptor)
    assert (published.k, published.reducer, published.summary_tokens) == (5, "umap", 100)
    assert spell(published) == "raptor@published"
    assert spell(Raptor(k=20)) == "raptor(k=20)"


async def test_the_published_run_names_its_extra_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "umap", None)
    kit = kit_of(14)

    with pytest.raises(MissingExtra, match=r"pip install 'astrolabe-qa\[raptor\]'"):
        await Raptor(reducer="umap").answer(QUESTION, kit)
    assert kit.scripted.asked == []


@pytest.mark.parametrize("wrong", ["k=0", "layers=0", "cluster_tokens=2000", "threshold=2", "overlap=1200"])
def test_what_makes_no_tree_is_refused(wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong.split("=", maxsplit=1)[0]):
        parse_spelled(f"raptor({wrong})", METHODS, what="method")
