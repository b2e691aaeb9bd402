"""How many calls the leaves of a reasoning tree shared, against how few there could have been; read from its trace."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple, cast

from pydantic import JsonValue

from astrolabe.core.records import Step
from astrolabe.parts.evidence_clusters import TOKENS_A_QUESTION, Evidence, clusters, compatible
from astrolabe.parts.trace_shape import NODE
from astrolabe.parts.tree_node import Room

MOST_EXACT: Final = 10
"""Of more questions than this the fewest groups are not sought: the time to find them grows threefold a question."""


class ClusterCounts(NamedTuple):
    """Groups of a stretch of neighbours that were searched for and waited for nobody.

    Attributes:
        children: How many questions, at least two.
        greedy: In how many groups they were answered.
        relaxed: In how many the same order would have put them without a limit of tokens and questions. It is not
            always fewer: the greedy order is not monotone.
        exact: The fewest groups there can be within the limits; null above `MOST_EXACT` questions, or where the size
            of a passage is not known.
    """

    children: int
    greedy: int
    relaxed: int
    exact: int | None


def cluster_counts(trace: Sequence[Step], sizes: Mapping[str, int]) -> list[ClusterCounts]:
    """Return the counts of every stretch of two questions or more, in the order of the trace.

    Args:
        trace: Steps of a method that groups questions by what they share; others have no counts.
        sizes: The tokens of the passages.
    """
    below: dict[str | None, list[Step]] = {}
    for step in trace:
        below.setdefault(step.parent, []).append(step)
    return [
        _counts(run, room, sizes)
        for step in trace
        if (room := _room(step)) is not None
        for run in _runs(below.get(step.id, ()))
        if len(run) > 1
    ]


def fewest_groups(evidence: Sequence[Evidence], sizes: Mapping[str, int], room: Room) -> int:
    """Return the fewest groups that keep to the limits, found by trying all; a group of one always keeps to them.

    For few questions: the time grows threefold with each.
    """
    friends = compatible(evidence, overlap=room.overlap)
    whole = (1 << len(evidence)) - 1
    fits = [_fits(mask, evidence, friends, sizes=sizes, room=room) for mask in range(whole + 1)]
    best = [0] * (whole + 1)
    for mask in range(1, whole + 1):
        first = mask & -mask
        rest = mask ^ first
        best[mask] = 1 + min(best[rest ^ others] for others in _subsets(rest) if fits[first | others])
    return best[whole]


def _counts(run: Sequence[Step], room: Room, sizes: Mapping[str, int]) -> ClusterCounts:
    evidence = [Evidence(frozenset(_shown(step)), TOKENS_A_QUESTION) for step in run]
    known = all(passage in sizes for one in evidence for passage in one.passages)
    unlimited = dict.fromkeys((passage for one in evidence for passage in one.passages), 0)
    relaxed = clusters(evidence, unlimited, budget=None, overlap=room.overlap)
    together = [tuple(cast("list[str]", _drawn(step).get("batch") or [])) for step in run]
    return ClusterCounts(
        children=len(run),
        greedy=len({batch for batch in together if batch}) + together.count(()),
        relaxed=len(relaxed),
        exact=fewest_groups(evidence, sizes, room) if known and len(run) <= MOST_EXACT else None,
    )


def _fits(
    mask: int, evidence: Sequence[Evidence], friends: Sequence[int], *, sizes: Mapping[str, int], room: Room
) -> bool:
    members = [place for place in range(len(evidence)) if mask >> place & 1]
    if len(members) == 1:
        return True
    if len(members) > room.most or any(mask & ~(friends[place] | 1 << place) for place in members):
        return False
    passages = frozenset[str]().union(*(evidence[place].passages for place in members))
    return sum(evidence[place].tokens for place in members) + sum(sizes[one] for one in passages) < room.tokens


def _subsets(mask: int) -> Iterator[int]:
    """Yield every subset of a set of bits, the whole one first and the empty one last."""
    subset = mask
    while subset:
        yield subset
        subset = (subset - 1) & mask
    yield 0


def _runs(children: Iterable[Step]) -> list[list[Step]]:
    stretches = groupby(children, lambda step: step.mode == "external" and not _drawn(step).get("refs"))
    return [list(run) for searched, run in stretches if searched]


def _room(step: Step) -> Room | None:
    room = _drawn(step).get("room") if step.stage == NODE else None
    if not isinstance(room, dict) or room.keys() != {*Room._fields}:
        return None
    return Room(**cast("dict[str, int]", room))


def _shown(step: Step) -> list[str]:
    shown = _drawn(step).get("shown")
    return [hit.passage_id for hit in step.hits[: shown if isinstance(shown, int) else None]]


def _drawn(step: Step) -> Mapping[str, JsonValue]:
    return step.output if isinstance(step.output, dict) else {}
