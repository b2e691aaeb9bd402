"""The options of what compares methods."""

from collections.abc import Callable

import click

from astrolabe.cli.options import Body
from astrolabe.compare import RESAMPLES


def testing_options(body: Body) -> Body:
    """Add the options of what compares methods: how p is corrected, how sure intervals are and what is behind them."""
    for option in reversed(_TESTING):
        body = option(body)
    return body


_TESTING: list[Callable[[Body], Body]] = [
    click.option(
        "--correction",
        type=click.Choice(["holm", "bonferroni", "none"]),
        default="holm",
        show_default=True,
        help="How p is corrected for testing all pairs of a metric in a scope.",
    ),
    click.option(
        "--confidence",
        metavar="SHARE",
        type=click.FloatRange(0.5, 0.999),
        default=0.95,
        show_default=True,
        help="How sure intervals and verdicts are.",
    ),
    click.option(
        "--resamples",
        metavar="N",
        type=click.IntRange(100, 100_000),
        default=RESAMPLES,
        show_default=True,
        help="Bootstrap samples behind an interval.",
    ),
]
