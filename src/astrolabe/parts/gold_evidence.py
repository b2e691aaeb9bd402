"""A question's gold evidence at three levels, and how much of it some passages are: pages, passages, places."""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from pydantic import JsonValue

from astrolabe.core.protocols import Kit
from astrolabe.core.records import Document, Passage, PassageKind, Question
from astrolabe.parts.page_names import names_of, own_name, page_name, page_names

N = TypeVar("N", bound=Hashable)
F = TypeVar("F", bound=Hashable)
PAGES: Final = "gold_pages"
"""Under this key of a question's `extra`: its gold pages, `{title, url, aliases, document}` each or a bare title."""
PASSAGES: Final = "gold_passages"
"""Likewise its gold passages, `{title, text}` each."""
PLACES: Final = "gold_places"
"""Likewise its gold places, `{page, section, kind}` each; `kind` is sentence, list, table, infobox or null."""
_FIGURES: Final = ("recall", "precision", "f1", "hit")
_KINDS: Final[Mapping[str, Collection[PassageKind]]] = {
    "sentence": ("text",),
    "list": ("list",),
    "table": ("table",),
    "infobox": ("table", "list", "text"),
}
_LEAD: Final = frozenset({"", "lead", "lead section", "introduction"})
_HEADINGS: Final = re.compile(r"\A\s*(?:#{1,6}[ \t][^\n]*(?:\n\s*|\Z))+")


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page that a question needs: the label it is told by, the names and the document ids it is known by."""

    label: str
    names: frozenset[str]
    documents: frozenset[str]

    def is_page(self, document: Document) -> bool:
        """Return whether the document is this page."""
        return document.id in self.documents or not self.names.isdisjoint(names_of(document))


class Level(NamedTuple):
    """How much of the gold of one level was found, and how much of what was found is gold.

    Attributes:
        gold: How many gold items there are, at least 1.
        found: How many of them were found.
        retrieved: How many different items were found, gold or not.
        relevant: How many of these are gold.
    """

    gold: int
    found: int
    retrieved: int
    relevant: int

    def parts(self) -> tuple[float, float, float, float]:
        """Return recall, precision, F1 and hit: 1 where any was found."""
        recall = self.found / self.gold
        precision = self.relevant / self.retrieved if self.retrieved else 0.0
        both = recall + precision
        return recall, precision, 2 * recall * precision / both if both else 0.0, float(self.found > 0)


def level_parts(name: str, level: Level | None) -> dict[str, float | None]:
    """Return a level's figures as parts of a score, named after the level; null where there is none."""
    figures = level.parts() if level else (None,) * 4
    return {f"{name}_{figure}": value for figure, value in zip(_FIGURES, figures, strict=True)}


def gold_pages(question: Question, spans: Collection[str]) -> list[GoldPage]:
    """Return the pages that a question needs, each once.

    Those that its `extra` names where it does (they are found in any corpus), else its evidence documents, else the
    documents of its topics' spans, given as `spans`.
    """
    pages = {page.names or page.documents: page for page in map(_page, _members(question, PAGES))}
    if found := [page for key, page in pages.items() if key]:
        return found
    documents = question.evidence or tuple(sorted(spans))
    return [GoldPage(one, frozenset(), frozenset({one})) for one in dict.fromkeys(documents)]


def named_pages(questions: Iterable[Question]) -> list[GoldPage]:
    """Return the gold pages that questions name by title or address, each once; ids of documents name none.

    Of a question that names no pages, those of its gold places and passages.
    """
    found: dict[frozenset[str], GoldPage] = {}
    for question in questions:
        places = [{"title": one.get("page")} for one in _members(question, PLACES)]
        named = [page for page in map(_page, _members(question, PAGES)) if page.names]
        for page in named or map(_page, [*places, *_members(question, PASSAGES)]):
            if page.names:
                found.setdefault(page.names, page)
    return list(found.values())


