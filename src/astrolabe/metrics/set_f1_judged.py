"""Which items of a set an answer gives, by a judge."""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Question, Score
from astrolabe.core.spelling import spell
from astrolabe.parts.judged_set import judged_set
from astrolabe.parts.judged_topics import stands_in
from astrolabe.parts.set_scores import cannot_score
from astrolabe.parts.topic_scores import unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class SetF1Judged:
    """F1 of an answer's items against gold items, by a judge. From 0 to 1, more is better.

    One call an answer. Several gold items: the judge lists the answer's distinct items, right or wrong, each with the
    id of the gold item that it means. `precision` is the share of distinct gold items found among the answer's items,
    `recall` among the gold items, `f1` (the value) their harmonic mean. A single gold item: the judge says whether the
    answer's result means it, 1 or 0 for all three; where it is a number g and the answer's is p, they are
    1 - |g - p| / max(|g|, |p|), except for a year that the question asks for. The same quantities as MoNaCo's judge
    (Wolfson et al. 2025), but counted from ids, not from marked lines of prose: a gold item counts once, nothing
    leaves [0, 1], and a reply that cannot be read, even when asked again, is unscored with its reason, never a 0. An
    item that the answer does not hold is named in the detail under `item_not_in_answer`; it changes no figure.
    """

    name: ClassVar[str] = "set_f1_judged"

    @property
    def range(self) -> tuple[float, float]:
        """From nothing right to all right."""
        return (0.0, 1.0)

    async def score(self, question: Question, answer: Answer, kit: Kit) -> Score:
        """Ask the judge once.

        Raises:
            ModelError: The judge gave no usable reply.
            ConfigError: There is no judge.
        """
        if reason := cannot_score(question, answer):
            return unscored(answer, spell(self), reason)
        judged = await judged_set(question, answer.text, kit.llm)
        return Score(
            question_id=answer.question_id,
            method=answer.method,
            scope=answer.scope,
            metric=spell(self),
            value=judged.shares.f1,
            parts={
                "precision": judged.shares.precision,
                "recall": judged.shares.recall,
                "f1": judged.shares.f1,
            },
            detail={
                "items": list[JsonValue](judged.items),
                "found": list[JsonValue](judged.found),
                "missed": list[JsonValue](judged.missed),
                "item_not_in_answer": [item for item in judged.items if not stands_in(item, answer.text)],
            },
            judge=kit.llm.id,
        )
