import itertools
import json
import operator
from collections import Counter
from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.errors import ModelError
from astrolabe.parts.sampled_answers import another_query, enough_draws, found_in, keywords, most_frequent, restated
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


@pytest.mark.parametrize("count", [1, 2, 3, 5])
async def test_draws_that_are_not_made_would_have_changed_no_vote(count: int) -> None:
    for kinds in itertools.product("abx", repeat=count):
        made: list[int] = []

        async def draw(number: int, kinds: Sequence[str] = kinds, made: list[int] = made) -> tuple[int, str]:
            made.append(number)
            if kinds[number] == "x":
                raise ModelError("unparsed", "no")
            return number, kinds[number]

        said = await enough_draws(draw, count=count, temperature=0.3, alike=operator.itemgetter(1))

        usable = [one for one in said if not isinstance(one, ModelError)]
        all_usable = [(number, kind) for number, kind in enumerate(kinds) if kind != "x"]
        choose = partial(most_frequent, alike=operator.itemgetter(1))
        assert (choose(usable) if usable else None) == (choose(all_usable) if all_usable else None)
        majority = count // 2 + 1
        assert made == list(range(majority if kinds[:majority] in {("a",) * majority, ("b",) * majority} else count))
