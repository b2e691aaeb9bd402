import pytest

from astrolabe.documents.extract import Unreadable
from astrolabe.documents.jats import read_jats

PAPER = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "JATS.dtd">
<article xmlns:mml="http://www.w3.org/1998/Math/MathML">
<front><article-meta><title-group><article-title>On <italic>tides</italic></article-title></title-group>
<pub-date><year>2020</year></pub-date><pub-date><day>3</day><month>4</month><year>2020</year></pub-date>
<abstract><p>In short.</p></abstract></article-meta></front>
<body><sec><title>Methods</title><p>We measured<xref>1</xref> daily &amp; well.</p>
<sec><title>Gauges</title><list><list-item><p>one</p></list-item><list-item><p>two</p></list-item></list></sec>
<table-wrap><label>Table 1</label><caption><title>Levels</title></caption>
<table><thead><tr><th>Port</th><th>Level</th></tr></thead><tbody><tr><td>North</td><td>3&nbsp;m</td></tr></tbody></table>
</table-wrap>
<p><inline-formula><alternatives><tex-math>h=2</tex-math><mml:math><mml:mi>q</mml:mi></mml:math></alternatives>
</inline-formula> holds.</p>
</sec></body>
<back><ack><title>Thanks</title><p>To all.</p></ack>
<ref-list><ref><mixed-citation>Old book</mixed-citation></ref></ref-list></back>
</article>"""


def test_an_article_keeps_title_headings_lists_tables_and_no_markup() -> None:
    extract = read_jats(PAPER.encode())

    assert (extract.title, extract.date) == ("On tides", "2020-04-03")
    assert extract.text == (
        "# On tides\n\n## Abstract\n\nIn short.\n\n## Methods\n\nWe measured1 daily & well.\n\n### Gauges\n\n"
        "- one\n- two\n\nTable 1\n\nLevels\n\n| Port | Level |\n| --- | --- |\n| North | 3 m |\n\n"
        "h=2 holds.\n\n## Thanks\n\nTo all."
    )


def test_references_are_left_out_and_counted() -> None:
    extract = read_jats(PAPER.encode())

    assert "Old book" not in extract.text
    assert extract.extra == {"references_left_out": 1}


def test_an_entity_that_grows_is_not_expanded() -> None:
    entities = '<!DOCTYPE article [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;">]>'
    bomb = f"{entities}<article><body><p>t &b;</p></body></article>"

    assert "xxx" not in read_jats(bomb.encode()).text


@pytest.mark.parametrize(
    ("content", "reason"),
    [("<article><body>", "not well-formed XML"), ("<book/>", "not a JATS <article>")],
)
def test_what_is_no_article_says_so(content: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_jats(content.encode())
