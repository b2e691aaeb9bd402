"""The arithmetic of set answers: items against gold items with aliases, as the field counts and corrected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from astrolabe.core.records import Answer, Question
from astrolabe.parts.item_forms import item_form, item_forms
from astrolabe.parts.official_items import official_form, official_items
from astrolabe.parts.set_items import set_items

NOT_ALIASES: Final = "not_aliases"
"""Under this key of a question's `extra`: names of answers that the source does not list among their own aliases."""
NO_GOLD: Final = "no gold answers"


class Shares(NamedTuple):
    """Precision, recall and F1, each in [0, 1]."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean; 0 where both are 0."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SetScores:
    """What was found of a set.

    Attributes:
        shares: Precision, recall, F1.
        items: The answer's items, each once, in order.
        found: The first names of the gold items that were found, in their order.
        missed: Those of the others.
        wrong: The items that are no gold item.
    """

    shares: Shares
    items: tuple[str, ...]
    found: tuple[str, ...]
    missed: tuple[str, ...]
    wrong: tuple[str, ...]


def gold_items(question: Question) -> list[tuple[str, ...]]:
    """Return the question's gold items, each with its names; two that share their first name's form are one."""
    unique: dict[str, tuple[str, ...]] = {}
    for item in question.answers:
        if names := tuple(name for name in item if name.strip()):
            form = item_form(names[0])
            unique[form] = tuple(dict.fromkeys((*unique.get(form, ()), *names)))
    return list(unique.values())


def cannot_score(question: Question, answer: Answer) -> str | None:
    """Return why this answer gets no number, or null; only an answer of status `ok` to a question with gold does."""
    if answer.status != "ok":
        return f"the answer is {answer.status}: {answer.reason}"
    return None if gold_items(question) else NO_GOLD


def set_scores(question: Question, answer: Answer) -> SetScores:
    """Return the corrected scores: the answer's own `items`, else those of its text, against the gold items.

    Items are compared by `item_forms`. An item means at most one gold item and a gold item counts once, so the pairs
    are those that find most; precision is over distinct items, recall over distinct gold items.
    """
    gold = gold_items(question)
    known = [name for names in gold for name in names]
    items = set_items(answer.text, known) if not answer.items else _once(answer.items)
    forms = [{item_forms(name) for name in names} for names in gold]
    means = {
        place: [at for at, names in enumerate(forms) if any(_same(said, name) for name in names)]
        for place, said in enumerate(map(item_forms, items))
    }
    of_gold = _pairs(means)
    shares = Shares(len(of_gold) / len(items) if items else 0.0, len(of_gold) / len(gold))
    right = set(of_gold.values())
    return SetScores(
        shares=shares,
        items=tuple(items),
        found=tuple(names[0] for place, names in enumerate(gold) if place in of_gold),
        missed=tuple(names[0] for place, names in enumerate(gold) if place not in of_gold),
        wrong=tuple(item for place, item in enumerate(items) if place not in right),
    )


def official_scores(question: Question, answer: Answer) -> Shares:
    """Return the scores as the official scorer of QAMPARI counts, from the answer's text alone.

    An item hits the gold item that has an alias of its form; where two gold items list one alias, it is the later
    one's. Precision is over the text's distinct pieces, recall over the gold entries, repeated ones counted again. The
    name of an answer is no alias where its source does not list it (`extra["not_aliases"]`).
    """
    unlisted = question.extra.get(NOT_ALIASES)
    left_out = [name for name in unlisted if isinstance(name, str)] if isinstance(unlisted, list) else []
    gold = [item for item in question.answers if any(name.strip() for name in item)]
    entries = {item[0]: item[1:] if item[0] in left_out else item for item in gold}
    owner = {alias: name for name, aliases in entries.items() for alias in aliases}
    owners: dict[str, str] = {}
    for alias, name in owner.items():
        owners.setdefault(official_form(alias), name)
    pieces = official_items(answer.text)
    hit = {owners[form] for form in map(official_form, pieces) if form in owners}
    return Shares(len(hit) / len(pieces) if pieces else 0.0, len(hit) / len(gold) if gold else 0.0)


def _once(items: Sequence[str]) -> list[str]:
    unique: dict[str, str] = {}
    for item in items:
        if item.strip():
            unique.setdefault(item_form(item), item.strip())
    return list(unique.values())


def _same(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return one[0] in other or other[0] in one


def _pairs(means: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return the item of each gold item that is found, so that as many as possible are (augmenting paths)."""
    of_gold: dict[int, int] = {}

    def place(item: int, seen: set[int]) -> bool:
        """Find a gold item for an item, moving others on."""
        for gold in means[item]:
            if gold not in seen:
                seen.add(gold)
                if gold not in of_gold or place(of_gold[gold], seen):
                    of_gold[gold] = item
                    return True
        return False

    for item in means:
        place(item, set())
    return of_gold
