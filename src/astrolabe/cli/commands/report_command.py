"""`astrolabe report`."""

from pathlib import Path
from typing import cast

import click

from astrolabe.cli.options import Common, common_options
from astrolabe.cli.session import split_names, study_of
from astrolabe.cli.talk import Exit, give, give_object
from astrolabe.cli.testing_options import testing_options
from astrolabe.compare import Correction
from astrolabe.core.errors import ConfigError
from astrolabe.report import FORMATS, Format
from astrolabe.study.elsewhere import figures_of
from astrolabe.study.reporting import write_study_report
from astrolabe.study.study import open_study
from astrolabe.study.study_scores import compare_study


@click.command("report")
@click.option(
    "--to",
    "formats",
    metavar="LIST",
    multiple=True,
    help=f"Formats with commas between: {','.join(FORMATS)}. Default: all.",
)
@click.option(
    "--beside",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Another study, whose main figures stand in one table with these: another benchmark or model; repeat.",
)
@testing_options
@common_options
def command(
    common: Common,
    *,
    formats: tuple[str, ...],
    beside: tuple[Path, ...],
    correction: Correction,
    confidence: float,
    resamples: int,
) -> int:
    """Write tables and one self-contained page, from the scores of the study."""
    chosen = split_names(formats) or list(FORMATS)
    unknown = [name for name in chosen if name not in FORMATS]
    if unknown:
        raise ConfigError(f"--to {','.join(unknown)}: no such format; choose of {', '.join(FORMATS)}")
    study = study_of(common)
    others = figures_of([open_study(root) for root in beside])
    shown = compare_study(study, correction=correction, confidence=confidence, resamples=resamples)
    written = write_study_report(study, shown, cast("list[Format]", chosen), elsewhere=others)
    if common.as_json:
        give_object({"written": [str(path) for path in written]})
    else:
        for path in written:
            give(str(path))
    return Exit.DONE
