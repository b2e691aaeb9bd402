"""Pages of a wiki saved as HTML, in a study: passages in context, nothing cut, titles that meet the gold."""

import pytest

from astrolabe.core.protocols import Cut
from astrolabe.core.records import Document, Passage, Question
from astrolabe.core.tokens import count_tokens
from astrolabe.documents import RecordFields
from astrolabe.parts.gold_evidence import gold_pages
from astrolabe.study.ingesting import ingest
from astrolabe.study.passages import Shelf
from astrolabe.study.progress import SILENT
from astrolabe.study.study import new_study
from tests.wiki_html import new_heading, paris, saved_page

ROWS = [f"| Day {n} | Port of call {n} | {n} m |" for n in range(120)]
TIDES = (
    "<p>Water.</p>" + new_heading(2, "Heights") + '<table class="wikitable"><caption>Tides of the year</caption>'
    "<tr><th>Day</th><th>Port</th><th>Height</th></tr>"
    + "".join(f"<tr><td>Day {n}</td><td>Port of call {n}</td><td>{n} m</td></tr>" for n in range(120))
    + "</table>"
)
SURVEY = new_heading(2, "Method") + "<p>" + "The walls of the harbour stood for long. " * 200 + "</p>"
ARTICLES = {
    "Paris": paris(),
    "AC/DC": "<p>A band.</p>",
    "Star Trek: Picard": "<p>A series.</p>",
    "C-sharp (C#-like) & more": "<p>A language with a number sign.</p>",
    "Beyonc\u00e9": "<p>A singer.</p>",
    "Tides": TIDES,
    "Survey": SURVEY,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Document]:
    """The documents that a folder of saved pages becomes, with a page that is no wiki's, by their titles."""
    folder = tmp_path_factory.mktemp("pages")
    for number, (title, article) in enumerate(ARTICLES.items()):
        came = "Queen B" if title.startswith("Bey") else ""
        (folder / f"{number}.html").write_text(saved_page(title, article, redirected_from=came), "utf-8")
    plain = f"<html><head><title>Plain</title></head><body><h1>Plain</h1><p>{'Salt dries in the sun. ' * 20}</p></body>"
    (folder / "plain.html").write_text(plain)
    study = new_study(tmp_path_factory.mktemp("study") / "s")
    ingest(study, [folder], SILENT, fields=RecordFields(), seconds_per_file=60.0)
    return {document.title: document for document in study.need_documents()}


def passages_of(document: Document) -> list[Passage]:
    return Shelf([document]).passages(Cut(size=512), [document.id])


def test_every_passage_of_a_saved_page_begins_with_its_title_and_has_at_most_512_tokens(
    pages: dict[str, Document],
) -> None:
    for title in ARTICLES:
        passages = passages_of(pages[title])

        assert passages
        for passage in passages:
            assert count_tokens(passage.text) == passage.tokens <= 512
            assert passage.text.startswith(f"# {title}\n")


def test_a_long_table_repeats_its_headings_caption_and_header_and_keeps_every_row_whole(
    pages: dict[str, Document],
) -> None:
    tables = [one for one in passages_of(pages["Tides"]) if one.kind == "table"]

    above = "# Tides\n## Heights\n\nTable: Tides of the year\n| Day | Port | Height |\n| --- | --- | --- |\n"
    assert len(tables) > 2
    assert all(one.text.startswith(above) for one in tables)
    assert [row for one in tables for row in one.text.removeprefix(above).rstrip().split("\n")] == ROWS


def test_long_text_ends_between_sentences_below_its_headings(pages: dict[str, Document]) -> None:
    passages = passages_of(pages["Survey"])

    assert len(passages) > 2
    for passage in passages:
        assert passage.text.startswith("# Survey\n## Method\n\nThe walls")
        assert passage.text.rstrip().endswith("for long.")


@pytest.mark.parametrize(
    ("gold", "title"),
    [
        ("https://wiki.example/wiki/AC/DC", "AC/DC"),
        ("https://wiki.example/wiki/Star_Trek:_Picard#Cast", "Star Trek: Picard"),
        ("https://wiki.example/wiki/Beyonc%C3%A9", "Beyonc\u00e9"),
        ("https://wiki.example/wiki/Queen_B", "Beyonc\u00e9"),
        ("https://wiki.example/wiki/C-sharp_(C%23-like)_%26_more", "C-sharp (C#-like) & more"),
        ("paris", "Paris"),
    ],
)
def test_gold_pages_meet_saved_pages(pages: dict[str, Document], gold: str, title: str) -> None:
    (page,) = gold_pages(Question(id="q", text="?", extra={"gold_pages": [{"url": gold}]}), ())

    assert [one.title for one in pages.values() if page.is_page(one)] == [title]


def test_a_page_of_no_wiki_beside_them_is_read_as_ever(pages: dict[str, Document]) -> None:
    plain = pages["Plain"]

    assert "in_context" not in plain.extra
    assert not passages_of(plain)[0].text.startswith("# Plain\n\n# Plain")
