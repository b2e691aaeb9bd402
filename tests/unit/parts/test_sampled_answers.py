import json
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.errors import ModelError
from astrolabe.parts.sampled_answers import another_query, found_in, keywords, most_frequent, restated
from tests.six_passages import TracedKit


async def voted(said: Sequence[str | None], *, temperature: float = 0.3) -> str | None:
    """Return the vote on some draws; null for one that cannot be read, empty for one that finds nothing."""
    lines = ["perhaps" if one is None else json.dumps({"found": bool(one), "answer": one}) for one in said]
    kit = TracedKit(lambda prompt: lines[prompt.repetition])
    return await found_in("Material.", "Why?", kit, stage="answer.node", count=len(said), temperature=temperature)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (["a", "b", "b"], "b"),
        (["a", "b"], "a"),
        (["a", " b  c", "b c"], "b c"),
        (["a", "", ""], None),
        (["", "a"], None),
        (["a", ""], "a"),
        ([None, None, "a"], "a"),
        (["A", "a", "a"], "a"),
    ],
)
async def test_most_draws_decide_and_the_first_of_equals(said: list[str | None], answer: str | None) -> None:
    assert await voted(said) == answer


async def test_at_temperature_0_one_draw_is_made() -> None:
    assert await voted(["a", "b", "b"], temperature=0.0) == "a"


async def test_without_any_draw_that_can_be_read_there_is_no_answer_but_an_error() -> None:
    with pytest.raises(ModelError):
        await voted([None, None])


@pytest.mark.parametrize("said", ['{"found": "false", "answer": "a"}', '{"found": 1, "answer": "a"}'])
async def test_what_is_neither_true_nor_false_is_no_yes(said: str) -> None:
    with pytest.raises(ModelError):
        await found_in("Material.", "Why?", TracedKit(lambda _: said), stage="answer.node")


@given(st.lists(st.integers(0, 4), min_size=1))
def test_the_first_of_the_most_frequent_is_chosen(things: list[int]) -> None:
    chosen = most_frequent(things, lambda thing: thing % 3)

    counts = Counter(thing % 3 for thing in things)
    often = [thing for thing in things if counts[thing % 3] == max(counts.values())]
    assert chosen == often[0]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is it?", "What is it?"),
        ("???", "???"),
        ("Who won, Ann or Bob?", "won Ann Bob"),
        ("\u6f6e\u6c50\u662f\u4ec0\u4e48\uff1f", "\u6f6e\u6c50\u662f\u4ec0\u4e48\uff1f"),
        ("Tides and tides and Tides?", "Tides tides"),
    ],
)
def test_the_telling_words_are_kept_as_they_are_written(question: str, told: str) -> None:
    assert keywords(question) == told


async def test_a_query_that_was_tried_is_none() -> None:
    assert await another_query("Why?", ["a", "b"], TracedKit(lambda _: "b")) is None
    assert await another_query("Why?", ["a"], TracedKit(lambda _: "\n b \nc")) == "b"


async def test_the_same_words_are_no_other_words() -> None:
    assert await restated("Why?", TracedKit(lambda _: "Why?"), repetition=1) is None
    assert await restated("Why?", TracedKit(lambda _: "For what reason?"), repetition=1) == "For what reason?"
