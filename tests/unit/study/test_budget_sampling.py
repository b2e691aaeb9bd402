"""What a budget leaves is a fair sample of the whole: stops simulated with the real budget and the real intervals."""

import heapq
import math
import random

import numpy as np

from astrolabe.compare.bootstrap import interval
from astrolabe.core.records import Usage
from astrolabe.llm.budgeted import Budget

QUESTIONS = 120
STOPS = 300
AT_ONCE = 8


def test_a_partial_result_holds_the_full_ones_value_at_the_nominal_rate_though_hard_questions_cost_more() -> None:
    chance = random.Random(5)  # noqa: S311 - a simulation, not a secret
    scores = [chance.choice((0, 0.2, 0.25, 0.4, 0.5, 0.6, 0.75, 0.8, 1)) for _ in range(QUESTIONS)]
    costs = [round(500 * (2 - score) * chance.lognormvariate(0, 0.5)) for score in scores]
    full = math.fsum(scores) / QUESTIONS
    held = held_narrowed = 0
    errors: list[float] = []

    for seed in range(STOPS):
        chosen, spent = _answered(costs, cap=sum(costs) // 4, seed=seed)
        sample = [scores[place] for place in sorted(chosen)]
        found = interval(sample, rng=np.random.default_rng(seed), resamples=400)
        mean, low, high = (value or 0.0 for value in found[:3])
        narrower = math.sqrt(1 - len(chosen) / QUESTIONS)  # for the value of these very questions
        held += low <= full <= high
        held_narrowed += mean - narrower * (mean - low) <= full <= mean + narrower * (high - mean)
        errors.append(mean - full)
        assert spent < sum(costs) // 4 + AT_ONCE * max(costs)

    assert held / STOPS >= 0.95
    assert 0.91 <= held_narrowed / STOPS <= 0.985
    assert abs(math.fsum(errors) / STOPS) < 0.01


def _answered(costs: list[int], *, cap: int, seed: int) -> tuple[list[int], int]:
    """Ask in a run's order, so many at once, until the budget is used up; what is under way is finished."""
    order = list(range(len(costs)))
    random.Random(seed).shuffle(order)  # noqa: S311 - as a run orders its questions
    budget, queue = Budget(tokens=cap), iter(order)
    under_way, answered = [(0, -1)] * AT_ONCE, list[int]()
    while under_way:
        now, finished = heapq.heappop(under_way)
        if finished >= 0:
            budget.spend(Usage(calls=1, prompt_tokens=costs[finished]))
            answered.append(finished)
        if not budget.used_up and (question := next(queue, None)) is not None:
            heapq.heappush(under_way, (now + costs[question], question))
    return answered, budget.spent.prompt_tokens
