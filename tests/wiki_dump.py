"""A small MediaWiki dump, written by hand: what real ones hold, and what breaks readers of them."""

import bz2
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Wiki</sitename>
    <base>https://wiki.example/wiki/Main_Page</base>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="6" case="first-letter">Datei</namespace>
      <namespace key="14" case="first-letter">Kategorie</namespace>
    </namespaces>
  </siteinfo>
"""
TAIL = "</mediawiki>\n"


@dataclass(frozen=True, slots=True)
class WikiPage:
    """A page of a dump; `raw` replaces its whole XML."""

    title: str
    text: str = ""
    namespace: int = 0
    redirect: str = ""
    raw: str = ""

    def xml(self, number: int) -> str:
        if self.raw:
            return self.raw
        sends = f'    <redirect title="{escape(self.redirect)}" />\n' if self.redirect else ""
        return (
            f"  <page>\n    <title>{escape(self.title, quote=False)}</title>\n    <ns>{self.namespace}</ns>\n"
            f"    <id>{number}</id>\n{sends}    <revision>\n      <id>{number + 1000}</id>\n"
            f'      <text bytes="1" xml:space="preserve">{escape(self.text, quote=False)}</text>\n'
            f"    </revision>\n  </page>\n"
        )


LONG_SENTENCE = "The survey of " + ", ".join(f"the river mouth number {n} in the north" for n in range(90)) + " ended."
LONG_TABLE = (
    '{| class="wikitable sortable"\n|+ Tides of the year\n! Day !! Port !! Height\n'
    + "".join(f"|-\n| Day {n} || Port of call {n} || {{{{convert|{n}|m}}}}\n" for n in range(120))
    + "|}"
)
HEADER_ONLY = "{|\n" + "\n".join(f"! Column number {n} of the table" for n in range(150)) + "\n|}"
BAD_XML = "  <page>\n    <title>Bad XML</title>\n    <revision><text>&lol9; <b></text></revision>\n  </page>\n"
PAGES = (
    WikiPage(
        "Paris",
        "{{Short description|Capital}}\n{{Infobox settlement\n| name = Paris\n| image = x.jpg\n"
        "| population_total = 2,102,650\n| area = {{convert|105.4|km2}}\n| established = {{start date|1852|3|9|df=y}}\n"
        "| mayor = [[Anne Hidalgo]]<ref>{{cite web|title=x}}</ref>\n}}\n"
        "'''Paris''' is the [[capital city|capital]] of [[France]], {{convert|5|km}} wide, "
        "founded {{birth date|1990|1|2}}. It cost 3.14 francs then.\n\n== History ==\n\n=== Middle Ages ===\n"
        "Walls were {{nowrap|built {{circa|1190}}}}.\n\n== See also ==\n* [[Lyon]]\n=== Lists ===\n* [[List of x]]\n"
        "== Economy ==\n* Trade\n** Ships\n* Wine\n\n[[Datei:Seine.jpg|thumb|A picture]] [[Kategorie:Cities]]\n",
    ),
    WikiPage("AC/DC", "'''AC/DC''' is a band.\n"),
    WikiPage("Star Trek: Picard", "A series.\n"),
    WikiPage("C-sharp (C#-like) & more", "A language with a number sign.\n"),
    WikiPage("Beyonc\u00e9", "A singer from Houston. See [https://x.example/wiki/Caf%C3%A9 the page].\n"),
    WikiPage("Queen B", redirect="Beyonc\u00e9"),
    WikiPage("Talk:Paris", "Please sign.", namespace=1),
    WikiPage("Survey", f"Before it. {LONG_SENTENCE} After it.\n"),
    WikiPage("Tides", f"Water.\n\n== Heights ==\n{LONG_TABLE}\n"),
    WikiPage("Columns", HEADER_ONLY),
    WikiPage("Empty parent", "== Prose ==\nA.\n== Parent ==\n=== Child ===\nB.\n== References ==\n=== Books ===\nC.\n"),
    WikiPage("Broken", "{{Infobox x|a=1\n{| \n| cell\n'''bold [[link|words\n== After ==\nStill here.\n"),
    WikiPage("\u6771\u4eac", "\u6771\u4eac\u306f\u65e5\u672c\u306e\u9996\u90fd\u3067\u3042\u308b\u3002" * 60),
    WikiPage("Bad XML", raw=BAD_XML),
    WikiPage("Last", "The last page.\n"),
)  # fmt: skip


def dump_text(pages: Sequence[WikiPage] = PAGES) -> bytes:
    """Return a dump of some pages."""
    return (HEAD + "".join(page.xml(number) for number, page in enumerate(pages, start=1)) + TAIL).encode()


def write_dump(path: Path, pages: Sequence[WikiPage] = PAGES) -> Path:
    """Write a dump: compressed where the name ends in .bz2 or .gz, in a stream for every page where it says so."""
    whole = dump_text(pages)
    if path.name.endswith("multistream.xml.bz2"):
        cuts = [0, *(place for place in range(len(whole)) if whole.startswith(b"  <page>", place)), len(whole)]
        path.write_bytes(b"".join(bz2.compress(whole[a:b]) for a, b in pairwise(cuts)))
    elif path.suffix == ".bz2":
        path.write_bytes(bz2.compress(whole))
    else:
        path.write_bytes(gzip.compress(whole) if path.suffix == ".gz" else whole)
    return path
