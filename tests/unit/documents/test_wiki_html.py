"""Pages of a wiki saved as HTML: the article as a dump of the wiki would have it, and other pages as ever."""

from collections.abc import Callable
from pathlib import Path

import pytest

from astrolabe.documents.dump import read_dump
from astrolabe.documents.web_page import read_page
from tests.wiki_dump import WikiPage, write_dump
from tests.wiki_html import PARIS_READ, new_heading, old_heading, paris, saved_page


def text_of(article: str) -> str:
    return read_page(saved_page("Page", article).encode()).text.removeprefix("# Page\n\n")


@pytest.mark.parametrize("head", [old_heading, new_heading])
def test_the_article_is_read_without_what_stands_around_and_in_it(head: Callable[[int, str], str]) -> None:
    extract = read_page(saved_page("Paris", paris(head)).encode())

    assert extract.text == PARIS_READ
    assert (extract.title, extract.media_type, extract.warnings) == ("Paris", "text/html", ())


def test_title_address_and_numbers_come_from_the_page_and_its_passages_stand_in_context() -> None:
    extract = read_page(saved_page("AC/DC: Live?", "<p>A band.</p>", redirected_from="Acca Dacca").encode())

    assert extract.title == "AC/DC: Live?"
    assert extract.extra == {
        "in_context": True,
        "url": "https://wiki.example/wiki/AC/DC:_Live%3F",
        "aliases": ["Acca Dacca"],
        "page_id": "7",
        "revision": "77",
    }


def test_the_same_page_reads_the_same_in_a_dump_and_as_html(tmp_path: Path) -> None:
    wikitext = (
        "{{Infobox x\n| Country = [[France]]\n| Languages = {{plainlist|\n* French\n* others\n}}\n}}\n"
        "'''Paris''' is [[a]] <math>b|c</math>.<ref>no</ref>\n\n== Economy ==\n* Trade\n** Ships\n# One\n\n"
        '{| class="wikitable"\n|+ Bridges\n! Name !! m\n|-\n| rowspan=2 | A<br>b || 1\n|-\n| 2\n|}\n'
        "== See also ==\n* no\n"
    )
    table = (
        '<table class="wikitable"><caption>Bridges</caption><tr><th>Name</th><th>m</th></tr>'
        '<tr><td rowspan="2">A<br>b</td><td>1</td></tr><tr><td>2</td></tr></table>'
    )
    page = (
        '<table class="infobox"><tr><th>Country</th><td><a>France</a></td></tr><tr><th>Languages</th><td><ul>'
        "<li>French</li><li>others</li></ul></td></tr></table><p><b>Paris</b> is <a>a</a> "
        '<span class="mwe-math-element"><img alt="b|c"></span>.<sup class="reference">[1]</sup></p>'
        f"{old_heading(2, 'Economy')}<ul><li>Trade<ul><li>Ships</li></ul></li></ul><ol><li>One</li></ol>{table}"
        f"{old_heading(2, 'See also')}<ul><li>no</li></ul>"
    )

    (dumped,) = [one for one in read_dump(write_dump(tmp_path / "d.xml", [WikiPage("Paris", wikitext)])) if one]
    saved = read_page(saved_page("Paris", page).encode())

    assert saved.text.replace("\n\n1. One", "\n1. One") == dumped.text
    assert saved.title == dumped.title


@pytest.mark.parametrize(
    "page",
    [
        '<title>T - Wiki</title><meta name="generator" content="MediaWiki 1.28"><div class="mw-parser-output">{}</div>',
        '<title>T</title><div id="mw-content-text">{}</div>',
        '<title>T</title><body id="mwAA" class="mw-content-ltr mw-parser-output">{}</body>',
    ],
)
def test_a_wikis_page_is_known_by_its_generator_or_its_elements(page: str) -> None:
    extract = read_page(page.format("<p>Text.</p>").encode())

    assert (extract.title, extract.text, extract.extra) == ("T", "# T\n\nText.", {"in_context": True})


@pytest.mark.parametrize(
    "page",
    [
        '<title>T</title><meta name="generator" content="Other 2"><div class="mw-parser-output"><p>{}</p></div>',
        '<title>T</title><meta name="generator" content="MediaWiki 1.28"><body><p>{}</p></body>',
        '<div id="mw-content-text"><p>{}</p></div>',
    ],
)
def test_a_page_of_another_kind_or_without_a_title_is_read_as_ever(page: str) -> None:
    extract = read_page(page.format("The harbour floods twice a day. " * 20).encode())

    assert extract.extra == {}
    assert extract.text.startswith("The harbour floods")


