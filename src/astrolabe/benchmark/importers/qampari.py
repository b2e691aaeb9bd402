"""QAMPARI: questions with many answers, each with aliases and proofs from Wikipedia."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pydantic import AliasChoices, Field, JsonValue

from astrolabe.benchmark.gold_rules import fault
from astrolabe.benchmark.imported import ForeignRecord, Imported, part_of, placed, read_shape
from astrolabe.benchmark.pools import Paragraph, Posed, paragraph_text, pooled
from astrolabe.benchmark.set_answers import no_answers
from astrolabe.core.errors import Problem
from astrolabe.core.ids import document_id
from astrolabe.core.records import Extra
from astrolabe.core.text import Text
from astrolabe.parts.page_names import page_name

_NAME: Final = "questions.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proof:
    """A stretch of a page that an answer rests on (`is_gold`), or that a question comes with.

    `is_passage` where it is a passage of a corpus, a document of its own, not a quotation from a page.
    """

    page: str
    text: str
    is_gold: bool = True
    is_passage: bool = False

    @property
    def shared(self) -> str:
        """The name of the page whose document it is part of; empty where it is one of its own."""
        return "" if self.is_passage else page_name(self.page)


class _Named(ForeignRecord):
    def names(self) -> list[str]:
        """Return the answer's names, the first the one that it goes by."""
        raise NotImplementedError

    def unlisted(self) -> list[str]:
        """Return the name that it goes by, where the source does not list it among its aliases."""
        return []


class _OfficialProof(ForeignRecord):
    proof_text: Text
    found_in_url: Text = ""


class _OfficialAnswer(_Named):
    answer_text: Text = Field(min_length=1)
    aliases: tuple[Text, ...]
    proof: tuple[_OfficialProof, ...] = ()

    def names(self) -> list[str]:
        return list(dict.fromkeys((self.answer_text, *self.aliases)))

    def unlisted(self) -> list[str]:
        return [] if self.answer_text in self.aliases else [self.answer_text]


class _ExampleProof(ForeignRecord):
    page: Text
    text: Text


class _ExampleAnswer(_Named):
    answer: Text = Field(min_length=1)
    proofs: tuple[_ExampleProof, ...] = ()
    cited_docs: tuple[int, ...] = ()

    def names(self) -> list[str]:
        return [self.answer]


class _GivenDocument(ForeignRecord):
    n: int
    title: Text
    text: Text


class _GoldDocument(ForeignRecord):
    title: Text
    text: Text = Field(validation_alias=AliasChoices("text", "content"))


class _Row(ForeignRecord):
    """What a question of any shape answers about itself."""

    def posed(self) -> tuple[str, str]:
        """Return its id and its text."""
        raise NotImplementedError

    def answers_given(self) -> Sequence[_Named]:
        """Return its answers."""
        raise NotImplementedError

    def proofs(self) -> Iterator[_Proof]:
        """Yield its proofs."""
        raise NotImplementedError

    def aligned(self) -> list[JsonValue]:
        """Return the passages of a corpus that its proofs were aligned to."""
        return []


class _OfficialRow(_Row):
    qid: Text = Field(min_length=1)
    question_text: Text = Field(min_length=1)
    answer_list: tuple[_OfficialAnswer, ...]

    def posed(self) -> tuple[str, str]:
        return self.qid, self.question_text

    def answers_given(self) -> Sequence[_Named]:
        return self.answer_list

    def proofs(self) -> Iterator[_Proof]:
        """Yield the proofs of each answer, then the documents, gold where an answer cites them."""
        for answer in self.answer_list:
            yield from (_Proof(page=one.found_in_url, text=one.proof_text) for one in answer.proof)


class _PreparedRow(_Row):
    ex_num: int
    question: Text = Field(min_length=1)
    validated_answer: tuple[_OfficialAnswer, ...]
    gold_doc: tuple[_GoldDocument, ...] = ()

    def posed(self) -> tuple[str, str]:
        return f"qampari-{self.ex_num}", self.question

    def answers_given(self) -> Sequence[_Named]:
        return self.validated_answer

    def proofs(self) -> Iterator[_Proof]:
        """Yield the gold documents, or without any the proofs of each answer."""
        if self.gold_doc:
            yield from (_Proof(page=one.title, text=one.text, is_passage=True) for one in self.gold_doc)
            return
        for answer in self.validated_answer:
            yield from (_Proof(page=one.found_in_url, text=one.proof_text) for one in answer.proof)

    def aligned(self) -> list[JsonValue]:
        return [{"title": one.title, "text": one.text} for one in self.gold_doc]


class _ExampleRow(_Row):
    id: Text = Field(min_length=1)
    question: Text = Field(min_length=1)
    answers: tuple[_ExampleAnswer, ...]
    docs: tuple[_GivenDocument, ...] = ()

    def posed(self) -> tuple[str, str]:
        return self.id, self.question

    def answers_given(self) -> Sequence[_Named]:
        return self.answers

    def proofs(self) -> Iterator[_Proof]:
        """Yield the proofs of each answer, then the documents, gold where an answer cites them."""
        for answer in self.answers:
            yield from (_Proof(page=one.page, text=one.text) for one in answer.proofs)
        cited = {number for answer in self.answers for number in answer.cited_docs}
        for one in self.docs:
            yield _Proof(page=one.title, text=one.text, is_gold=one.n in cited, is_passage=True)


