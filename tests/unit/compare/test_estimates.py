"""Means with their intervals and counts, and comparisons of pairs, from whole scores."""

from collections.abc import Sequence

import numpy as np
import pytest

from astrolabe.compare import compare_methods, estimate, needed_for, questions_needed
from astrolabe.core.records import Comparison, Estimate, Kind, Question, Score, Topic

KINDS: tuple[Kind, ...] = ("single_sum", "temporal")


def question(number: int, *, hallucinations: int = 0) -> Question:
    topics = tuple(Topic(id=f"H{index}", text="a topic") for index in range(hallucinations))
    return Question(id=f"q{number}", text="What?", kind=KINDS[number % 2], hallucinations=topics)


def score(
    number: int,
    value: float | None,
    *,
    method: str = "a",
    scope: str | None = None,
    metric: str = "topics",
    parts: dict[str, float | None] | None = None,
) -> Score:
    return Score(
        question_id=f"q{number}",
        method=method,
        scope=scope,
        metric=metric,
        value=value,
        parts=parts or {},
        status="unscored" if value is None else "scored",
        reason="the judge wrote prose" if value is None else None,
    )


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def estimated(scores: Sequence[Score], count: int = 20, hallucinations: int = 0) -> list[Estimate]:
    questions = {f"q{n}": question(n, hallucinations=hallucinations if n < 4 else 0) for n in range(count)}
    return estimate(scores, questions, rng=rng(), ranges={"topics": (0.0, 1.0), "cost": (float("inf"), 0.0)})


def only(found: Sequence[Estimate], **wanted: object) -> Estimate:
    wanted = {"part": None, "kind": None, **wanted}
    chosen = [one for one in found if all(getattr(one, name) == value for name, value in wanted.items())]
    assert len(chosen) == 1
    return chosen[0]


def compared(
    scores: Sequence[Score], count: int = 20, ranges: dict[str, tuple[float, float]] | None = None
) -> list[Comparison]:
    questions = {f"q{n}": question(n) for n in range(count)}
    return compare_methods(scores, questions, metric="topics", rng=rng(), ranges=ranges)


# D21
def test_nine_failed_judgements_of_ten_stand_beside_the_mean() -> None:
    found = only(estimated([score(0, 1.0), *(score(n, None) for n in range(1, 10))]))

    assert (found.value, found.n_scored, found.n_asked) == (1.0, 1, 10)
    assert (found.low, found.high) == (None, None)
    assert (found.worst, found.best) == (0.1, 1.0)


def test_where_no_answer_could_be_scored_the_mean_is_null() -> None:
    found = only(estimated([score(n, None) for n in range(3)]))

    assert (found.value, found.low, found.n_scored, found.n_asked) == (None, None, 0, 3)
    assert (found.worst, found.best) == (0.0, 1.0)


def test_a_cost_without_a_worst_value_has_no_worst_mean() -> None:
    found = only(estimated([score(0, 12.0, metric="cost"), score(1, None, metric="cost")]))

    assert (found.value, found.worst, found.best) == (12.0, None, 6.0)


def test_overall_is_the_mean_over_scopes_on_questions_scored_in_all_of_them() -> None:
    simple = [score(n, 0.8, scope="simple") for n in range(3)]
    hard = [score(0, 0.2, scope="hard"), score(1, 0.4, scope="hard"), score(2, None, scope="hard")]

    found = only(estimated([*simple, *hard]), scope="overall")

    assert found.value == pytest.approx((0.5 + 0.6) / 2)
    assert (found.n_scored, found.n_asked) == (2, 3)


def test_a_method_that_never_ran_in_a_scope_has_no_overall() -> None:
    scores = [score(0, 0.8, scope="simple"), score(0, 0.5, method="b", scope="simple"), score(0, 0.2, scope="hard")]

    found = estimated(scores)

    assert {one.scope for one in found if one.method == "a"} == {"simple", "hard", "overall"}
    assert {one.scope for one in found if one.method == "b"} == {"simple"}


def test_one_scope_has_no_overall() -> None:
    found = estimated([score(n, 0.8, scope="simple") for n in range(3)])

    assert {one.scope for one in found} == {"simple"}


def test_kinds_have_their_own_means_and_counts() -> None:
    found = estimated([score(n, n % 2) for n in range(6)])

    assert only(found, kind="single_sum").value == 0
    assert only(found, kind="temporal").value == 1
    assert only(found, kind="temporal").n_asked == 3


