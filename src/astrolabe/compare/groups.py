"""Which methods cannot be told apart."""

from collections.abc import Mapping, Sequence

from astrolabe.compare.needed import FEWEST
from astrolabe.core.records import Comparison, Estimate

Groups = dict[str | None, list[list[str]]]
"""By scope: groups of methods, the best first; within a group no two can be told apart."""


def groups(comparisons: Sequence[Comparison], estimates: Sequence[Estimate], *, more_is_better: bool = True) -> Groups:
    """Return for each scope the largest groups within which no two methods can be told apart.

    A method may be in several groups: where A and B, and B and C, cannot be told apart, but A and C can,
    the groups are [A, B] and [B, C]. Being in a group with the best does not mean being as good; it means
    that these questions do not show otherwise. A method without a mean is in no group, nor is one that has
    fewer than six questions in common with every other: fewer can show no difference at all.

    Args:
        comparisons: Of one metric (or part), of all kinds together.
        estimates: Of the same metric or part; others are passed over.
        more_is_better: Which end of the metric is better; orders the groups and the methods within.
    """
    scopes = list(dict.fromkeys(comparison.scope for comparison in comparisons))
    metrics = {comparison.metric for comparison in comparisons}
    found: Groups = {}
    for scope in scopes:
        comparable = {
            method
            for one in comparisons
            if one.scope == scope and one.kind is None and one.n >= FEWEST
            for method in (one.first, one.second)
        }
        means = {
            estimate.method: estimate.value if more_is_better else -estimate.value
            for estimate in estimates
            if estimate.scope == scope and estimate.kind is None and estimate.value is not None
            if (f"{estimate.metric}.{estimate.part}" if estimate.part else estimate.metric) in metrics
            if estimate.method in comparable
        }
        alike = _neighbours(means, [one for one in comparisons if one.scope == scope and one.kind is None])
        best_first = sorted(means, key=lambda method: (-means[method], method))
        cliques = _cliques(set(), set(means), set(), alike)
        ranks = sorted(sorted(best_first.index(method) for method in clique) for clique in cliques)
        found[scope] = [[best_first[rank] for rank in group] for group in ranks]
    return found


def _neighbours(methods: Mapping[str, float], comparisons: Sequence[Comparison]) -> dict[str, set[str]]:
    alike: dict[str, set[str]] = {method: set() for method in methods}
    for comparison in comparisons:
        if comparison.verdict == "cannot tell" and {comparison.first, comparison.second} <= alike.keys():
            alike[comparison.first].add(comparison.second)
            alike[comparison.second].add(comparison.first)
    return alike


def _cliques(chosen: set[str], open_: set[str], done: set[str], alike: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the maximal sets of mutual neighbours (Bron & Kerbosch 1973, with a pivot)."""
    if not open_ and not done:
        return [chosen] if chosen else []
    found: list[set[str]] = []
    pivot = max(sorted(open_ | done), key=lambda method: len(open_ & alike[method]))
    left, closed = set(open_), set(done)
    for method in sorted(open_ - alike[pivot]):
        found += _cliques(chosen | {method}, left & alike[method], closed & alike[method], alike)
        left.remove(method)
        closed.add(method)
    return found
