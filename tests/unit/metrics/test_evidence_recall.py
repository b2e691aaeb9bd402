import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from astrolabe.benchmark.importers.qampari import import_qampari
from astrolabe.core.protocols import Cut
from astrolabe.core.records import Document, Passage, PassageKind, Question, Span, Step, Topic
from astrolabe.corpus import cut_document
from astrolabe.documents import read_documents
from astrolabe.metrics.evidence_recall import EvidenceRecall
from tests.scoring_kit import ScoringKit, answered, bare_document, hits, passages_of

TEXTS = {"d-1": "0123456789" * 2, "d-2": "abcdefghij" * 2, "d-3": "x" * 20}
PASSAGES = passages_of(TEXTS, size=10)
KIT = ScoringKit(held=PASSAGES)


def asked(*places: tuple[str, int, int], evidence: tuple[str, ...] = ()) -> Question:
    spans = tuple(
        Span(document_id=document, start=start, end=end, quote=TEXTS[document][start:end])
        for document, start, end in places
    )
    return Question(id="q", text="?", topics=(Topic(id="A1", text="a", evidence=spans),), evidence=evidence)


async def test_pages_passages_and_characters_are_counted_apart() -> None:
    question = asked(("d-1", 0, 10), ("d-1", 6, 16), ("d-2", 0, 20))
    answer = answered("Text.", contexts=[PASSAGES[0]], retrieved=[PASSAGES[0], PASSAGES[2], PASSAGES[3]])

    score = await EvidenceRecall().score(question, answer, KIT)

    assert score.value == 0.5
    assert {name: value for name, value in score.parts.items() if value is not None} == pytest.approx(
        {
            "pages": 0.5,
            "passages": 1 / 3,
            "characters": 14 / 40,
            "pages_retrieved": 1.0,
            "passages_retrieved": 2 / 3,
            "characters_retrieved": 34 / 40,
            "page_recall": 1.0,
            "page_precision": 1.0,
            "page_f1": 1.0,
            "page_hit": 1.0,
            "documents_retrieved": 2.0,
            "passages_retrieved_distinct": 3.0,
            "hits_retrieved": 3.0,
        }
    )
    assert score.detail["missing"] == ["d-2"]


async def test_the_questions_own_evidence_documents_come_first() -> None:
    score = await EvidenceRecall().score(asked(evidence=("d-1", "d-3")), answered("T.", contexts=[PASSAGES[0]]), KIT)

    assert score.value == 0.5
    assert score.parts["passages"] is None


async def test_the_same_passage_twice_counts_once() -> None:
    question = asked(("d-1", 0, 20))
    answer = answered("Text.", contexts=[PASSAGES[0], PASSAGES[0]])

    assert (await EvidenceRecall().score(question, answer, KIT)).parts["characters"] == 0.5


async def test_without_gold_or_without_passages_there_is_no_number() -> None:
    without_gold = await EvidenceRecall().score(asked(), answered("T.", contexts=[PASSAGES[0]]), KIT)
    without_passages = await EvidenceRecall().score(asked(("d-1", 0, 10)), answered("Text."), KIT)

    assert without_gold.reason == "the question has no gold evidence"
    assert without_passages.reason == "the answer names no passage of this scope"
    assert without_gold.value is without_passages.value is None


async def test_what_was_found_and_all_cut_is_a_zero() -> None:
    score = await EvidenceRecall().score(asked(("d-1", 0, 10)), answered("Text.", retrieved=[PASSAGES[0]]), KIT)

    assert (score.value, score.parts["pages_retrieved"]) == (0.0, 1.0)


# --- gold that is named by title, in whatever corpus


def wiki(title: str, url: str = "", *, redirects: tuple[str, ...] = ()) -> Document:
    extra: dict[str, JsonValue] = {"url": url, "aliases": list(redirects)}
    return bare_document(f"d-{title}", title).model_copy(update={"extra": extra})


def part(
    document: Document, text: str, *, section: tuple[str, ...] = (), kind: PassageKind = "text", name: str = ""
) -> Passage:
    passage = passages_of({document.id: text})[0]
    return passage.model_copy(update={"section": section, "kind": kind, "id": name or passage.id})


def needs(**gold: JsonValue) -> Question:
    return Question(id="q", text="?", kind="set", extra=dict(gold))


