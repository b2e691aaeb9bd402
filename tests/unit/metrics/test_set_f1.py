import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.benchmark import import_fanoutqa, import_hotpotqa, import_qampari
from astrolabe.core.records import Answer, Question
from astrolabe.metrics.set_f1 import SetF1
from astrolabe.parts.official_items import official_form, official_items
from astrolabe.parts.set_scores import gold_items, official_scores, set_scores
from tests.scoring_kit import ScoringKit, answered

KIT = ScoringKit()


def asked(*answers: tuple[str, ...], not_aliases: tuple[str, ...] = ()) -> Question:
    return Question(id="q", text="Which?", kind="set", answers=answers, extra={"not_aliases": list(not_aliases)})


BANDS = asked(("Earth, Wind & Fire", "EWF"), ("Queen",), ("Washington, D.C.", "Washington"), ("Abba", "ABBA"))


async def test_names_with_commas_count_as_one_and_the_published_count_stands_beside() -> None:  # D18
    score = await SetF1().score(BANDS, answered("Answers: Earth, Wind & Fire, Queen, Washington, D.C."), KIT)

    assert score.value == score.parts["f1"] == pytest.approx(6 / 7)
    assert (score.parts["precision"], score.parts["recall"]) == (1.0, 0.75)
    # Cut at every comma: "Earth", "Wind & Fire", "Queen", "Washington", "D.C."
    assert (score.parts["official_precision"], score.parts["official_recall"]) == (2 / 5, 2 / 4)
    assert (score.parts["official_f1_50"], score.parts["official_recall_80"]) == (0.0, 0.0)
    assert score.detail["missed"] == ["Abba"]


async def test_bullets_and_a_preamble_cost_nothing_in_the_corrected_count() -> None:  # D18
    score = await SetF1().score(
        BANDS, answered("I found these.\nAnswers:\n1. EWF\n2. Queen\n3. abba\n4. Washington"), KIT
    )

    assert score.value == 1.0
    assert score.parts["official_f1"] == 0.0


async def test_a_reply_in_the_published_form_scores_the_same_both_ways() -> None:
    score = await SetF1().score(BANDS, answered("Answers: EWF, the Queen, Toto, abba"), KIT)

    assert score.parts["f1"] == score.parts["official_f1"] == 0.75
    assert score.parts["official_f1_50"] == 1.0
    assert score.detail["wrong"] == ["Toto"]


def test_a_name_that_the_source_does_not_list_as_alias_counts_only_in_the_corrected_count() -> None:  # D18
    question = asked(("Marazan", "Marazan (novel)"), not_aliases=("Marazan",))

    assert set_scores(question, answered("Marazan")).shares.f1 == 1.0
    assert official_scores(question, answered("Marazan")).f1 == 0.0


def test_gold_entries_that_stand_twice_are_one_in_the_corrected_count() -> None:  # D18
    question = asked(("2006",), ("2012",), ("2006",), ("1995",))

    assert set_scores(question, answered("2006, 2012, 1995")).shares == (1.0, 1.0)
    assert official_scores(question, answered("2006, 2012, 1995")).recall == 0.75


def test_an_alias_of_two_gold_items_is_the_later_ones_in_the_published_count() -> None:
    question = asked(("Warlock", "the film"), ("Edge of the City", "the film"))

    assert official_scores(question, answered("Warlock, the film")) == (1.0, 1.0)
    assert official_scores(question, answered("the film")) == (1.0, 0.5)


def test_an_item_means_one_gold_item_and_as_many_are_found_as_can_be() -> None:
    question = asked(("Warlock", "the film"), ("Edge", "the film"))

    assert set_scores(question, answered("the film, Warlock")).shares == (1.0, 1.0)
    assert set_scores(question, answered("the film")).shares == (1.0, 0.5)


def test_the_answers_own_items_come_before_those_of_its_text() -> None:
    answer = answered("It is Queen, I think, or not.").model_copy(update={"items": ("Queen", "queen", " ")})

    scores = set_scores(BANDS, answer)

    assert scores.items == ("Queen",)
    assert scores.shares == (1.0, 0.25)


def test_brackets_at_the_end_part_namesakes_only_where_both_have_them() -> None:
    question = asked(("Mercury (planet)",), ("Heavy Industries Taxila (HIT)",))

    assert set_scores(question, answered("Mercury, Heavy Industries Taxila")).shares.f1 == 1.0
    assert set_scores(question, answered("Mercury (element)")).shares.f1 == 0.0


