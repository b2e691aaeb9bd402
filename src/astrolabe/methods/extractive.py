"""No model at all: the sentences that best cover the question, the honest floor of a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple
from unicodedata import category

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Calls, Cut, Kit
from astrolabe.core.records import Answer, Claim, Hit, Question
from astrolabe.core.words import words
from astrolabe.parts.look import look_at, numbered
from astrolabe.parts.mmr import select_diverse
from astrolabe.parts.pack import no_context
from astrolabe.parts.rank import check_k
from astrolabe.parts.retrieve import Retriever, retriever_spec
from astrolabe.parts.sentences import sentence_spans

_FEWEST_WORDS = 4
_SHARE_OF_LETTERS = 0.5


class _Sentence(NamedTuple):
    text: str
    passage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extractive:
    """Sentences of the best passages, chosen by maximal marginal relevance (Carbonell, Goldstein 1998).

    Every sentence of the answer stands in a passage word for word. A method that asks a model has to
    beat this one to be worth its calls.

    Attributes:
        retriever: `dense`, `bm25` or `fused`.
        k: How many passages the sentences are taken from.
        sentences: How many sentences the answer has at most.
        diversity: 0 for the most similar sentences, 1 for the most different ones.
        size: Tokens a passage.
        overlap: Tokens that neighbouring passages share.
    """

    name: ClassVar[str] = "extractive"
    paper: ClassVar[str] = "Carbonell and Goldstein 1998 (maximal marginal relevance)"
    index_calls: ClassVar[str] = "0"
    question_calls: ClassVar[str] = "0"

    retriever: Retriever = "dense"
    k: int = 10
    sentences: int = 8
    diversity: float = 0.3
    size: int = 512
    overlap: int = 0

    def __post_init__(self) -> None:
        """Refuse what no search can do, before anything runs."""
        check_k(self.k)
        Cut(size=self.size, overlap=self.overlap)
        if self.sentences < 1 or not 0 <= self.diversity <= 1:
            msg = (
                f"extractive needs sentences >= 1 and diversity from 0 to 1, got sentences={self.sentences!r}, "
                f"diversity={self.diversity!r}; choose for example sentences=8, diversity=0.3"
            )
            raise ConfigError(msg)

    @property
    def calls(self) -> Calls:
        """None at all."""
        return Calls()

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Search, cut into sentences, choose."""
        index = await kit.open(retriever_spec(self.retriever, size=self.size, overlap=self.overlap))
        hits = await index.search(question.text, k=self.k)
        candidates = _candidates(hits, kit)
        if not candidates:
            return no_context(question, hits)
        vectors = await kit.embedder.embed([sentence.text for sentence in candidates], side="passage")
        asked = await kit.embedder.embed([question.text], side="query")
        chosen = select_diverse(vectors, asked[0], count=self.sentences, diversity=self.diversity)
        answer = _joined(question, [candidates[row] for row in chosen], hits)
        step = look_at(hits, asked=question.text, mode=self.retriever)
        return answer.model_copy(update={"trace": numbered([step])})


def _candidates(hits: Sequence[Hit], kit: Kit) -> list[_Sentence]:
    """Return the hits' distinct sentences, in the hits' order, headings and fragments left out.

    Lines of references or numbers are left out, too, unless the hits hold nothing else.
    """
    seen: dict[str, _Sentence] = {}
    for hit in hits:
        text = kit.read(hit.passage_id).text
        for start, end in sentence_spans(text):
            sentence = " ".join(text[start:end].split())
            if not sentence.startswith("#") and len(words(sentence)) >= _FEWEST_WORDS:
                seen.setdefault(sentence.casefold(), _Sentence(sentence, hit.passage_id))
    every = list(seen.values())
    return [sentence for sentence in every if _is_prose(sentence.text)] or every


def _is_prose(sentence: str) -> bool:
    """Tell a sentence from an address and from a line of a list of references or numbers."""
    return "://" not in sentence and _letters(sentence) >= _SHARE_OF_LETTERS * len(sentence)


def _letters(sentence: str) -> int:
    """Count letters, the marks on them (many scripts write vowels so) and spaces."""
    others = [character for character in sentence if not (character.isalpha() or character.isspace())]
    return len(sentence) - sum(not category(character).startswith("M") for character in others)


def _joined(question: Question, chosen: Sequence[_Sentence], hits: Sequence[Hit]) -> Answer:
    claims: list[Claim] = []
    start = 0
    for sentence in chosen:
        end = start + len(sentence.text)
        claims.append(Claim(text=sentence.text, start=start, end=end, passages=(sentence.passage,)))
        start = end + 1
    text = "\n".join(sentence.text for sentence in chosen)
    return Answer(
        question_id=question.id,
        text=text,
        claims=tuple(claims),
        contexts=tuple(hits),
        retrieved=tuple(hits),
    )
