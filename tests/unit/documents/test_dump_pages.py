"""Pages at which the parsing process dies or hangs: named, and the next one is read."""

import os
from pathlib import Path

import pytest

from astrolabe.documents.dump import PagesDue
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
