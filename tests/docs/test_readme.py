"""The README's and the pages' commands, files and code do what is said of them."""

import importlib
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Final, cast

import click
import pytest
from pydantic import JsonValue

from astrolabe.cli import main
from astrolabe.study.own_system import SystemReply
from tests.docs.pages import blocks, parse, shell_lines

ROOT: Final = Path(__file__).parents[2]
README: Final = ROOT / "README.md"
PAGES: Final = [README, *sorted((ROOT / "docs").glob("*.md"))]
NOT_RUN: Final = {
    "make quickstart": "installs the package and fetches weights",
    "make test": "installs everything and runs this test",
    "pip install 'astrolabe-qa[embedded]'": "installs a released package",
    "uvx --from 'astrolabe-qa[embedded]' astrolabe quickstart": "installs a released package",
    "astrolabe quickstart": "takes minutes; has tests of its own",
    "astrolabe models fetch qwen2.5-coder-0.5b": "fetches 491 MB",
    "astrolabe run --method hipporag --study trial": "asks a model for minutes; tests/cli/test_all_methods.py runs all",
}
"""Lines of the README that no test can run, with the reason. All others run, offline and in order."""
HASHED: Final = {"ask", "import", "new", "run", "score"}
"""Commands that take `--embed`: the tests give them the embedder that needs no model."""


def _write_files(folder: Path) -> None:
    """Write the files that the README shows, and the folder of papers that it speaks of."""
    text = README.read_text("utf-8")
    for name, content in re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", text, re.DOTALL):
        (folder / name).write_text(content, "utf-8")
    code = next(block.text for block in blocks(README) if block.language == "python")
    (folder / "my_rag.py").write_text(code, "utf-8")
    (folder / "papers").mkdir()
    (folder / "papers" / "mill.txt").write_text("The old mill closed last spring. The new flour is cheaper.", "utf-8")
    (folder / "papers" / "bread.md").write_text("# Bread\n\nThe price of bread rose in the summer.\n", "utf-8")


def test_every_command_of_the_readme_runs_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASTROLABE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    codes: dict[str, object] = {}
    lines = [line for line in shell_lines(README) if line not in NOT_RUN]

    for line in lines:
        arguments = shlex.split(line)
        extra = ["--embed", "hashed"] if arguments[1] in HASHED else []
        monkeypatch.setattr(sys, "argv", [*arguments, *extra])
        with pytest.raises(SystemExit) as ended:
            main()
        codes[line] = ended.value.code
    sys.modules.pop("my_rag", None)
    said = capsys.readouterr()

    assert len(lines) > 10
    assert set(codes.values()) == {0}, f"{codes}\n{said.err}"
    assert "Too few questions in common" in said.out
    assert (tmp_path / "bakery" / "report" / "report.html").is_file()


def test_a_line_that_is_not_run_still_stands_in_the_readme() -> None:
    lines = set(shell_lines(README))

    assert NOT_RUN.keys() <= lines


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_on_a_page_exists_with_its_options(page: Path) -> None:
    for line in shell_lines(page):
        if line.startswith("astrolabe "):
            parse(line)


@pytest.mark.parametrize("line", ["astrolabe nothing", "astrolabe run --metod vanilla", "astrolabe plan run --metod x"])
def test_a_command_that_does_not_exist_is_found(line: str) -> None:
    with pytest.raises(click.UsageError):
        parse(line)


def _records(text: str) -> list[dict[str, JsonValue]]:
    """Return the objects of a block: one over all of its lines, or one a line."""
    whole = text.startswith("{\n")
    return [cast("dict[str, JsonValue]", json.loads(part)) for part in ([text] if whole else text.splitlines())]


@pytest.mark.parametrize("page", [README, ROOT / "docs" / "own-system.md"], ids=lambda page: page.name)
def test_the_example_of_an_own_system_keeps_to_the_contract(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = next(block.text for block in blocks(page) if block.language == "python")
    (tmp_path / "shown_rag.py").write_text(code, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    records = [record for block in blocks(page) if block.language == "json" for record in _records(block.text)]
    asked = next(record for record in records if "documents" in record)
    replies = [record for record in records if "contexts" in record]

    answered = importlib.import_module("shown_rag").answer(asked)
    sys.modules.pop("shown_rag")

    assert set(asked) == {"question_id", "question", "scope", "documents"}
    assert SystemReply.model_validate(answered).contexts
    assert [SystemReply.model_validate(reply) for reply in replies]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_of_a_page_leads_to_a_file(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)#:\s]+)(?:#[\w-]+)?\)", text)

    missing = [target for target in targets if not (page.parent / target).exists()]

    assert not missing


def test_the_first_screen_shows_the_picture_and_gives_two_commands() -> None:
    first = "\n".join(README.read_text("utf-8").splitlines()[:14])
    picture = ROOT / "docs" / "images" / "report.png"

    assert first.index("docs/images/report.png") < first.index("make quickstart") < first.index("make test")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < 300_000


def test_the_readme_shows_the_table_of_a_quickstart() -> None:
    found = re.search(r"<!-- made: table -->\n(.*?)<!-- end -->", README.read_text("utf-8"), re.DOTALL)

    assert found is not None
    assert "extractive(retriever=bm25)" in found[1]
    assert "Overall" in found[1]