def test_hallucination_parts_come_again_over_the_questions_that_have_such_topics() -> None:
    scores = [score(n, 0.5, parts={"h_topic": 0.5 if n < 4 else 0.0}) for n in range(8)]

    found = estimated([*scores, score(8, None)], hallucinations=2)

    assert (only(found, part="h_topic").value, only(found, part="h_topic").n_scored) == (0.25, 8)
    assert (only(found, part="h_topic+").value, only(found, part="h_topic+").n_scored) == (0.5, 4)
    assert only(found, part="h_topic").n_asked == 9
    assert only(found, part="h_topic+").n_asked == 4
    assert only(found, part="h_topic").worst == pytest.approx(2 / 9)  # the unscored one is 0 by definition


def test_a_cells_interval_depends_neither_on_the_order_nor_on_other_cells() -> None:
    source = np.random.default_rng(2)
    scores = [score(n, float(source.random()), method=method) for n in range(20) for method in "abc"]

    together = estimated(scores)
    backwards = estimated(scores[::-1])
    alone = estimated([one for one in scores if one.method == "b"])

    assert together == backwards
    assert only(alone) == only(together, method="b")


def test_two_differing_scores_of_one_answer_are_refused() -> None:
    with pytest.raises(ValueError, match="two different scores"):
        estimated([score(0, 1.0), score(0, 0.5)])


def test_a_score_of_an_unknown_question_is_refused_by_its_id() -> None:
    with pytest.raises(ValueError, match="q99"):
        estimated([score(99, 1.0)])


# D21
def test_pairs_are_compared_on_the_questions_that_both_have() -> None:
    first = [score(n, 0.9) for n in range(10)]
    second = [score(n, 0.1 if n < 8 else None, method="b") for n in range(10)]

    (found,) = compared([*first, *second])

    assert (found.first, found.second, found.n) == ("a", "b", 8)
    assert found.difference == pytest.approx(0.8)
    assert (found.p, found.verdict) == (2 / 2**8, "better")


def test_equal_scores_in_all_records_cannot_be_told_apart() -> None:
    scores = [score(n, n / 5, method=method) for n in range(5) for method in "ab"]

    (found,) = compared(scores)

    assert (found.difference, found.low, found.high, found.p) == (0.0, None, None, 1.0)
    assert found.verdict == "cannot tell"


@pytest.mark.parametrize("limits", [(0.0, 1.0), (1.0, 0.0)])
def test_equal_differences_have_the_interval_that_so_few_of_them_allow_for(limits: tuple[float, float]) -> None:
    scores = [score(n, 0.9 if method == "a" else 0.1, method=method) for n in range(8) for method in "ab"]

    (found,) = compared(scores, ranges={"topics": limits})

    share = 0.025 ** (1 / 8)
    assert (found.low, found.high) == pytest.approx((1.8 * share - 1, 1 - 0.2 * share))
    assert found.p == 2 / 2**8


def test_equal_scores_are_said_to_be_equal_and_have_an_interval_within_the_metrics_range() -> None:
    scores = [score(n, 0.4, parts={"precision": 1.0, "own": 0.3}) for n in range(5)]
    costs = [score(n, 1.0, metric="cost") for n in range(5)]

    found = estimated([*scores, *costs])

    share = 0.025**0.2
    one, precision = only(found, metric="topics"), only(found, part="precision")
    assert (one.value, one.low, one.high, one.equal) == (
        0.4,
        pytest.approx(0.4 * share),
        pytest.approx(1 - 0.6 * share),
        True,
    )
    assert (precision.low, precision.high) == (pytest.approx(share), 1.0)
    for unknown in (only(found, metric="cost"), only(found, part="own")):
        assert (unknown.low, unknown.high, unknown.equal) == (None, None, True)


def test_scores_that_differ_and_a_single_score_are_not_said_to_be_equal() -> None:
    assert not only(estimated([score(n, n / 5) for n in range(5)])).equal
    assert not only(estimated([score(0, 1.0)])).equal


def test_a_part_that_is_zero_by_definition_is_zero_for_certain() -> None:
    scores = [score(n, 0.5, parts={"h_topic": 0.0}) for n in range(8)]

    without = only(estimated(scores), part="h_topic")
    some = only(estimated(scores, hallucinations=1), part="h_topic")

    assert (without.low, without.high) == (0.0, 0.0)
    assert (some.low, some.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 8)))


