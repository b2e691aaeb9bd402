import pytest

from astrolabe.documents.extract import Unreadable
from astrolabe.documents.markup import render
from astrolabe.documents.tree import parse_html
from astrolabe.documents.web_page import read_page

HOURS = """<!doctype html><html><head><title>Reading room</title></head><body><main><h1>Reading room</h1>
<p>The reading room keeps the hours shown in the table below, and staff can help with the catalogue.</p>
<table><tr><th>Day</th><th>Hours</th><th>Note</th></tr>
<tr><td>Mon</td><td><ul><li>10:00 to 18:00</li></ul></td><td></td></tr>
<tr><td>Tue</td><td><ul><li>Closed</li></ul></td><td>stocktake</td></tr></table></main></body></html>"""
WORDS = "The harbour floods twice a day and the ships wait outside until the water is low enough. "


def rendered(body: str) -> str:
    page = parse_html(f"<html><body>{body}</body></html>")
    assert page is not None
    return render(page)


# D05
def test_a_list_in_a_table_cell_stays_in_its_row_and_empty_cells_keep_their_column() -> None:
    text = read_page(HOURS.encode()).text

    assert "| Mon | 10:00 to 18:00 |  |" in text
    assert "| Tue | Closed | stocktake |" in text


# D05
def test_an_empty_page_has_no_text_and_raises_nothing() -> None:
    assert read_page(b"<html><body></body></html>").text == ""
    assert read_page(b" ").text == ""


def test_the_main_text_is_kept_without_the_pages_frame() -> None:
    menu = "".join(f"<li><a href='/{n}'>Menu {n}</a></li>" for n in range(20))
    story = "".join(f"<p>Part {n}: {WORDS * 3}</p>" for n in range(6))
    page = f"<html><head><title>Tides - Site</title></head><body><nav><ul>{menu}</ul></nav>"
    page += f"<article><h1>Tides</h1><h2>When</h2>{story}</article><footer>All rights reserved</footer></body></html>"

    extract = read_page(page.encode())

    assert extract.title == "Tides"
    assert extract.text.count("harbour floods") == 18
    assert "Menu 3" not in extract.text
    assert "## When" in extract.text
    assert extract.warnings == ()


def test_a_page_of_tables_alone_is_kept_whole_with_a_warning() -> None:
    rows = "".join(f"<tr><td>Port {n}</td><td>{n} ships</td></tr>" for n in range(40))
    tables = f"<table>{rows}</table>" * 3
    page = f"<html><body><p>{WORDS}</p><form>{tables}</form><div>{tables}</div></body></html>"

    extract = read_page(page.encode())

    assert extract.text.count("| Port 7 | 7 ships |") >= 3


def test_dates_come_from_what_the_page_declares_alone() -> None:
    page = "<html><head><meta property='article:published_time' content='2019-04-30T10:00:00Z'></head>"
    page += f"<body><p>{WORDS}On 2001-01-01 it began.</p></body></html>"

    assert read_page(page.encode()).date == "2019-04-30"
    assert read_page(f"<html><body><p>{WORDS}On 2001-01-01.</p></body></html>".encode()).date is None


def test_a_declared_encoding_is_honoured() -> None:
    page = f"<html><head><meta charset='iso-8859-2'></head><body><p>Gęś. {WORDS}</p></body></html>"

    extract = read_page(page.encode("iso8859-2"))

    assert "Gęś." in extract.text
    assert extract.warnings == ()


def test_scripts_styles_drawings_and_hidden_parts_are_no_text() -> None:
    text = rendered("<script>x()</script><style>p{}</style><svg><text>a</text></svg><p hidden>b</p><p>seen</p>")

    assert text == "seen"


def test_headings_paragraphs_lists_and_code_become_markdown() -> None:
    body = "<h2>One <b>two</b></h2>loose<p>a\n b<br>c</p><ul><li>x</li><li>y<ul><li>z</li></ul></li></ul>"
    body += "<ol><li>first</li><li>second</li></ol><pre>if a:\n  b</pre><blockquote><p>said</p></blockquote>"

    assert rendered(body) == (
        "## One two\n\nloose\n\na b\nc\n\n- x\n- y\n  - z\n\n1. first\n2. second\n\n```\nif a:\n  b\n```\n\nsaid"
    )


def test_a_table_that_lays_out_a_page_is_no_table() -> None:
    body = (
        "<table><tr><td><h2>Head</h2><p>text</p></td><td><table><tr><td>1</td><td>2</td></tr></table></td></tr></table>"
    )

    assert rendered(body) == "## Head\n\ntext\n\n| 1 | 2 |\n| --- | --- |"


def test_a_pipe_in_a_cell_opens_no_column() -> None:
    assert rendered("<table><tr><th>a|b</th><th>c</th></tr></table>") == "| a\\|b | c |\n| --- | --- |"


def test_text_in_hundreds_of_unclosed_elements_is_not_lost() -> None:
    assert read_page(("<p>" + "<b>x " * 300).encode()).text.count("x") == 300


def test_a_page_nested_beyond_the_parser_fails_instead_of_losing_text() -> None:
    with pytest.raises(Unreadable, match=r"2,048 deep"):
        read_page(("<p>" + "<b>x " * 3000).encode())
