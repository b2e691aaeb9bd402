"""Which topics an answer covers, by a judge."""

from dataclasses import dataclass
from typing import ClassVar

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Answer, Question, Score
from astrolabe.core.spelling import spell
from astrolabe.parts.judged_topics import judged_topics, stretch_notes
from astrolabe.parts.topic_scores import cannot_score, gold_topics, scored, unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """T-F1 by a judge: are the expected topics there, and only they? From 0 to 1, more is better.

    One call an answer. The judge lists the answer's topics, each with the id of the reference that it means, if any,
    and the stretch of the answer that it rests on; it cannot tell expected from unsupported references. Parts:
    `t_prec`, `t_rec`, `t_f1`, `h_topic`, `h_resp`. Source: the definitions of ASTRA-QA, with matches by id. A stretch
    that the answer does not hold is named in the detail under `stretch_not_in_answer`; it changes no figure.
    """

    name: ClassVar[str] = "topics"

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
        gold = gold_topics(question)
        found = await judged_topics(question, answer.text, gold, kit.llm)
        return scored(answer, spell(self), found, gold, judge=kit.llm.id, more=stretch_notes(found, answer.text))
