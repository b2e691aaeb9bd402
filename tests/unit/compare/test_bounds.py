"""Between what a mean over all that were asked lies, whatever the scores that are missing would have been."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astrolabe.compare import estimate
from astrolabe.core.records import Estimate, Kind, Question, Score, Topic

Range = tuple[float, float]
Place = tuple[int, str]
KINDS: tuple[Kind, ...] = ("single_sum", "temporal")
RANGES: tuple[Range, ...] = ((0.0, 1.0), (1.0, 0.0), (-1.0, 2.0))


class Case(NamedTuple):
    """True values by question and scope, some of which go missing."""

    values: dict[Place, float]
    missing: frozenset[Place]
    bounds: Range

    @property
    def scopes(self) -> list[str]:
        return sorted({scope for _, scope in self.values})

    @property
    def numbers(self) -> list[int]:
        return sorted({number for number, _ in self.values})


@st.composite
def cases(draw: st.DrawFn) -> Case:
    bounds = draw(st.sampled_from(RANGES))
    scopes = ("hard", "simple")[: draw(st.integers(1, 2))]
    places: list[Place] = list(product(range(draw(st.integers(1, 8))), scopes))
    values = {place: draw(st.floats(min(bounds), max(bounds))) for place in places}
    missing = draw(st.sets(st.sampled_from(places), max_size=6))
    return Case(values, frozenset(missing), bounds)


def estimated(case: Case) -> list[Estimate]:
    """Return what is estimated where some scores are missing."""
    questions = {f"q{n}": Question(id=f"q{n}", text="What?", kind=KINDS[n % 2]) for n in case.numbers}
    scores = [
        made(number, scope, None if (number, scope) in case.missing else value)
        for (number, scope), value in case.values.items()
    ]
    return estimate(scores, questions, rng=np.random.default_rng(1), ranges={"m": case.bounds}, resamples=20)


def made(number: int, scope: str, value: float | None, parts: Mapping[str, float | None] | None = None) -> Score:
    unscored = value is None
    return Score(
        question_id=f"q{number}",
        method="a",
        scope=scope,
        metric="m",
        value=value,
        parts=dict(parts or {}),
        status="unscored" if unscored else "scored",
        reason="the judge wrote prose" if unscored else None,
    )


def places_of(case: Case, one: Estimate) -> list[Place]:
    """Return the questions and scopes that a mean is over."""
    kind = None if one.kind is None else KINDS.index(one.kind)
    scopes = case.scopes if one.scope == "overall" else [str(one.scope)]
    return [(n, scope) for n, scope in case.values if scope in scopes and kind in {None, n % 2}]


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


@given(cases())
@settings(max_examples=150)
def test_bounds_are_the_extremes_over_all_that_the_missing_scores_could_be(case: Case) -> None:
    for one in estimated(case):
        places = places_of(case, one)
        gone = [place for place in places if place in case.missing]
        filled = [
            {**case.values, **dict(zip(gone, ends, strict=True))} for ends in product(case.bounds, repeat=len(gone))
        ]
        means = [mean([values[place] for place in places]) for values in filled]

        assert one.worst == pytest.approx(min(means) if case.bounds[0] < case.bounds[1] else max(means))
        assert one.best == pytest.approx(max(means) if case.bounds[0] < case.bounds[1] else min(means))


@given(cases())
def test_bounds_are_as_far_apart_as_the_missing_share_of_the_range(case: Case) -> None:
    for one in estimated(case):
        places = places_of(case, one)
        share = sum(place in case.missing for place in places) / len(places)
        worst, best = case.bounds

        assert one.worst is not None
        assert one.best is not None
        assert one.best - one.worst == pytest.approx(share * (best - worst))


@given(cases())
def test_the_mean_of_all_lies_within_the_bounds(case: Case) -> None:
    for one in estimated(case):
        whole = mean([case.values[place] for place in places_of(case, one)])

        assert within(whole, one)


def within(value: float, one: Estimate) -> bool:
    assert one.worst is not None
    assert one.best is not None
    low, high = sorted((one.worst, one.best))
    return low - 1e-9 <= value <= high + 1e-9


@pytest.mark.parametrize("share", [0.01, 0.05, 0.20])
@pytest.mark.parametrize("lost", ["any", "the best", "the worst"])
@pytest.mark.parametrize("bounds", RANGES)
def test_the_true_mean_lies_within_the_bounds_whichever_scores_are_missing(
    share: float, lost: str, bounds: Range
) -> None:
    rng = np.random.default_rng(7)
    drawn: list[float] = rng.uniform(min(bounds), max(bounds), size=200).tolist()
    order = {
        "any": [int(place) for place in rng.permutation(200)],
        "the best": sorted(range(200), key=lambda number: -drawn[number]),
        "the worst": sorted(range(200), key=lambda number: drawn[number]),
    }[lost]
    values = {(number, "hard"): value for number, value in enumerate(drawn)}
    missing = frozenset((number, "hard") for number in order[: round(share * 200)])

    found = estimated(Case(values, missing, bounds))

    (one,) = [one for one in found if one.kind is None]
    assert (one.n_scored, one.n_asked) == (200 - round(share * 200), 200)
    assert within(mean(drawn), one)
    assert one.value is not None
    assert within(one.value, one)
    if lost != "any":
        assert one.value != pytest.approx(mean(drawn), abs=1e-4)  # the mean of the scored alone is off


def test_a_mean_over_scopes_knows_the_scopes_that_were_scored() -> None:
    questions = {f"q{n}": Question(id=f"q{n}", text="What?") for n in range(2)}
    scores = [made(0, "hard", 0.5), made(0, "simple", 0.5), made(1, "hard", None), made(1, "simple", 1.0)]

    found = estimate(scores, questions, rng=np.random.default_rng(1), ranges={"m": (0.0, 1.0)})

    (one,) = [one for one in found if one.scope == "overall" and one.kind is None]
    assert (one.value, one.worst, one.best) == (0.5, 0.5, 0.75)


def test_a_part_that_is_zero_by_definition_is_zero_however_the_judgement_would_have_ended() -> None:
    stated = Question(id="q0", text="What?", hallucinations=(Topic(id="H1", text="a comet"),))
    questions = {"q0": stated, "q1": Question(id="q1", text="What?"), "q2": Question(id="q2", text="What?")}
    scores = [made(0, "hard", None), made(1, "hard", None), made(2, "hard", 0.5, {"h_topic": 0.0})]

    found = estimate(scores, questions, rng=np.random.default_rng(1), ranges={"m": (0.0, 1.0)})

    (one,) = [one for one in found if one.part == "h_topic" and one.kind is None]
    assert (one.worst, one.best) == (pytest.approx(1 / 3), 0.0)


def test_without_a_range_there_are_no_bounds_but_where_nothing_is_missing() -> None:
    questions = {f"q{n}": Question(id=f"q{n}", text="What?", kind=KINDS[n]) for n in range(2)}

    found = estimate([made(0, "hard", 0.5), made(1, "hard", None)], questions, rng=np.random.default_rng(1))

    bounds = {one.kind: (one.worst, one.best) for one in found}
    assert bounds == {None: (None, None), "single_sum": (0.5, 0.5), "temporal": (None, None)}
