"""What a reasoning tree asks: whether to split, whether it can answer, what to search for, and the answers."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, Field, StrictBool

from astrolabe.core.errors import ModelError
from astrolabe.core.protocols import Kit
from astrolabe.parts.tree_node import MARK, NUMBER, Node, Pair, renumbered
from astrolabe.prompts import render

R = TypeVar("R", bound="BaseModel | str")

_LABEL: Final = re.compile(r"^\s*(?:\d+[.)]|<?Q\d+>?\s*[:.])\s+")
_PLAN_TOKENS: Final = 4_000
_SHORT_TOKENS: Final = 500
_QUERY_TOKENS: Final = 100
_TOKENS_A_QUESTION: Final = 80
_Line = Annotated[str, Field(max_length=2_000)]


class Decomposition(BaseModel, frozen=True):
    """Whether a question is taken apart, and into what."""

    reason: Annotated[str, Field(max_length=1_000)] = ""
    questions: Annotated[tuple[_Line, ...], Field(max_length=200)]


class Answerable(BaseModel, frozen=True):
    """Whether answers that are there are enough."""

    missing: Annotated[tuple[_Line, ...], Field(max_length=40)] = ()
    answerable: StrictBool


class Contextualized(BaseModel, frozen=True):
    """A question that stands alone."""

    items: Annotated[tuple[_Line, ...], Field(max_length=400)] = ()
    question: Annotated[str, Field(min_length=1, max_length=20_000)]


class Query(BaseModel, frozen=True):
    """A search query for the question of an id."""

    id: Annotated[str, Field(max_length=40)]
    query: Annotated[str, Field(max_length=500)]


class Queries(BaseModel, frozen=True):
    """A search query for each of several questions."""

    queries: Annotated[tuple[Query, ...], Field(max_length=200)]


class NodeAnswer(BaseModel, frozen=True):
    """The answer to the question of an id."""

    id: Annotated[str, Field(max_length=40)]
    answer: Annotated[str, Field(max_length=8_000)]


class NodeAnswers(BaseModel, frozen=True):
    """The answers to several questions."""

    answers: Annotated[tuple[NodeAnswer, ...], Field(max_length=200)]


async def decompose(question: str, kit: Kit, *, parts: int = 0, prompt: str = "decompose.v1") -> tuple[str, ...]:
    """Return the parts that a question is taken apart into, each once and without a label; none if it stays whole.

    A plan of one part is no plan: the question stays whole. Marks name the parts by the places that they have in the
    end, also where a part stood twice or was empty.

    Args:
        question: The question.
        kit: The model.
        parts: How many parts to make; 0 for as many as the question needs.
        prompt: What is asked: one with the holes `question` and `breadth`.

    Raises:
        ModelError: The model gave no usable plan.
    """
    breadth = f"Make exactly {parts} parts." if parts else "Make as many parts as the question needs, at least two."
    holes = {"question": question, "breadth": breadth}
    plan = await _asked(prompt, kit, stage="answer.plan", reply=Decomposition, max_tokens=_PLAN_TOKENS, holes=holes)
    texts = [_LABEL.sub("", " ".join(part.split())) for part in plan.questions]
    once = {text: place for place, text in enumerate(dict.fromkeys(filter(None, texts)), 1)}
    now = {f"Q{place}": once.get(text, 0) for place, text in enumerate(texts, 1)}
    return tuple(renumbered(text, now) for text in once) if len(once) > 1 else ()


async def is_answerable(question: str, pairs: Sequence[Pair], kit: Kit) -> bool:
    """Tell whether pairs are enough to answer a question.

    Raises:
        ModelError: The model did not say; search, then.
    """
    holes = {"question": question, "pairs": written(pairs)}
    return (
        await _asked(
            "answerable.v1", kit, stage="answer.check", reply=Answerable, max_tokens=_SHORT_TOKENS, holes=holes
        )
    ).answerable


async def contextualize(question: str, pairs: Mapping[int, Pair], kit: Kit) -> str:
    """Return the question with its marks replaced by the answers that they stand for.

    A mark that the model left in, or a reply that cannot be used, has the answer put in its place as it stands.
    """
    holes = {"question": question, "pairs": written(list(pairs.values()), list(pairs))}
    try:
        said = (
            await _asked(
                "contextualize.v1",
                kit,
                stage="answer.context",
                reply=Contextualized,
                max_tokens=_PLAN_TOKENS,
                holes=holes,
            )
        ).question.strip()
    except ModelError:
        said = question
    return filled(said, pairs)


def filled(question: str, pairs: Mapping[int, Pair]) -> str:
    """Return the question with the answers of pairs in the place of its marks; marks of no pair stay.

    Examples:
        >>> filled("Who built <Q1>?", {1: Pair("What stands there?", "the old lighthouse")})
        'Who built the old lighthouse?'
    """
    return MARK.sub(lambda mark: _answers_of(mark, pairs), question)


def _answers_of(mark: re.Match[str], pairs: Mapping[int, Pair]) -> str:
    known = [pairs[number] for text in NUMBER.findall(mark[1]) if (number := int(text)) in pairs]
    return ", ".join(pair.answer or "(unknown)" for pair in known) or mark[0]


async def query_for(question: str, kit: Kit) -> str:
    """Return a search query for a question: the question itself where the model has none."""
    try:
        said = await _asked(
            "query.v1", kit, stage="answer.query", reply=str, max_tokens=_QUERY_TOKENS, holes={"question": question}
        )
    except ModelError:
        return question
    return said.strip().splitlines()[0].removeprefix("Query:").strip() or question


async def queries_for(nodes: Sequence[Node], kit: Kit) -> dict[str, str]:
    """Return search queries by the nodes' ids, one call for all.

    What is missing, empty or named by no id of theirs is left out. The ids are ours and must come back: a model that
    counts anew cannot swap siblings.
    """
    ids = {f"N{node.id}": node.id for node in nodes}
    holes = {"questions": "\n".join(f"{name}: {node.question}" for name, node in zip(ids, nodes, strict=True))}
    try:
        said = await _asked(
            "queries.v1",
            kit,
            stage="answer.query",
            reply=Queries,
            max_tokens=_TOKENS_A_QUESTION * len(nodes) + 200,
            holes=holes,
        )
    except ModelError:
        return {}
    return {ids[one.id]: query for one in said.queries if one.id in ids and (query := " ".join(one.query.split()))}


async def answer_from(name: str, stage: str, question: str, kit: Kit, *, shown: str) -> str:
    """Return a node's answer from passages or from pairs, whichever the prompt is for.

    Raises:
        ModelError: The model gave no usable answer.
    """
    return await _asked(
        name, kit, stage=stage, reply=str, max_tokens=kit.answer_tokens, holes={"question": question, "context": shown}
    )


async def answer_together(nodes: Sequence[Node], kit: Kit) -> dict[str, str]:
    """Return the answers of nodes with overlapping evidence by their ids, one call for all.

    What is missing, empty or named by no id of theirs is left out; a reply that cannot be used has none.
    """
    passages = list(dict.fromkeys(hit.passage_id for node in nodes for hit in node.shown))
    numbers = {passage: f"D{number}" for number, passage in enumerate(passages, 1)}
    ids = {f"N{node.id}": node for node in nodes}
    lines = [
        f"{name} [{', '.join(numbers[hit.passage_id] for hit in node.shown)}] {node.question}"
        for name, node in ids.items()
    ]
    context = "\n\n".join(f"{numbers[passage]}:\n{kit.read(passage).text.strip()}" for passage in passages)
    holes = {"questions": "\n".join(lines), "context": context}
    tokens = kit.answer_tokens * len(nodes)
    try:
        said = await _asked(
            "answer_together.v1", kit, stage="answer.node", reply=NodeAnswers, max_tokens=tokens, holes=holes
        )
    except ModelError:
        return {}
    return {ids[one.id].id: one.answer.strip() for one in said.answers if one.id in ids and one.answer.strip()}


def written(pairs: Sequence[Pair], numbers: Sequence[int] = ()) -> str:
    """Return pairs as a prompt shows them, numbered from 1 or as said."""
    shown = zip(numbers or range(1, len(pairs) + 1), pairs, strict=True)
    return "\n\n".join(
        f"Q{number}: {pair.question}\nA{number}: {pair.answer or f'(no answer: {pair.why})'}" for number, pair in shown
    )


async def _asked(name: str, kit: Kit, *, stage: str, reply: type[R], max_tokens: int, holes: Mapping[str, str]) -> R:
    return (await kit.llm.ask(render(name, stage=stage, reply=reply, max_tokens=max_tokens, holes=holes))).value
