"""`astrolabe report`."""

from typing import cast

import click

from astrolabe.cli.options import Common, common_options
from astrolabe.cli.session import split_names, study_of
from astrolabe.cli.talk import Exit, give, give_object
from astrolabe.core.errors import ConfigError
from astrolabe.report import FORMATS, Format
from astrolabe.study.reporting import write_study_report
from astrolabe.study.study_scores import compare_study


@click.command("report")
@click.option(
    "--to",
    "formats",
    metavar="LIST",
    multiple=True,
    help=f"Formats with commas between: {','.join(FORMATS)}. Default: all.",
)
@common_options
def command(common: Common, *, formats: tuple[str, ...]) -> int:
    """Write tables and one self-contained page, from the scores of the study."""
    chosen = split_names(formats) or list(FORMATS)
    unknown = [name for name in chosen if name not in FORMATS]
    if unknown:
        raise ConfigError(f"--to {','.join(unknown)}: no such format; choose of {', '.join(FORMATS)}")
    study = study_of(common)
    shown = compare_study(study)
    written = write_study_report(study, shown, cast("list[Format]", chosen))
    if common.as_json:
        give_object({"written": [str(path) for path in written]})
    else:
        for path in written:
            give(str(path))
    return Exit.DONE
