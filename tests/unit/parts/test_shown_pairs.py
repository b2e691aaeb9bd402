"""Questions and answers that are shown together within a budget."""

from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.tokens import count_tokens
from astrolabe.parts.shown_pairs import within
from astrolabe.parts.tree_node import Pair
from astrolabe.parts.tree_prompts import written

words = st.integers(1, 60).map(lambda number: " ".join(["word"] * number))
pairs = st.lists(st.tuples(st.just("Who?"), st.none() | words).map(lambda both: Pair(*both)), max_size=8)


@given(pairs, st.integers(1, 400))
def test_none_is_lost_and_all_fit_wherever_each_answer_may_have_a_token(given: list[Pair], tokens: int) -> None:
    shown = within(given, tokens)

    assert [(pair.question, pair.answer is None) for pair in shown] == [
        (pair.question, pair.answer is None) for pair in given
    ]
    assert all(
        (pair.answer or "").startswith((kept.answer or "")[: -len(" (cut)")])
        for pair, kept in zip(given, shown, strict=True)
    )
    if tokens >= len(given) * 20:
        assert count_tokens(written(shown)) <= tokens


@given(pairs)
def test_what_fits_stays_as_it_is(given: list[Pair]) -> None:
    assert within(given, 10_000) == given


def test_the_longest_are_cut_to_one_length_and_say_so() -> None:
    long = Pair("Who?", "one two three four five six seven eight nine ten " * 3)

    shown = within([Pair("When?", "soon"), long, Pair("Where?", None, "nothing was found"), long], 80)

    lengths = [len(str(pair.answer).removesuffix(" (cut)").split()) for pair in shown]
    assert shown[0].answer == "soon"
    assert shown[2].answer is None
    assert lengths[1] == lengths[3] > 8
    assert str(shown[1].answer).endswith(" (cut)")
