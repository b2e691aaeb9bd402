"""Pages of a wiki saved as HTML, written by hand: what MediaWiki's skins put around an article and into it."""

from collections.abc import Callable
from html import escape
from urllib.parse import quote

_EDIT = (
    '<span class="mw-editsection"><span class="mw-editsection-bracket">[</span><a href="/w/index.php?action=edit">edit'
    '</a><span class="mw-editsection-bracket">]</span></span>'
)


def old_heading(level: int, text: str) -> str:
    """Return a heading as older versions write it: a headline and an edit link within it."""
    return f'<h{level}><span class="mw-headline" id="{quote(text)}">{escape(text)}</span>{_EDIT}</h{level}>'


def new_heading(level: int, text: str) -> str:
    """Return a heading as newer versions write it: the edit link beside it."""
    return f'<div class="mw-heading mw-heading{level}"><h{level} id="x">{escape(text)}</h{level}>{_EDIT}</div>'


INFOBOX = """<table class="infobox geography vcard"><tbody>
<tr><th colspan="2" class="infobox-above">Paris</th></tr>
<tr><td colspan="2" class="infobox-image"><a href="/wiki/File:S.jpg"><img src="s.jpg"></a><div>The Seine</div></td></tr>
<tr><th scope="row">Country</th><td><a href="/wiki/France">France</a></td></tr>
<tr><th colspan="2">Population<br>(2023)</th></tr>
<tr><th scope="row">&#160;&#8226;&#160;Total</th><td>2,102,650<sup class="reference">[1]</sup></td></tr>
<tr><th scope="row">Languages</th><td><div class="plainlist"><ul><li>French</li><li>others</li></ul></div></td></tr>
<tr><th scope="row">Founded</th><td><span style="display:none">(-0250)</span>3rd century BC</td></tr>
<tr><td colspan="2"><a href="https://paris.example">paris.example</a></td></tr>
</tbody></table>"""
LEAD = """<div class="shortdescription nomobile noprint searchaux" style="display:none">Capital of France</div>
<div role="note" class="hatnote navigation-not-searchable">For other uses, see Paris (disambiguation).</div>
<table class="plainlinks metadata ambox"><tbody><tr><td>This needs citations.</td></tr></tbody></table>
<p class="mw-empty-elt"></p>
<p><b>Paris</b> is the <a href="/wiki/Capital" title="Capital">capital</a> of France,<sup class="reference"
id="cite_ref-1"><a href="#cite_note-1">[1]</a></sup> at 5&#160;km.<sup class="noprint Inline-Template">[<i>citation
needed</i>]</sup> It is <span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;"><math
alttext="{\\displaystyle a|b}"><mi>a</mi></math></span><img alt="{\\displaystyle a|b}" src="f.svg"></span> wide.</p>
<div class="thumb tright"><div class="thumbinner"><div class="thumbcaption">A bridge</div></div></div>
<figure typeof="mw:File"><a href="/wiki/File:B.jpg"><img src="b.jpg"></a><figcaption>Another</figcaption></figure>
<div id="toc" class="toc" role="navigation"><h2>Contents</h2><ul><li><a href="#History">1 History</a></li></ul></div>"""
TABLE = """<table class="wikitable sortable"><caption>Bridges of <i>Paris</i></caption><tbody>
<tr><th rowspan="2">Name</th><th colspan="2">Length</th><th>Note</th></tr>
<tr><th>m</th><th>ft</th><th></th></tr>
<tr><td>Pont Neuf<style>.x{}</style></td><td rowspan="2">232</td><td>761</td><td></td></tr>
<tr><td>Other<br>bridge</td><td>1|2</td><td></td></tr>
</tbody></table>"""
NAVBOX = """<div class="navbox" role="navigation"><table class="nowraplinks"><tbody><tr><th>v t e Cities</th>
<td><a href="/wiki/Lyon">Lyon</a></td></tr></tbody></table></div>"""


def paris(head: Callable[[int, str], str] = new_heading) -> str:
    """Return the article of a page on Paris, its headings written by `head`."""
    pieces = (
        INFOBOX,
        LEAD,
        head(2, "History"),
        head(3, "Middle Ages"),
        "<p>Walls were built.</p>",
        '<dl><dd>Said "so".</dd></dl><dl><dt>Wall</dt><dd>a fence</dd><dd>of stone</dd><dt>Gate</dt></dl>',
        head(2, "Economy"),
        "<p># of ships is large.</p><ul><li>Trade<ul><li>Ships</li></ul></li><li>Wine</li></ul>",
        TABLE,
        head(2, "See also"),
        "<ul><li>Lyon</li></ul>",
        head(3, "Lists"),
        "<ul><li>List of x</li></ul>",
        head(2, "References"),
        '<div class="reflist"><ol class="references"><li>Cited.</li></ol></div>',
        NAVBOX,
    )
    return "".join(pieces)


PARIS_READ = """# Paris

- Country: France
- Population (2023), Total: 2,102,650
- Languages: French; others
- Founded: 3rd century BC
- paris.example

Paris is the capital of France, at 5 km. It is a|b wide.

## History

### Middle Ages

Walls were built.

Said "so".

- Wall: a fence; of stone
- Gate

## Economy

\\# of ships is large.

- Trade
  - Ships
- Wine

Table: Bridges of Paris
| Name | Length m | Length ft |
| --- | --- | --- |
| Pont Neuf | 232 | 761 |
| Other; bridge | 232 | 1\\|2 |"""
"""What is read of the page on Paris."""


def saved_page(title: str, article: str, *, redirected_from: str = "") -> str:
    """Return a whole page as a wiki serves it: menus, the article, categories, a footer."""
    name = escape(title)
    address = f"https://wiki.example/wiki/{quote(title.replace(' ', '_'), safe='/:()!,;@*-._~')}"
    came = f'(Redirected from <a class="mw-redirect" href="/wiki/x">{escape(redirected_from)}</a>)'
    return f"""<!DOCTYPE html>
<html class="client-nojs" lang="en" dir="ltr"><head><meta charset="UTF-8"><title>{name} - The Wiki</title>
<script>RLCONF={{"wgPageName":"x","wgCurRevisionId":77,"wgRevisionId":77,"wgArticleId":7,"wgNamespaceNumber":0}};</script>
<meta name="generator" content="MediaWiki 1.43.0-wmf.1"><link rel="canonical" href="{address}"></head>
<body class="skin-vector ns-0"><nav id="mw-navigation"><ul><li><a href="/wiki/Main_Page">Main page</a></li></ul></nav>
<div id="content" class="mw-body" role="main"><h1 id="firstHeading" class="firstHeading"><span
class="mw-page-title-main">{name}</span></h1><div id="bodyContent"><div id="siteSub">From The Wiki</div>
<div id="contentSub"><span class="mw-redirectedfrom">{came if redirected_from else ""}</span></div>
<div id="mw-content-text" class="mw-body-content"><div class="mw-content-ltr mw-parser-output" lang="en">{article}</div>
<div class="printfooter" data-nosnippet="">Retrieved from "<a href="{address}?oldid=77">{address}</a>"</div></div>
<div id="catlinks" class="catlinks"><a href="/wiki/Special:Categories">Categories</a>: Cities</div></div></div>
<footer>This page was last edited on 1 May 2020.</footer></body></html>"""
