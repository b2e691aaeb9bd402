"""The options that every command has."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Literal, cast

import click

import astrolabe

CallMode = Literal["reuse", "live", "replay"]
Body = Callable[..., int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """The values of the options that every command has."""

    study: Path
    as_json: bool
    seed: int | None
    limit: int | None
    calls: CallMode
    budget: str | None


def common_options(body: Body) -> Body:
    """Add the options of every command; the function gets them as one `Common`, its first argument."""

    @wraps(body)
    def command(**given: Any) -> int:  # noqa: ANN401 - click hands options over by name
        """Give the function the common options as one value."""
        common = Common(
            study=cast("Path", given.pop("study")),
            as_json=given.pop("as_json"),
            seed=given.pop("seed"),
            limit=given.pop("limit"),
            calls=given.pop("calls"),
            budget=given.pop("budget"),
        )
        return body(common, **given)

    decorated: Body = command
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_OPTIONS: list[Callable[[Body], Body]] = [
    click.option(
        "--study",
        type=click.Path(path_type=Path),
        default=Path(),
        show_default="the current folder",
        metavar="DIR",
        help="The study's folder.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print records as JSON lines; nothing else on stdout."),
    click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Replaces the seed of study.toml."),
    click.option(
        "--limit",
        type=click.IntRange(min=1),
        metavar="N",
        help="At most N questions of each scope (run, quickstart, plan run), or N answers in all (score, plan score).",
    ),
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
