"""No retrieval: what the model says from memory alone."""

from dataclasses import dataclass
from typing import ClassVar

from astrolabe.core.protocols import Calls, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.parts.write import write_alone


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMOnly:
    """The model answers from what it knows, without any document.

    A method that does not beat this one adds nothing by retrieving. One call a question.
    """

    name: ClassVar[str] = "llm_only"
    paper: ClassVar[str] = "the no-retrieval control of APT-RAG and many others"
    index_calls: ClassVar[str] = "0"
    question_calls: ClassVar[str] = "1"

    @property
    def calls(self) -> Calls:
        """One a question."""
        return Calls(question_low=1, question_high=1)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Ask once."""
        return await write_alone(question, kit)