ACDC = wiki("AC/DC", "https://en.wikipedia.org/wiki/AC/DC", redirects=("ACDC (band)",))
BEYONCE = wiki("Beyonc\u00e9")
PARIS = wiki("Paris")
PARTS = [
    part(ACDC, "Hard rock.", section=("AC/DC", "History", "1973"), name="p-1"),
    part(ACDC, "| year |", section=("AC/DC", "Albums"), kind="table", name="p-2"),
    part(BEYONCE, "# Beyonc\u00e9\n\nA  singer.", section=("Beyonc\u00e9",), name="p-3"),
    part(PARIS, "A capital.", name="p-4"),
]
WIKI = ScoringKit(held=PARTS, titled={one.id: one for one in (ACDC, BEYONCE, PARIS)})


@pytest.mark.parametrize(
    "page",
    [
        "https://en.wikipedia.org/wiki/AC/DC#History",
        "AC/DC",
        "ACDC (band)",
        {"title": "AC-DC", "aliases": ["acdc_(band)"]},
        {"url": "https://en.m.wikipedia.org/wiki/AC%2FDC?action=raw"},
        {"title": "unknown", "document": "d-AC/DC"},
    ],
)
async def test_a_gold_page_is_met_by_title_address_redirect_or_id(page: JsonValue) -> None:  # D10, D15
    question = needs(gold_pages=[page, "Beyonc%C3%A9#Life", "Nowhere"])
    answer = answered("Text.", contexts=PARTS[:1], retrieved=[PARTS[3], PARTS[1]])

    score = await EvidenceRecall().score(question, answer, WIKI)

    assert (score.value, score.parts["page_recall"]) == pytest.approx((1 / 3, 1 / 3))
    assert (score.parts["page_precision"], score.parts["page_f1"]) == pytest.approx((1 / 2, 2 / 5))
    assert score.detail["missing"] == ["Beyonc%C3%A9#Life", "Nowhere"]


async def test_what_any_search_of_the_trace_found_counts_once_and_its_hits_are_counted() -> None:  # D14
    trace = (
        Step(id="1", stage="search", hits=hits(PARTS[:2])),
        Step(id="2", parent="1", stage="search", hits=hits(PARTS[1:3])),
    )
    answer = answered("Text.", contexts=PARTS[:1]).model_copy(update={"trace": trace})

    score = await EvidenceRecall().score(needs(gold_pages=["AC/DC", "Beyonc\u00e9"]), answer, WIKI)

    assert (score.value, score.parts["pages_retrieved"], score.parts["page_hit"]) == (0.5, 1.0, 1.0)
    assert score.parts["documents_retrieved"] == 2.0
    assert score.parts["passages_retrieved_distinct"] == 3.0
    assert score.parts["hits_retrieved"] == 4.0


async def test_documents_of_one_page_are_one_page() -> None:
    pieces = [wiki("Oslo").model_copy(update={"id": f"d-{number}"}) for number in range(3)]
    held = [part(piece, "Text.") for piece in pieces]
    kit = ScoringKit(held=held, titled={piece.id: piece for piece in pieces})

    score = await EvidenceRecall().score(needs(gold_pages=["Oslo", "oslo"]), answered("T.", contexts=held), kit)

    assert (score.parts["page_recall"], score.parts["page_precision"]) == (1.0, 1.0)
    assert (score.detail["documents"], score.parts["documents_retrieved"]) == (1, 3.0)


async def test_gold_passages_are_met_to_the_letter_apart_from_space_and_headings() -> None:
    question = needs(
        gold_pages=["Beyonc\u00e9"],
        gold_passages=[
            {"title": "Beyonc%C3%A9", "text": "A singer."},
            {"title": "Paris", "text": "a capital."},
            {"title": "AC/DC", "text": "A capital."},
        ],
    )

    score = await EvidenceRecall().score(question, answered("T.", contexts=PARTS), WIKI)

    assert score.parts["exact_recall"] == pytest.approx(1 / 3)
    assert (score.parts["exact_precision"], score.parts["exact_hit"]) == (0.25, 1.0)


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ({"page": "AC/DC", "section": "History", "kind": "sentence"}, True),
        ({"page": "https://en.wikipedia.org/wiki/AC/DC", "section": "1973", "kind": None}, True),
        ({"page": "AC/DC", "section": "Albums", "kind": "table"}, True),
        ({"page": "AC/DC", "section": "Albums", "kind": "sentence"}, False),
        ({"page": "AC/DC", "section": "Tours", "kind": "table"}, False),
        ({"page": "Paris", "section": "", "kind": "sentence"}, True),
        ({"page": "Paris", "section": "Paris", "kind": "infobox"}, True),
        ({"page": "Paris", "section": None, "kind": "list"}, False),
        ({"page": "Oslo", "section": "", "kind": "sentence"}, False),
    ],
)
async def test_a_gold_place_is_page_section_and_kind(place: JsonValue, found: bool) -> None:  # noqa: FBT001
    score = await EvidenceRecall().score(
        needs(gold_pages=["AC/DC"], gold_places=[place]), answered("T.", contexts=PARTS), WIKI
    )

    assert score.parts["place_recall"] == float(found)
    assert score.parts["place_precision"] == (0.25 if found else 0.0)