def page_level(pages: Sequence[GoldPage], documents: Sequence[Document]) -> Level:
    """Return how many of the gold pages the documents are; documents of one page count once."""
    by_name = any(page.names for page in pages)
    named = {document.id: own_name(document) if by_name else document.id for document in documents}
    relevant = {named[one.id] for one in documents if any(page.is_page(one) for page in pages)}
    found = sum(any(page.is_page(one) for one in documents) for page in pages)
    return Level(gold=len(pages), found=found, retrieved=len(set(named.values())), relevant=len(relevant))


def passage_level(question: Question, passages: Sequence[Passage], kit: Kit) -> Level | None:
    """Return how many gold passages were found to the letter; null where the question names none.

    A passage is the gold one where the names of both pages and their texts are equal, apart from white space and from
    headings that stand above the text.
    """
    gold = dict.fromkeys(
        (page_name(text), _plain(body))
        for text, body in ((one.get("title"), one.get("text")) for one in _members(question, PASSAGES))
        if isinstance(text, str) and isinstance(body, str)
    )
    items = [(names_of(kit.document(one.document_id)), _plain(one.text)) for one in passages]
    return _level(list(gold), items, _is_same_passage)


def place_level(question: Question, passages: Sequence[Passage], kit: Kit) -> Level | None:
    """Return how many gold places (page, section, kind) were found; null where the question names none.

    A section counts where it is any heading above the passage; the lead section, or none, leaves page and kind. An
    infobox may be a table, a list or text, for corpora write it so.
    """
    gold = dict.fromkeys(filter(None, map(_place, _members(question, PLACES))))
    items = [_passage_place(one, kit.document(one.document_id)) for one in passages]
    return _level(list(gold), items, _is_there)


class _Place(NamedTuple):
    page: str
    section: str
    kind: str | None


class _PassagePlace(NamedTuple):
    names: frozenset[str]
    sections: tuple[str, ...]
    kind: PassageKind


def _level(gold: Sequence[N], items: Sequence[F], is_same: Callable[[N, F], bool]) -> Level | None:
    if not gold:
        return None
    different = list(dict.fromkeys(items))
    return Level(
        gold=len(gold),
        found=sum(any(is_same(needed, item) for item in different) for needed in gold),
        retrieved=len(different),
        relevant=sum(any(is_same(needed, item) for needed in gold) for item in different),
    )


def _is_same_passage(needed: tuple[str, str], item: tuple[frozenset[str], str]) -> bool:
    return needed[0] in item[0] and needed[1] == item[1]


def _is_there(needed: _Place, place: _PassagePlace) -> bool:
    section = needed.section in _LEAD or needed.section == needed.page or needed.section in place.sections
    kind = needed.kind is None or place.kind in _KINDS.get(needed.kind, (needed.kind,))
    return needed.page in place.names and section and kind


def _passage_place(passage: Passage, document: Document) -> _PassagePlace:
    return _PassagePlace(names_of(document), tuple(map(page_name, passage.section)), passage.kind)


def _place(given: Mapping[str, JsonValue]) -> _Place | None:
    page, section, kind = given.get("page"), given.get("section"), given.get("kind")
    if not isinstance(page, str) or not page_name(page):
        return None
    return _Place(
        page=page_name(page),
        section=page_name(section) if isinstance(section, str) else "",
        kind=kind.strip().casefold() if isinstance(kind, str) and kind.strip() else None,
    )


def _page(given: Mapping[str, JsonValue]) -> GoldPage:
    names, document = page_names(given), given.get("document")
    documents = frozenset({document} if isinstance(document, str) else ())
    label = given.get("title") or given.get("url") or document
    return GoldPage(str(label), names, documents)


def _members(question: Question, key: str) -> list[Mapping[str, JsonValue]]:
    given = question.extra.get(key)
    members = given if isinstance(given, list) else []
    return [{"title": one} if isinstance(one, str) else one for one in members if isinstance(one, str | dict)]


def _plain(text: str) -> str:
    return " ".join(_HEADINGS.sub("", text).split())
