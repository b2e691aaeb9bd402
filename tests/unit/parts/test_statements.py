import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.parts.statements import LONGEST_WORDS, statements


def texts(answer: str) -> list[str]:
    return [statement.read_as for statement in statements(answer)]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Prices rose. Rents fell.", ["Prices rose.", "Rents fell."]),
        ("- **Cost** rises\n* Demand `falls`", ["Cost rises", "Demand falls"]),
        ("1. One thing is dear.\n2) Another is cheap.", ["One thing is dear.", "Another is cheap."]),
        ("## Risks\nCost rises.\nDemand falls.", ["Risks: Cost rises.", "Demand falls."]),
        ("## Risks\n### Money\nCost rises.", ["Risks: Money: Cost rises."]),
        ("**Risks**\n\nCost rises.", ["Risks: Cost rises."]),
        ("Strengths:\n- Fast\n- Cheap", ["Strengths: Fast", "Cheap"]),
        ("Two Main Risks\n\nCost rises every year.", ["Two Main Risks: Cost rises every year."]),
        ("Copy mechanism\n\nLimited data\n\nBeam search", ["Copy mechanism", "Limited data", "Beam search"]),
        ("## Only a heading", ["Only a heading"]),
        ("| City | Year |\n|---|---|\n| Oslo | 1932 |", ["City; Year", "Oslo; 1932"]),
        ("Cost rises [3], [4, 5] and (Smith et al., 2020) more.", ["Cost rises, and more."]),
        ("It fell (March 2020) and rose (a lot).", ["It fell (March 2020) and rose (a lot)."]),
        ("See [the report](https://a.example/x) for more.", ["See the report for more."]),
        ("Cost rises.\n\nReferences:\n[1] Smith, J. A study. 2020.\n", ["Cost rises."]),
        (
            "Cost rises.\n\n### Key References\n- Smith\n\n## Next\nDemand falls.",
            ["Cost rises.", "Next: Demand falls."],
        ),
        ("Cost rises.\n\n---\n\n```\nDemand falls.\n```", ["Cost rises.", "Demand falls."]),
        ("价格上涨。租金下降。", ["价格上涨。", "租金下降。"]),
        ("", []),
        (" \n\n", []),
    ],
)
def test_an_answer_is_cut_into_what_it_says(answer: str, said: list[str]) -> None:
    assert texts(answer) == said


@given(st.text(alphabet=st.sampled_from("aB1 .:#*-|[](),\n?é数")))
def test_places_are_in_order_and_hold_the_words(answer: str) -> None:
    place = 0
    for statement in sorted(statements(answer), key=lambda said: said.start):
        assert place <= statement.start < statement.end <= len(answer)
        assert statement.text
        place = statement.end


def test_a_long_sentence_is_cut_at_its_clauses_and_loses_no_word() -> None:
    sentence = "; ".join(f"in case {number} the price of the good number {number} rises" for number in range(20)) + "."

    cut = statements(sentence)

    assert len(cut) > 1
    assert all(len(statement.text.split()) <= LONGEST_WORDS for statement in cut)
    assert " ".join(statement.text for statement in cut).split() == sentence.split()


def test_words_without_any_clause_are_cut_too() -> None:
    cut = statements("word " * 200)

    assert [len(statement.text.split()) for statement in cut] == [60, 60, 60, 20]


@pytest.mark.parametrize(
    ("answer", "claims"),
    [("Copy mechanisms help rare tokens.", True), ("Does it help rare tokens much?", False), ("Of course.", False)],
)
def test_a_claim_says_something(answer: str, *, claims: bool) -> None:
    (statement,) = statements(answer)

    assert statement.is_claim is claims


def test_a_long_answer_takes_linear_time() -> None:
    answer = "# A\n\n" + "((((" * 20_000 + "Some (text) [1] here. " * 5_000 + "word " * 99 + " " * 100_000 + "(x) – end"

    began = time.perf_counter()
    statements(answer)

    assert time.perf_counter() - began < 10.0