_SHAPES: Final[Mapping[str, type[_Row]]] = {
    "answer_list": _OfficialRow,
    "validated_answer": _PreparedRow,
    "answers": _ExampleRow,
}


def import_qampari(path: Path) -> Imported:
    """Read questions with their answers, aliases and proofs.

    Three shapes: the published one (`qid`, `question_text`, `answer_list`), one prepared for retrieval (`ex_num`,
    `question`, `validated_answer`, `gold_doc`), and examples (`id`, `question`, `answers` with `proofs` or `cited_docs`
    of `docs`). An item's names are the answer and its aliases; an answer that is not among its own aliases is named in
    `extra` under `not_aliases`, for the official count. Proofs of one page become one document, `docs` and `gold_doc`
    one each; the gold ones are the question's evidence, in a pool of all (`simple` the question's gold ones, `hard`
    those of all questions). Their pages are in `extra` under `gold_pages`, so that they are found by title in
    any other corpus, too, and `gold_doc` under `gold_passages`. A proof that names no page is a document of its own; a
    warning says how many there are.

    Args:
        path: The file (JSON lines or one JSON list), or a folder that holds it as `questions.jsonl`.

    Raises:
        FileError: The file is missing or is in none of the shapes, or a record lacks a field.
    """
    file = part_of(path, _NAME) if path.is_dir() else path
    numbered = read_shape(file, _SHAPES)
    pages = _pages([row for _, row in numbered])
    posed: list[Posed] = []
    problems: list[Problem] = list(_nameless([row for _, row in numbered]))
    for line, row in numbered:
        if any(map(_names, row.answers_given())):
            posed.append(_posed(line, row, pages))
        problems += [replace(problem, line=line) for problem in _faults(row)]
    imported = pooled(posed, "qampari")
    ordered = sorted([*problems, *imported.problems], key=lambda problem: problem.line)
    return replace(imported, problems=tuple(placed(file, ordered)))


def _pages(rows: Sequence[_Row]) -> dict[str, list[str]]:
    """Return the texts of each page that proofs name, each text once, in order."""
    pages: dict[str, dict[str, None]] = {}
    for row in rows:
        for proof in row.proofs():
            if name := proof.shared:
                pages.setdefault(name, {})[proof.text] = None
    return {name: list(texts) for name, texts in pages.items()}


def _posed(line: int, row: _Row, pages: Mapping[str, Sequence[str]]) -> Posed:
    question, text = row.posed()
    proofs = [proof for proof in row.proofs() if proof.text.strip()]
    extra: Extra = {
        **(row.model_extra or {}),
        "not_aliases": [name for answer in row.answers_given() for name in answer.unlisted()],
        "gold_pages": list[JsonValue](_gold_pages(proofs)),
        "gold_passages": row.aligned(),
    }
    return Posed(
        line=line,
        id=question,
        text=text.strip(),
        answers=tuple(names for answer in row.answers_given() if (names := _names(answer))),
        paragraphs=list(_paragraphs(proofs, pages)),
        extra={key: value for key, value in extra.items() if value != []},
    )


def _gold_pages(proofs: Sequence[_Proof]) -> list[Extra]:
    """Return each page that a proof is from; a proof without one is a page by its document's id."""
    pages: dict[str, Extra] = {}
    for proof in proofs:
        if proof.is_gold:
            nameless: Extra = {"document": document_id(paragraph_text("", proof.text))}
            named: Extra = {"title": _title(proof.page), **_address(proof.page)}
            pages.setdefault(page_name(proof.page) or f"\0{proof.text}", named if page_name(proof.page) else nameless)
    return list(pages.values())


def _paragraphs(proofs: Sequence[_Proof], pages: Mapping[str, Sequence[str]]) -> Iterator[Paragraph]:
    seen: set[str] = set()
    for proof in proofs:
        if proof.shared in seen:
            continue
        if proof.shared:
            seen.add(proof.shared)
        text = "\n\n".join(one.strip() for one in pages[proof.shared]) if proof.shared else proof.text
        yield Paragraph(title=_title(proof.page), text=text, is_gold=proof.is_gold, extra=_address(proof.page))


def _title(page: str) -> str:
    """Return a page's title for people: that of an address is what follows `/wiki/`, as `page_name` has it."""
    return page_name(page) if _address(page) else page.strip()


def _address(page: str) -> Extra:
    return {"url": page} if "://" in page else {}


def _names(answer: _Named) -> tuple[str, ...]:
    return tuple(name.strip() for name in answer.names() if name.strip())


def _faults(row: _Row) -> Iterator[Problem]:
    names = Counter(_names(answer)[0] for answer in row.answers_given() if _names(answer))
    if not names:
        yield no_answers("answers", row.posed()[0])
    for name in (name for name, times in names.items() if times > 1):
        yield _doubt(
            "answers", name, f"stands {names[name]} times; counted once, by the official count again each time"
        )
    if not any(proof.is_gold for proof in row.proofs()):
        yield _doubt("proof", row.posed()[0], "no answer has a proof: there is no evidence to compare with")


def _nameless(rows: Sequence[_Row]) -> Iterator[Problem]:
    nameless = sum(not page_name(proof.page) for row in rows for proof in row.proofs())
    if nameless:
        yield _doubt("page", f"{nameless} proofs", "name no page; each is a document of its own, found by its id alone")


def _doubt(name: str, value: str, problem: str) -> Problem:
    return fault(name, value, problem, "Correct the record if you need it", severity="warning")
