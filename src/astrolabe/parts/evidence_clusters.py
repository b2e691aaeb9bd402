"""Which questions are answered together: those whose evidence overlaps, within what a model reads at once."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

TOKENS_A_QUESTION: Final = 120
"""What a question adds to the prompt of a batch: its line and its share of the instructions."""


class Evidence(NamedTuple):
    """What one question brings to a shared prompt: its passages, and the tokens of what is said of it."""

    passages: AbstractSet[str]
    tokens: int = 0


class _Group:
    """Questions that are answered together, and what their prompt takes."""

    def __init__(self, member: int, evidence: Evidence, sizes: Mapping[str, int]) -> None:
        self.members = [member]
        self.mask = 1 << member
        self.passages = set(evidence.passages)
        self.tokens = evidence.tokens + sum(sizes[passage] for passage in evidence.passages)

    def with_one_more(self, evidence: Evidence, sizes: Mapping[str, int]) -> int:
        """Return the tokens with another question: a passage that is there already costs nothing."""
        return self.tokens + evidence.tokens + sum(sizes[passage] for passage in evidence.passages - self.passages)

    def add(self, member: int, evidence: Evidence, tokens: int) -> None:
        """Take a question in."""
        self.members.append(member)
        self.mask |= 1 << member
        self.passages |= evidence.passages
        self.tokens = tokens


def compatible(evidence: Sequence[Evidence], *, overlap: float = 0.0) -> list[int]:
    """Return for each question the others that it may be answered with, as bits by place.

    Two questions are compatible where the Jaccard similarity of their passages is above `overlap`, 0 for one shared
    passage; a question without passages is compatible with none.
    """
    places = {
        passage: place for place, passage in enumerate(dict.fromkeys(p for one in evidence for p in one.passages))
    }
    masks = [sum(1 << places[passage] for passage in one.passages) for one in evidence]
    rows = [0] * len(evidence)
    for one, mine in enumerate(masks):
        for other in range(one):
            shared = mine & masks[other]
            if shared and (not overlap or shared.bit_count() > overlap * (mine | masks[other]).bit_count()):
                rows[one] |= 1 << other
                rows[other] |= 1 << one
    return rows


def clusters(
    evidence: Sequence[Evidence],
    sizes: Mapping[str, int],
    *,
    budget: int | None,
    most: int | None = None,
    overlap: float = 0.0,
) -> list[list[int]]:
    """Return groups of questions by their places, each pairwise compatible, as few as the greedy order finds.

    The questions with most conflicts come first, ties by place; each joins the first group that it fits in, else it
    opens one (APT-RAG, section 2.4 of the method: largest-first colouring of the complement graph). A group of one is
    never refused, whatever it takes. Groups are ordered by size, the largest first, then by their first member.

    Args:
        evidence: By place.
        sizes: The tokens of every passage.
        budget: A group takes fewer tokens than this; null is without limit.
        most: The most questions of a group; null is without limit.
        overlap: See `compatible`.
    """
    friends = compatible(evidence, overlap=overlap)
    order = sorted(range(len(evidence)), key=lambda place: (friends[place].bit_count(), place))
    groups: list[_Group] = []
    for place in order:
        for group in groups:
            if group.mask & ~friends[place] or len(group.members) == most:
                continue
            tokens = group.with_one_more(evidence[place], sizes)
            if budget is None or tokens < budget:
                group.add(place, evidence[place], tokens)
                break
        else:
            groups.append(_Group(place, evidence[place], sizes))
    members = [sorted(group.members) for group in groups]
    return sorted(members, key=lambda places: (-len(places), places[0]))


def in_order(
    evidence: Sequence[Evidence],
    sizes: Mapping[str, int],
    *,
    budget: int | None,
    most: int | None = None,
    overlap: float = 0.0,  # noqa: ARG001  as `clusters` has it
) -> list[list[int]]:
    """Return groups of neighbours in their order, as many in each as `budget` and `most` allow, whatever they share."""
    groups: list[_Group] = []
    for place, one in enumerate(evidence):
        last = groups[-1] if groups else None
        tokens = last.with_one_more(one, sizes) if last else 0
        if last is not None and len(last.members) != most and (budget is None or tokens < budget):
            last.add(place, one, tokens)
        else:
            groups.append(_Group(place, one, sizes))
    return [group.members for group in groups]