@pytest.mark.parametrize(
    ("answers", "text"),
    [((("Yes", "True"),), "Answer: yes."), ((("4",),), "The answer is: four"), ((("2020-03-05",),), "March 5, 2020")],
)
async def test_booleans_numbers_and_dates_are_found_however_written(answers: tuple[tuple[str, ...]], text: str) -> None:
    assert (await SetF1().score(asked(*answers), answered(text), KIT)).value == 1.0


async def test_without_gold_or_answer_there_is_no_number_and_nothing_right_is_a_zero() -> None:
    failed = Answer(question_id="q", status="failed", reason="timeout")

    without_gold = await SetF1().score(asked(("", " ")), answered("Text."), KIT)
    without_answer = await SetF1().score(BANDS, failed, KIT)
    wrong = await SetF1().score(BANDS, answered("Toto"), KIT)

    assert (without_gold.value, without_gold.reason) == (None, "no gold answers")
    assert (without_answer.value, without_answer.reason) == (None, "the answer is failed: timeout")
    assert (wrong.value, wrong.parts["official_f1"]) == (0.0, 0.0)


async def test_separators_alone_are_an_answer_without_items() -> None:
    score = await SetF1().score(BANDS, answered(",,"), KIT)

    assert (score.value, score.parts["official_precision"], score.detail["items"]) == (0.0, 0.0, [])


# --- the gold answers themselves, in many guises


def in_a_row(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])}{' and ' if len(names) > 1 else ''}{names[-1]}."


GUISES: Mapping[str, Callable[[Sequence[str]], str]] = {
    "commas": lambda names: "Answers: " + ", ".join(names),
    "lines": "\n".join,
    "bullets": lambda names: "Here they are:\n" + "\n".join(f"- **{name}**" for name in names),
    "numbers": lambda names: "\n".join(f"{number}. {name}" for number, name in enumerate(names, start=1)),
    "json": json.dumps,
    "and": in_a_row,
}


@pytest.mark.parametrize("guise", GUISES)
def test_the_gold_answers_of_real_questions_are_all_right_in_any_guise(shared: Path, guise: str) -> None:
    for question in (
        *import_fanoutqa(shared / "fanoutqa").questions,
        *import_qampari(shared / "qampari_examples").questions,
        *import_hotpotqa(shared / "hotpotqa").questions,
    ):
        names = [item[0] for item in gold_items(question)]

        assert set_scores(question, answered(GUISES[guise](names))).shares == (1.0, 1.0), question.id


# --- properties

NAMES = st.sampled_from(
    ["Oslo", "oslo!", "the Oslo", "Rome", "Rome, Italy", "Abba", "A b", "Washington, D.C.", "4", "4.0"]
)
GOLD = st.lists(st.lists(NAMES, min_size=1, max_size=3).map(tuple), min_size=1, max_size=5)
SAID = st.lists(NAMES, min_size=1, max_size=6).map(", ".join)


@given(GOLD, SAID)
def test_the_published_count_is_what_its_rules_say_word_by_word(gold: list[tuple[str, ...]], text: str) -> None:
    aliases = {names[0]: names for names in gold}
    owner: dict[str, str] = {}
    for name, own in aliases.items():
        for alias in own:
            owner[alias] = name
    hit: set[str] = set()
    for piece in official_items(text):
        for alias, name in owner.items():
            if official_form(piece) == official_form(alias):
                hit.add(name)
                break

    shares = official_scores(asked(*gold), answered(text))

    assert shares == (len(hit) / len(official_items(text)), len(hit) / len(gold))


@given(GOLD, SAID, st.randoms(use_true_random=False))
def test_scores_stay_in_range_and_are_blind_to_the_order_of_the_gold(
    gold: list[tuple[str, ...]], text: str, random: Random
) -> None:
    scores = set_scores(asked(*gold), answered(text))
    turned = random.sample(gold, len(gold))

    assert all(0.0 <= value <= 1.0 for value in (*scores.shares, scores.shares.f1))
    assert len(scores.found) + len(scores.wrong) == len(scores.items)
    if len({names[0] for names in gold}) == len(gold) == len(scores.found) + len(scores.missed):
        assert set_scores(asked(*turned), answered(text)).shares == scores.shares


@given(st.lists(NAMES, min_size=1, max_size=6))
def test_saying_the_gold_names_alone_is_all_right(names: list[str]) -> None:
    answer = answered("See items.").model_copy(update={"items": tuple(names)})

    assert set_scores(asked(*((name,) for name in names)), answer).shares == (1.0, 1.0)
