"""What `docs/python.md` shows happens, in order, in an empty folder."""

import doctest
import sys
from pathlib import Path
from types import ModuleType

import pytest

import astrolabe
from tests.docs.pages import blocks

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_every_example_of_the_page_gives_what_stands_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASTROLABE_CACHE", str(tmp_path / "cache"))
    # A function of the page is found by its module, as one of a notebook is.
    page = ModuleType("python_page")
    monkeypatch.setitem(sys.modules, page.__name__, page)
    shown = "\n".join(block.text for block in blocks(PAGE) if block.language == "python")
    examples = doctest.DocTestParser().get_doctest(shown, vars(page), PAGE.name, str(PAGE), 0)
    examples.globs = vars(page)  # the parser made a copy
    said: list[str] = []

    outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=said.append, clear_globs=False)

    assert outcome.attempted > 20
    assert outcome.failed == 0, "".join(said)


def test_the_page_names_every_public_function() -> None:
    text = PAGE.read_text("utf-8")
    functions = [name for name in astrolabe.__all__ if name.islower()]

    assert [name for name in functions if f"`{name}" not in text] == []
