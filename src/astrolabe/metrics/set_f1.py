"""Which items of a set an answer gives, compared by their names."""

from dataclasses import dataclass
from typing import ClassVar, Final

from pydantic import JsonValue

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Question, Score
from astrolabe.core.spelling import spell
from astrolabe.parts.set_scores import cannot_score, official_scores, set_scores
from astrolabe.parts.topic_scores import unscored

_HALF: Final = 0.5
_MOST: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class SetF1:
    """F1 of an answer's items against gold items with aliases, without a model. From 0 to 1, more is better.

    Two ways of counting stand side by side. `precision`, `recall` and `f1` (the value) are corrected: the items are
    the answer's own `items`, else what a reader would take for a list in its text (points, lines, JSON, names with
    commas), compared apart from case, accents, punctuation, the writing of numbers and dates, and a bracket at the
    end; a gold item counts once. `official_precision`, `official_recall` and `official_f1` count as the scorer of
    QAMPARI does, so that published numbers can be compared with: everything between two commas is an item, and an
    answer's name counts only where the source lists it as an alias. `official_f1_50` is 1 where that F1 is at least
    0.5, `official_recall_80` where that recall is at least 0.8: their means are its two shares. An answer that names
    nothing right is a 0; one that failed, or a question without gold answers, is unscored. Sources: QAMPARI (Amouyal
    et al. 2023); the corrections are ours.
    """

    name: ClassVar[str] = "set_f1"

    @property
    def range(self) -> tuple[float, float]:
        """From nothing right to all right."""
        return (0.0, 1.0)

    async def score(self, question: Question, answer: Answer, kit: Kit) -> Score:  # noqa: ARG002 - names are compared alone
        """Compare names; asks no model."""
        if reason := cannot_score(question, answer):
            return unscored(answer, spell(self), reason)
        ours, official = set_scores(question, answer), official_scores(question, answer)
        parts: dict[str, float | None] = {
            "precision": ours.shares.precision,
            "recall": ours.shares.recall,
            "f1": ours.shares.f1,
            "official_precision": official.precision,
            "official_recall": official.recall,
            "official_f1": official.f1,
            "official_f1_50": float(official.f1 >= _HALF),
            "official_recall_80": float(official.recall >= _MOST),
        }
        return Score(
            question_id=answer.question_id,
            method=answer.method,
            scope=answer.scope,
            metric=spell(self),
            value=ours.shares.f1,
            parts=parts,
            detail={
                "items": list[JsonValue](ours.items),
                "found": list[JsonValue](ours.found),
                "missed": list[JsonValue](ours.missed),
                "wrong": list[JsonValue](ours.wrong),
            },
        )