async def test_places_and_passages_that_are_not_named_are_no_zeros() -> None:
    score = await EvidenceRecall().score(
        needs(gold_pages=["Paris"], gold_places=[{"section": "x"}, 3], gold_passages="none"),
        answered("T.", contexts=PARTS),
        WIKI,
    )

    assert [score.parts[name] for name in ("place_f1", "exact_f1", "page_f1")] == pytest.approx([None, None, 1 / 2])


async def test_nothing_of_the_gold_is_a_zero_with_no_hit() -> None:
    score = await EvidenceRecall().score(needs(gold_pages=["Oslo"]), answered("T.", contexts=PARTS), WIKI)

    assert [score.parts[f"page_{name}"] for name in ("recall", "precision", "f1", "hit")] == [0.0] * 4


# --- QAMPARI: the gold of its prepared form in its own pieces of pages

PIECES = [
    ("Beyonc\u00e9", "A singer from  Houston."),
    ("AC/DC", "A band."),
    ("AC/DC", "A band with a drummer."),
]
PREPARED = {
    "ex_num": 1,
    "question": "Who?",
    "validated_answer": [{"answer_text": "A", "aliases": ["A"]}],
    "gold_doc": [
        {"title": "Beyonc%C3%A9", "text": "A singer\nfrom Houston. "},
        {"title": "ac/dc", "content": "A band."},
        {"title": "Oslo", "text": "A band."},
        {"title": "AC/DC", "text": "A band with a drumme"},
    ],
}
OFFICIAL = {
    "qid": "q2",
    "question_text": "Who?",
    "answer_list": [
        {
            "answer_text": "A",
            "aliases": ["A"],
            "proof": [{"proof_text": "A band.", "found_in_url": "https://en.wikipedia.org/wiki/AC/DC"}],
        }
    ],
}


def pieces_kit(folder: Path) -> ScoringKit:
    rows = [
        {"id": f"{n}__0", "contents": f"{title} {text}", "meta": {"title": title, "content": text, "page_id": n}}
        for n, (title, text) in enumerate(PIECES)
    ]
    (folder / "pieces.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    documents = list(read_documents([folder / "pieces.jsonl"]))
    passages = [passage for one in documents for passage in cut_document(one, Cut(size=512))]
    return ScoringKit(held=passages, titled={one.id: one for one in documents})


def qampari_question(folder: Path, row: Mapping[str, object]) -> Question:
    (folder / "questions.jsonl").write_text(json.dumps(row))
    (question,) = import_qampari(folder / "questions.jsonl").questions
    return question


async def test_qamparis_gold_is_met_in_its_pieces_by_title_and_whole_text(tmp_path: Path) -> None:
    kit = pieces_kit(tmp_path)
    question = qampari_question(tmp_path, PREPARED)

    score = await EvidenceRecall().score(question, answered("T.", contexts=kit.held), kit)

    assert [one.text for one in kit.held] == [text for _, text in PIECES]
    assert (score.parts["exact_recall"], score.parts["exact_precision"]) == pytest.approx((2 / 4, 2 / 3))
    assert (score.parts["page_recall"], score.detail["missing"]) == (pytest.approx(2 / 3), ["Oslo"])


async def test_qamparis_official_form_names_pages_and_no_passages(tmp_path: Path) -> None:
    kit = pieces_kit(tmp_path)
    question = qampari_question(tmp_path, OFFICIAL)

    score = await EvidenceRecall().score(question, answered("T.", contexts=kit.held), kit)

    assert (score.value, score.parts["page_precision"], score.parts["exact_recall"]) == (1.0, 0.5, None)
