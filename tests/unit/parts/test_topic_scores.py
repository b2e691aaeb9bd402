from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astrolabe.core.records import Question, Topic
from astrolabe.parts.topic_scores import Found, Gold, distinct, gold_topics, topic_scores
from tests.scoring_kit import question

IDS = ["A0", "A1", "A2", "H0", "H1"]
FOUND = st.lists(st.frozensets(st.sampled_from([*IDS, "X9"]), max_size=3).map(lambda ids: Found("x", ids)), max_size=8)
GOLD = gold_topics(question(["a", "b", "c"], ["h", "k"]))


@given(FOUND)
def test_figures_stay_in_range(found: list[Found]) -> None:
    scores = topic_scores(found, GOLD)

    for figure in (scores.t_prec, scores.t_rec, scores.t_f1, scores.h_topic):
        assert 0.0 <= figure <= 1.0
    assert scores.h_resp in {0.0, 1.0}
    assert min(scores.t_prec, scores.t_rec) <= scores.t_f1 <= max(scores.t_prec, scores.t_rec)
    assert sorted((*scores.covered, *scores.missed)) == ["A0", "A1", "A2"]


@given(FOUND, st.randoms())
def test_order_changes_no_figure(found: list[Found], rng: Random) -> None:
    mixed = list(found)
    rng.shuffle(mixed)
    turned = Gold(GOLD.expected[::-1], GOLD.unsupported[::-1], ())

    one, other = topic_scores(found, GOLD), topic_scores(mixed, turned)

    assert (one.t_prec, one.t_rec, one.h_topic, one.h_resp) == (other.t_prec, other.t_rec, other.h_topic, other.h_resp)
    assert set(one.covered) == set(other.covered)


@given(FOUND)
def test_one_more_unmatched_topic_never_raises_precision_and_leaves_recall(found: list[Found]) -> None:
    before, after = topic_scores(found, GOLD), topic_scores([*found, Found("new", frozenset())], GOLD)

    assert after.t_prec <= before.t_prec
    assert (after.t_rec, after.h_topic) == (before.t_rec, before.h_topic)


@given(FOUND, st.sampled_from(IDS))
def test_one_more_matched_topic_never_lowers_recall(found: list[Found], also: str) -> None:
    before, after = topic_scores(found, GOLD), topic_scores([*found, Found("new", frozenset({also}))], GOLD)

    assert after.t_rec >= before.t_rec
    assert after.h_topic >= before.h_topic


def test_a_topic_that_is_expected_and_unsupported_leaves_the_expected_ones() -> None:
    gold = gold_topics(question(["Copy mechanism", "Limited data"], ["copy  MECHANISM."]))

    assert [topic.id for topic in gold.expected] == ["A1"]
    assert [topic.id for topic in gold.unsupported] == ["H0"]
    assert [topic.id for topic in gold.removed] == ["A0"]


def test_an_alias_in_common_makes_two_topics_one() -> None:
    asked = Question(
        id="q",
        text="?",
        topics=(Topic(id="A1", text="joblessness", aliases=("unemployment",)), Topic(id="A2", text="wages")),
        hallucinations=(Topic(id="H1", text="Unemployment"),),
    )

    assert [topic.id for topic in gold_topics(asked).expected] == ["A2"]


def test_rejected_topics_do_not_count() -> None:
    asked = Question(id="q", text="?", topics=(Topic(id="A1", text="a", state="rejected"), Topic(id="A2", text="b")))

    assert [topic.id for topic in gold_topics(asked).expected] == ["A2"]


def test_recall_of_nothing_is_an_error_not_a_number() -> None:
    with pytest.raises(ValueError, match="no topics"):
        topic_scores([], Gold((), (), ()))


def test_repeats_of_a_label_are_one_topic_that_means_all_of_them() -> None:
    found = [Found("Market growth", frozenset({"A0"})), Found("market  growth!", frozenset({"A1"}))]

    assert distinct(found) == [Found("Market growth", frozenset({"A0", "A1"}))]


def test_labels_without_any_word_are_told_apart() -> None:
    assert len(distinct([Found("+", frozenset()), Found("-", frozenset())])) == 2
