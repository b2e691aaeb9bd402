"""The options that every command has, and what they come to."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

import astrolabe

F = TypeVar("F", bound=Callable[..., Any])
CallMode = Literal["reuse", "live", "replay"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """The values of the options that every command has."""

    study: Path
    as_json: bool
    seed: int | None
    limit: int | None
    calls: CallMode
    budget: str | None


def common_options(command: F) -> F:
    """Add the options of every command; the function gets them as `study`, `as_json`, `seed`, ..."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS: list[Callable[[F], F]] = [  # pyright: ignore[reportGeneralTypeIssues] - decorators keep the type of what they wrap
    click.option(
        "--study",
        type=click.Path(path_type=Path),
        default=Path(),
        show_default="the current folder",
        metavar="DIR",
        help="The study's folder.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print records as JSON lines; nothing else on stdout."),
    click.option("--seed", type=click.IntRange(min=0), help="Replaces the seed of study.toml."),
    click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N items."),
    click.option(
        "--calls",
        type=click.Choice(["reuse", "live", "replay"]),
        default="reuse",
        show_default=True,
        help="Use recorded replies, ask again, or use nothing but the record.",
    ),
    click.option("--budget", metavar="CAP", help="Stop at a cap such as 0.50usd, 2Mtokens or 10min."),
    click.version_option(astrolabe.__version__, prog_name="astrolabe"),
]
