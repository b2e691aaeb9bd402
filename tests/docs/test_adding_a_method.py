"""The page on adding a method, followed literally in a copy of the repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "methods" / "adding.md"
_FILE: Final = re.compile(
    r"`((?:src|tests)/[\w/.]+)`[^`]*?:\n(?:[^`]*\n)?\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with the page's files, and its one line with the import."""
    root = tmp_path_factory.mktemp("copy")
    nothing_made = shutil.ignore_patterns("__pycache__")
    for folder in ("src", "tests"):
        shutil.copytree(ROOT / folder, root / folder, ignore=nothing_made)
    shutil.copy(ROOT / "pyproject.toml", root)
    line = re.findall(r"^    Rewrite\.name: Rewrite,$", PAGE.read_text("utf-8"), re.MULTILINE)[0]
    registry = root / "src/astrolabe/methods/__init__.py"
    text = registry.read_text("utf-8")
    text = text.replace("\n}\n", f"\n{line}\n}}\n", 1)
    registry.write_text(
        text.replace("\n\nMETHODS", "\nfrom astrolabe.methods.rewrite import Rewrite\n\nMETHODS", 1),
        "utf-8",
    )
    for name, content in files().items():
        assert not (root / name).exists()
        (root / name).write_text(content, "utf-8")
    return root


def files() -> dict[str, str]:
    """Return the files that the page writes whole."""
    return {name: content for name, content in _FILE.findall(PAGE.read_text("utf-8")) if "__init__" not in name}


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python over the copy."""
    unmeasured = {"COVERAGE_PROCESS_CONFIG": "", "COVERAGE_PROCESS_START": ""}  # the copy is not the package
    where = {**os.environ, **unmeasured, "PYTHONPATH": f"{copy / 'src'}{os.pathsep}{copy}"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=copy, env=where, capture_output=True, text=True, check=False)


def test_the_page_writes_one_file_its_prompt_and_one_test() -> None:
    assert list(files()) == [
        "src/astrolabe/methods/rewrite.py",
        "src/astrolabe/prompts/rewrite.v1.md",
        "tests/traces/test_rewrite.py",
    ]


def test_the_method_of_the_page_is_listed_with_its_parameters(copy: Path) -> None:
    listed = run(copy, "-c", "from astrolabe.cli import main; main()", "methods", "--json")

    assert listed.returncode == 0, listed.stderr
    assert '"name": "rewrite"' in listed.stdout


def test_the_method_of_the_page_keeps_what_all_methods_promise(copy: Path) -> None:
    tests = ("tests/traces/test_rewrite.py", "tests/conformance/test_methods.py")
    ended = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "rewrit", *tests)

    assert ended.returncode == 0, ended.stdout
    assert " passed" in ended.stdout
    assert "failed" not in ended.stdout
