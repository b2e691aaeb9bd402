"""`astrolabe methods`."""

import click

from astrolabe.cli.catalogue import describe, print_entry
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.talk import Exit, give_object
from astrolabe.methods import METHODS


@click.command("methods")
@common_options
def command(common: Common) -> int:
    """List the methods with their parameters, defaults, sources and costs."""
    for kind in METHODS.values():
        entry = describe(kind, facts=("paper", "index_calls", "question_calls"))
        if common.as_json:
            give_object(entry)
        else:
            print_entry(kind, entry)
    return Exit.DONE
