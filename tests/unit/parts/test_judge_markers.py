import math

import pytest

from astrolabe.core.records import Question
from astrolabe.llm.scripted import Scripted
from astrolabe.parts.judge_markers import read_marked_multi, read_marked_single
from astrolabe.parts.judged_set import judged_set, set_prompt


def marked(length: str, overlaps: str) -> str:
    return f"final answer: ...\nfinal answer length: {length}\nreasoning: x\nyes\noverlapping answers: {overlaps}"


@pytest.mark.parametrize(
    ("length", "overlaps", "precision", "recall"),
    [
        ("4", "a###b", 2 / 4, 2 / 5),
        ("4 answers", "a###b###", 2 / 4, 2 / 5),
        ("1", "a###b###c", 3 / 3, 3 / 5),
        ("7", "a###b###c###d###e###f", 6 / 7, 5 / 5),
        ("3", "NULL", 0.0, 0.0),
        ("0", "a", 0.0, 0.0),
        ("None ", "NULL", 0.0, 0.0),
        ("3", "a###NULL", 1 / 3, 1 / 5),
    ],
)
def test_markers_are_read_as_published(length: str, overlaps: str, precision: float, recall: float) -> None:
    assert read_marked_multi(marked(length, overlaps), 5) == pytest.approx((precision, recall))


def test_underscored_markers_are_accepted_too() -> None:
    text = marked("2", "a").replace("final answer length", "final_answer_length")

    assert read_marked_multi(text.replace("overlapping answers", "overlapping_answers"), 2) == (0.5, 0.5)


@pytest.mark.parametrize("overlaps", ["", "NULL."])
def test_the_published_parser_takes_an_empty_overlap_for_one_right_answer(overlaps: str) -> None:  # D16
    found = read_marked_multi(marked("3", overlaps), 4)

    assert found is not None
    assert found.f1 == pytest.approx(2 * (1 / 3) * (1 / 4) / (1 / 3 + 1 / 4))  # 0.29: the same judgement by ids is 0


def test_the_published_parser_counts_a_repeated_overlap_again() -> None:  # D16
    assert read_marked_multi(marked("2", "a###a"), 4) == (1.0, 0.5)


@pytest.mark.parametrize("length", ["3.", "None", "about 3"])
def test_the_published_parser_ends_at_a_length_that_is_no_number(length: str) -> None:  # D16
    with pytest.raises(ValueError, match="invalid literal"):
        read_marked_multi(marked(length, "a"), 4)


@pytest.mark.parametrize("marker", ["final answer length", "overlapping answers"])
def test_a_bold_marker_is_not_seen(marker: str) -> None:  # D16
    assert read_marked_multi(marked("2", "a").replace(marker, f"**{marker}**"), 4) is None


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("final precision: 1", 1.0),
        ("final_precision: 0.75...\nmore", 0.75),
        ("final precision: -0.4", -0.4),
        ("final precision: 10", 10.0),
        ("**final precision**: 1", 0.0),
        ("final precision: high", 0.0),
        ("", 0.0),
    ],
)
def test_a_single_score_is_read_without_bounds(text: str, score: float) -> None:  # D16
    assert read_marked_single(text) == score


def test_a_single_score_may_even_be_no_number() -> None:  # D16
    assert math.isnan(read_marked_single("final precision: nan"))


async def test_an_empty_gold_list_is_an_error_by_name() -> None:  # D16
    question = Question(id="q7", text="?")

    with pytest.raises(ValueError, match="'q7' has no gold answers"):
        await judged_set(question, "Text.", Scripted({}))
    with pytest.raises(ValueError, match="'q7'"):
        set_prompt(question, "Text.", [])