def test_a_page_that_gives_its_address_in_its_footer_alone_has_that_one() -> None:
    page = '<title>T</title><div id="mw-content-text">A.<div class="printfooter"><a href="{}">x</a></div></div>'
    address = "https://wiki.example/w/index.php?title=T&oldid=3"

    assert read_page(page.format(address).encode()).extra["url"] == address


def test_a_page_that_redirects_has_no_text_and_names_its_target() -> None:
    article = '<div class="redirectMsg"><p>Redirect to:</p><ul class="redirectText"><li><a>Beyoncé</a></li></ul></div>'

    extract = read_page(saved_page("Queen B", article).encode())

    assert (extract.text, extract.emptiness) == ("", "sends its reader to 'Beyoncé'")


def test_a_page_of_nothing_but_navigation_is_empty() -> None:
    assert text_of(f'<div class="navbox">Cities</div>{new_heading(2, "References")}<p>Cited.</p>') == ""


def test_a_table_of_the_wiki_may_have_long_cells_and_one_around_another_lays_out_the_page() -> None:
    long = "word " * 300
    inner = "<table class='wikitable'><tr><th>a</th></tr><tr><td>b</td></tr></table>"

    assert text_of(f"<table class='wikitable'><tr><td>{long}</td><td>x</td></tr></table>").startswith("| word word")
    assert text_of(f"<table class='wikitable'><tr><td>Beside</td><td>{inner}</td></tr></table>") == (
        "Beside\n\n| a |\n| --- |\n| b |"
    )
    assert text_of(f"<table class='wikitable'><tr><td>x<div hidden>{inner}</div></td></tr></table>") == "| x |\n| --- |"


def test_spans_that_are_no_numbers_or_too_large_harm_nothing() -> None:
    row = "<tr><th>a</th><th colspan='x' rowspan='0'>b</th></tr><tr><td colspan='99999'>1</td></tr>"

    assert text_of(f"<table class='wikitable'>{row}</table>").startswith("| a | b |")


def test_facts_of_boxes_within_boxes_and_of_other_wikis_boxes_are_kept_once() -> None:
    inner = "<table class='infobox-subbox'><tr><th>River</th><td>Seine</td></tr></table>"
    kingdom = "<tr><td>Kingdom:</td><td>Animalia</td></tr>"
    box = f"<table class='infobox'><tr><td colspan='2'>{inner}</td></tr>{kingdom}</table>"
    portable = (
        '<aside class="portable-infobox"><h2 class="pi-item pi-title">Ada</h2><div class="pi-item pi-data"><h3 '
        'class="pi-data-label">Born</h3><div class="pi-data-value">1815</div></div></aside>'
    )

    lone = "<table class='infobox'><tr><th>\u2022 Left</th><td>1</td></tr><tr><td></td><td>alone</td></tr></table>"

    assert text_of(box) == "- River: Seine\n- Kingdom: Animalia"
    assert text_of(lone) == "- Left: 1\n- alone"
    assert text_of(portable) == "- Born: 1815"


@pytest.mark.parametrize(
    ("file", "title", "kept", "left_out"),
    [
        (
            "en.wikipedia.org.tsne",
            "t-distributed stochastic neighbor embedding",
            "\n## Details\n",
            "Conditional random",
        ),
        ("readability-wikipedia", "Mozilla", "\n- Founded: February 28, 1998\n", "Jump to"),
        ("readability-wikipedia-2", "New Zealand", "\n| Dunedin | 19/11 | 66/53 | 10/3 | 50/37 |\n", "Retrieved"),
    ],
)
def test_real_pages_are_read_as_articles(shared: Path, file: str, title: str, kept: str, left_out: str) -> None:
    extract = read_page((shared / "messy_files" / "html" / f"{file}.html").read_bytes())

    assert extract.title == title
    assert extract.text.startswith(f"# {title}\n\n")
    assert kept in extract.text
    assert not [mark for mark in (left_out, "[edit", "[1]", "## References", "v t e") if mark in extract.text]
