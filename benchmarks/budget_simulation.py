"""Simulates runs that a budget stops: how often the partial result's interval holds the full result's value.

    python benchmarks/budget_simulation.py [--stops 1000] [--questions 200] [--shares 0.1 0.25 0.5] [--at-once 8]

A population of scores is asked in the seeded random order of a run, by so many requests at once, until the real
`Budget` says stop; what is under way then is finished and counted, as in a run. Costs hang on the scores (what is
hard takes longer), the worst case for a budget. The interval is the one that tables print. It speaks of questions
like these, asked or not, so for the full run of these very questions it is wider than need be by
1 / sqrt(1 - n / N); corrected for that, it shows whether the nominal rate is met.
"""

import argparse
import heapq
import math
import random
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from astrolabe.compare.bootstrap import interval
from astrolabe.core.records import Usage
from astrolabe.llm.budgeted import Budget


class Population(NamedTuple):
    """The scores and the costs of all questions, in one order."""

    scores: list[float]
    tokens: list[int]


class Outcome(NamedTuple):
    """What the stopped runs of one share came to."""

    share: float
    answered: float
    covered: float
    covered_corrected: float
    bias: float
    most_over: float


POPULATIONS = ("recall", "hallucinated", "f1")


def population(name: str, questions: int, seed: int) -> Population:
    """Return a population that looks like a column of a table."""
    chance = random.Random(seed)  # noqa: S311 - a simulation, not a secret
    draw = {
        "recall": lambda: chance.choice((0, 0.2, 0.25, 0.4, 0.5, 0.6, 0.75, 0.8, 1)),
        "hallucinated": lambda: float(chance.random() < 0.25),  # noqa: PLR2004 - the rate of the paper's table
        "f1": lambda: 0.0 if chance.random() < 0.15 else chance.betavariate(3, 2),  # noqa: PLR2004
    }[name]
    scores = [draw() for _ in range(questions)]
    tokens = [round(500 * (2 - score) * chance.lognormvariate(0, 0.5)) for score in scores]
    return Population(scores, tokens)


def stopped(population: Population, cap: int, order: Sequence[int], at_once: int) -> tuple[list[int], int]:
    """Return the questions that a run answers before the budget stops it, and the tokens spent."""
    budget = Budget(tokens=cap)
    queue, under_way, answered, now = iter(order), [(0.0, -1)] * at_once, list[int](), 0.0
    while under_way:
        now, finished = heapq.heappop(under_way)
        if finished >= 0:
            budget.spend(Usage(calls=1, prompt_tokens=population.tokens[finished]))
            answered.append(finished)
        if not budget.used_up and (question := next(queue, None)) is not None:
            heapq.heappush(under_way, (now + population.tokens[question], question))
    return answered, budget.spent.prompt_tokens


def simulate(population: Population, share: float, *, stops: int, at_once: int, resamples: int) -> Outcome:
    """Stop as many runs at a share of the full cost, each in an order of its own."""
    full, size = math.fsum(population.scores) / len(population.scores), len(population.scores)
    cap = round(share * sum(population.tokens))
    answered: list[int] = []
    covered = corrected = 0
    bias = most_over = 0.0
    for seed in range(stops):
        order = list(range(size))
        random.Random(seed).shuffle(order)  # noqa: S311 - a run orders its questions so
        chosen, spent = stopped(population, cap, order, at_once)
        sample = [population.scores[place] for place in sorted(chosen)]
        found = interval(sample, rng=np.random.default_rng(seed), resamples=resamples)
        mean, low, high = (value or 0.0 for value in found)
        narrower = math.sqrt(1 - len(chosen) / size)
        covered += low <= full <= high
        corrected += mean - narrower * (mean - low) <= full <= mean + narrower * (high - mean)
        bias += (mean - full) / stops
        most_over = max(most_over, (spent - cap) / max(population.tokens))
        answered.append(len(chosen))
    return Outcome(share, sum(answered) / stops, covered / stops, corrected / stops, bias, most_over)


def main() -> None:
    """Simulate every population and share, and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--stops", type=int, default=1000)
    options.add_argument("--questions", type=int, default=200)
    options.add_argument("--shares", type=float, nargs="+", default=[0.1, 0.25, 0.5])
    options.add_argument("--at-once", type=int, default=8)
    options.add_argument("--resamples", type=int, default=1000)
    given = options.parse_args()
    sys.stdout.write(
        f"{given.stops} stops a line, of {given.questions} questions, {given.at_once} at once, nominal 95 %\n"
    )
    for name in POPULATIONS:
        people = population(name, given.questions, seed=1)
        for share in given.shares:
            found = simulate(people, share, stops=given.stops, at_once=given.at_once, resamples=given.resamples)
            sys.stdout.write(
                f"{name:13} stopped at {share:4.0%}: {found.answered:5.1f} answered; the interval holds the full "
                f"value in {found.covered:6.1%}, narrowed for a finite population in {found.covered_corrected:6.1%}; "
                f"bias {found.bias:+.4f}; at most {found.most_over:.1f} of the dearest call above the cap\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
