"""`astrolabe metrics`."""

import math
from typing import TYPE_CHECKING

import click

from astrolabe.cli.catalogue import describe, print_entry
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.talk import Exit, give_object
from astrolabe.metrics import METRICS

if TYPE_CHECKING:
    from pydantic import JsonValue


@click.command("metrics")
@common_options
def command(common: Common) -> int:
    """List the metrics with their parameters, ranges and sources."""
    for kind in METRICS.values():
        worst, best = kind().range
        # A range without bound has no number in JSON.
        bounds: dict[str, JsonValue] = {"worst": worst if math.isfinite(worst) else None, "best": best}
        entry = {**describe(kind, facts=()), **bounds}
        if common.as_json:
            give_object(entry)
        else:
            print_entry(kind, entry)
    return Exit.DONE
