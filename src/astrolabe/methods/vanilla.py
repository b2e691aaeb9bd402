"""Retrieve the best passages, write one answer from them: the baseline of every comparison."""

from dataclasses import dataclass
from typing import ClassVar

from astrolabe.core.protocols import Calls, Cut, Kit
from astrolabe.core.records import Answer, Question
from astrolabe.parts.look import look_at
from astrolabe.parts.rank import check_k
from astrolabe.parts.retrieve import Retriever, retriever_spec
from astrolabe.parts.write import write_answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Vanilla:
    """The `k` best passages of a scope, in score order, and one call.

    Defaults are the paper's: passages of 512 tokens and the ten nearest by dense search (ASTRA-QA,
    experimental setup); it states no overlap, so there is none.

    Attributes:
        retriever: `dense`, `bm25` or `fused` (reciprocal rank fusion of both).
        k: How many passages, at least 1.
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
    """

    name: ClassVar[str] = "vanilla"
    paper: ClassVar[str] = "Lewis et al. 2020; run as in ASTRA-QA"
    index_calls: ClassVar[str] = "0"
    question_calls: ClassVar[str] = "1"

    retriever: Retriever = "dense"
    k: int = 10
    size: int = 512
    overlap: int = 0

    def __post_init__(self) -> None:
        """Refuse what no search can do, before anything runs."""
        check_k(self.k)
        Cut(size=self.size, overlap=self.overlap)

    @property
    def calls(self) -> Calls:
        """One a question."""
        return Calls(question_low=1, question_high=1)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Search once, ask once."""
        index = await kit.open(retriever_spec(self.retriever, size=self.size, overlap=self.overlap))
        hits = await index.search(question.text, k=self.k)
        step = look_at(hits, asked=question.text, mode=self.retriever)
        return await write_answer(question, hits, kit, trace=[step])
