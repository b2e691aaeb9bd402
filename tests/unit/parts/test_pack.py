from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.records import Hit, Passage
from astrolabe.parts.pack import fit, material, no_context
from tests.six_passages import QUESTION, TracedKit


def kit_with(tokens: list[int], context_tokens: int) -> tuple[TracedKit, list[Hit]]:
    held = [
        Passage(id=f"p{place}", document_id="d", text="x", start=0, end=1, tokens=size)
        for place, size in enumerate(tokens)
    ]
    hits = [Hit(passage_id=one.id, rank=rank, score=0.0, source="test") for rank, one in enumerate(held, 1)]
    return TracedKit(held=held, context_tokens=context_tokens), hits


def kept(tokens: list[int], context_tokens: int) -> list[str]:
    kit, hits = kit_with(tokens, context_tokens)
    return [hit.passage_id for hit in fit(hits, kit)]


def test_as_many_as_fit_are_kept_in_order() -> None:
    assert kept([4, 4, 4], 8) == ["p0", "p1"]


def test_the_first_is_kept_also_where_it_alone_is_too_long() -> None:
    assert kept([100, 1], 8) == ["p0"]


def test_what_is_shown_beside_passages_takes_its_room() -> None:
    kit, hits = kit_with([4, 4, 4], 12)

    assert [len(fit(hits, kit, beside=tokens)) for tokens in (0, 1, 4, 5, 100)] == [3, 2, 2, 1, 1]


def test_passages_are_shown_apart_and_one_that_is_alone_and_too_long_is_cut() -> None:
    kit, hits = kit_with([4, 4], 3)
    kit.held = [one.model_copy(update={"text": "one two three four\n"}) for one in kit.held]

    assert material(hits, kit) == "one two three four\n\none two three four"
    assert material(hits[:1], kit) == "one two three"
    assert material(hits[:1], kit, beside=1) == "one two"
    assert material(hits[:1], kit, beside=9) == "one"
    assert material([], kit) == ""


def test_a_worse_passage_never_takes_a_better_ones_place() -> None:
    assert kept([4, 100, 1], 8) == ["p0"]


def test_no_hit_is_no_context() -> None:
    assert kept([], 8) == []


@given(st.lists(st.integers(1, 50), max_size=8), st.integers(1, 120))
def test_what_is_kept_is_a_beginning_that_fits(tokens: list[int], most: int) -> None:
    names = kept(tokens, most)

    assert names == [f"p{place}" for place in range(len(names))]
    assert len(names) <= 1 or sum(tokens[: len(names)]) <= most
    assert len(names) == len(tokens) or len(names) == 0 or sum(tokens[: len(names) + 1]) > most


def test_the_reason_tells_no_hit_from_hits_without_sentences() -> None:
    _, hits = kit_with([1], 8)

    assert "no passage in this scope" in str(no_context(QUESTION, []).reason)
    assert "without sentences" in str(no_context(QUESTION, hits).reason)
    assert no_context(QUESTION, hits).retrieved == tuple(hits)
