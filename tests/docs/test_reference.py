"""What is made from the code is current, and nothing in the code is without its words."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest
from pydantic import BaseModel

from astrolabe.cli.group import COMMANDS, astrolabe
from astrolabe.study.settings import PriceSettings, Settings

ROOT: Final = Path(__file__).parents[2]
SCRIPT: Final = ROOT / "scripts" / "reference.py"


def _commands() -> Iterator[click.Command]:
    context = click.Context(astrolabe)
    for name in COMMANDS:
        command = astrolabe.get_command(context, name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from command.commands.values()


def _check(docs: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--check", "--docs", str(docs)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A copy of the pages."""
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("_build"))
    return tmp_path / "docs"


def test_what_is_made_from_the_code_is_current() -> None:
    done = _check(ROOT / "docs")

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("page", "text"),
    [("commands.md", "--budget"), ("methods/vanilla.md", "dense search"), ("metrics.md", "average precision")],
)
def test_a_stale_page_is_named(page: str, text: str, docs: Path) -> None:
    path = docs / page
    path.write_text(path.read_text("utf-8").replace(text, "something else"), "utf-8")

    done = _check(docs)

    assert done.returncode == 1
    assert done.stderr == f"{page} is stale; run: python scripts/reference.py\n"


def test_every_option_says_what_it_does() -> None:
    silent = [
        f"{command.name} {option.opts[0]}"
        for command in _commands()
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]

    assert not silent


def test_every_argument_and_its_choices_stand_in_the_help() -> None:
    silent: list[str] = []
    for command in _commands():
        for argument in command.params:
            if isinstance(argument, click.Argument):
                name = argument.make_metavar(click.Context(command)).strip("[].")
                choices = argument.type.choices if isinstance(argument.type, click.Choice) else ()
                silent += [f"{command.name} {word}" for word in (name, *choices) if word not in (command.help or "")]

    assert not silent


def test_every_setting_stands_on_its_page_with_its_default() -> None:
    page = (ROOT / "docs" / "study.md").read_text("utf-8")
    documented = dict(re.findall(r"^\| `([\w.]+)` \| (.+?) \|", page, re.MULTILINE))
    defaults = dict(_settings(Settings))

    assert {key: documented.get(key) for key in defaults} == defaults


def _settings(kind: type[BaseModel], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield each key of a part of the settings, dotted, and its default as the page writes it."""
    for name, field in kind.model_fields.items():
        inner: object = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _settings(inner, f"{before}{name}.")
        elif name == "prices":
            yield from _settings(PriceSettings, f"{name}.MODEL.")
        elif field.is_required():
            yield f"{before}{name}", "needed"
        elif field.default is None:
            yield f"{before}{name}", "none"
        else:
            default = '""' if field.default == "" else repr(field.default)
            yield f"{before}{name}", f"`{default}`"
