"""Pages at which the parsing process dies or hangs: named, and the next one is read."""

import os
from pathlib import Path

import pytest

from astrolabe.documents.dump import PagesDue, read_dump
from astrolabe.documents.fields import RecordFields
from astrolabe.documents.parsers import Parsers
from tests.wiki_dump import WikiPage, write_dump

STUBBORN = """
import os, re
from astrolabe.documents import dump, worker

read = dump._article

def stubborn(page, wiki):
    if page.title == "Spins":
        re.fullmatch("(a+)+b", "a" * 60)
    if page.title == "Crashes":
        os.abort()
    return read(page, wiki)

dump._article = stubborn
worker.main()
"""


@pytest.mark.slow  # the limit must leave room for a loaded machine, and one page waits it out
def test_a_page_that_hangs_or_crashes_the_parser_is_named_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stubborn_pages.py").write_text(STUBBORN)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    pages = [WikiPage(title, f"Text of {title}.") for title in ("One", "Spins", "Two", "Crashes", "Three")]
    dump = write_dump(tmp_path / "d.xml", pages)
    parsers = Parsers(20.0, module="stubborn_pages")

    extracts = list(parsers.pages(dump, RecordFields(), PagesDue()))

    parsers.close()
    assert [one.place for one in extracts] == ["One", "Spins", "Two", "Crashes", "Three"]
    assert "page 2 'Spins': not read within 20 s" in (extracts[1].failure or "")
    assert "page 4 'Crashes': the parser crashed" in (extracts[3].failure or "")
    assert [one.text for one in extracts if one.failure is None][-1] == "# Three\n\nText of Three."


def test_behind_a_page_the_next_one_that_is_due_follows_else_the_next_one() -> None:
    some = PagesDue(only=(2, 5))

    assert [some.following(number) for number in (0, 2, 4, 5)] == [2, 5, 5, 6]
    assert PagesDue().following(4) == 5


def test_of_a_dump_only_some_pages_are_read_and_one_that_breaks_off_too(tmp_path: Path) -> None:
    pages = [WikiPage(f"P{n}", "Text.") for n in range(1, 6)]
    torn = WikiPage("Torn", raw="  <page>\n    <title>Torn</title>\n")
    dump = write_dump(tmp_path / "d.xml", [*pages, torn, WikiPage("Last", "Text.")])

    read = [one.place for one in read_dump(dump, after=2, only=(1, 3, 5)) if one]

    assert read == ["P3", "P5", "Torn"]