def test_methods_without_a_common_question_have_null_and_are_not_in_the_family() -> None:
    scores = [
        *(score(n, 0.9) for n in range(7)),
        *(score(n, 0.1, method="b") for n in range(7)),
        score(9, 0.5, method="c"),
    ]

    found = {(one.first, one.second): one for one in compared(scores)}

    assert found["a", "c"].difference is None
    assert (found["a", "c"].p, found["a", "c"].n, found["a", "c"].verdict) == (None, 0, "cannot tell")
    assert found["a", "b"].p_adjusted == found["a", "b"].p == 2 / 2**7


def test_holm_is_over_the_pairs_of_one_scope() -> None:
    scores = [
        score(n, value + 0.01 * n, method=method, scope=scope)
        for n in range(8)
        for method, value in (("a", 0.1), ("b", 0.4), ("c", 0.7))
        for scope in ("simple", "hard")
    ]

    found = compared(scores)

    assert [one.scope for one in found] == ["hard"] * 3 + ["simple"] * 3 + ["overall"] * 3
    assert {one.p_adjusted for one in found} == {3 * 2 / 2**8}
    assert {one.correction for one in found} == {"holm"}
    assert {one.verdict for one in found} == {"worse"}


def test_where_less_is_better_the_lower_method_wins() -> None:
    questions = {f"q{n}": question(n) for n in range(8)}
    scores = [
        score(n, 0.5, method=method, parts={"h_topic": value})
        for n in range(8)
        for method, value in (("a", 0.1), ("b", 0.4))
    ]

    (found,) = compare_methods(scores, questions, metric="topics", part="h_topic", rng=rng())

    assert (found.metric, found.verdict) == ("topics.h_topic", "better")


def test_two_methods_swapped_give_the_mirror_image() -> None:
    source = np.random.default_rng(4)
    values = [(float(source.random()), float(source.random())) for _ in range(12)]
    scores = [score(n, pair[0]) for n, pair in enumerate(values)]
    scores += [score(n, pair[1], method="b") for n, pair in enumerate(values)]
    renamed = [one.model_copy(update={"method": {"a": "b", "b": "a"}[one.method]}) for one in scores]

    (found,) = compared(scores)
    (mirror,) = compared(renamed)

    assert found.difference is not None
    assert mirror.difference == pytest.approx(-found.difference)
    assert mirror.p == found.p


def test_questions_needed_is_the_normal_approximation_for_paired_differences() -> None:
    # Mean 0.1 and deviation 0.2: ((1.95996 + 0.84162) * 2)^2 = 31.4, so 32 (Lehr's rule of thumb: 8 / 0.5^2).
    wanted = needed_for([-0.1, 0.3, -0.1, 0.3, 0.1])

    assert wanted.value == 32


def test_questions_needed_is_at_least_what_an_exact_test_can_tell() -> None:
    assert needed_for([0.5, 0.5, 0.5]).value == 6


@pytest.mark.parametrize(
    ("sample", "reason"),
    [([0.1], "fewer than two questions in common"), ([0.1, -0.1], "no difference between the means")],
)
def test_questions_needed_is_null_with_a_reason_where_there_is_no_saying(sample: list[float], reason: str) -> None:
    found = needed_for(sample)

    assert (found.value, found.reason) == (None, reason)


def test_questions_needed_reads_the_scores_of_a_scope() -> None:
    questions = {f"q{n}": question(n) for n in range(4)}
    scores = [
        score(n, value, method=method, scope="hard")
        for n in range(4)
        for method, value in (("a", 0.5), ("b", 0.5 - 0.1 * (n % 2)))
    ]

    found = questions_needed(scores, questions, metric="topics", first="a", second="b", scope="hard")
    elsewhere = questions_needed(scores, questions, metric="topics", first="a", second="b", scope="simple")

    assert found.value == needed_for([0.0, 0.1, 0.0, 0.1]).value
    assert elsewhere.reason == "fewer than two questions in common"


def test_a_rejected_hallucination_topic_is_none() -> None:
    rejected = Topic(id="H1", text="a topic", state="rejected")
    questions = {"q0": question(0).model_copy(update={"hallucinations": (rejected,)})}

    found = estimate([score(0, 0.5, parts={"h_topic": 0.0})], questions, rng=rng())

    assert {one.part for one in found} == {None, "h_topic"}
