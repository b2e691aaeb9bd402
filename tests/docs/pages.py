"""What stands in the README and the pages: fenced blocks, and the command lines in them."""

import re
import shlex
from pathlib import Path
from typing import Final, NamedTuple

import click

from astrolabe.cli.group import astrolabe

_FENCE: Final = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block: its language and its text."""

    language: str
    text: str


def blocks(path: Path) -> list[Block]:
    """Return a page's fenced blocks, in order."""
    return [Block(*found) for found in _FENCE.findall(path.read_text("utf-8"))]


def shell_lines(path: Path) -> list[str]:
    """Return the lines of a page's bash blocks, comments and empty lines left out."""
    lines = [line for block in blocks(path) if block.language == "bash" for line in block.text.splitlines()]
    return [bare for line in lines if (bare := line.partition(" # ")[0].strip())]


def parse(line: str) -> None:
    """Read a line that begins with `astrolabe` as the command would, without running it.

    Raises:
        click.UsageError: The command or an option does not exist.
    """
    _, name, *arguments = shlex.split(line)
    context = click.Context(astrolabe, info_name="astrolabe")
    command = astrolabe.get_command(context, name)
    if command is None:
        raise click.UsageError(f"there is no command {name!r}")
    with command.make_context(name, arguments, parent=context) as made:
        if isinstance(command, click.Group) and arguments:
            _, inner, rest = command.resolve_command(made, arguments)
            assert inner is not None
            inner.make_context(arguments[0], rest, parent=made)
        if name == "plan":
            parse(shlex.join(["astrolabe", made.params["planned"], *made.params["arguments"]]))
