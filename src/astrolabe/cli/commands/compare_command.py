"""`astrolabe compare`."""

import click

from astrolabe.cli.drawing import print_table
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.result_page import print_results
from astrolabe.cli.session import study_of
from astrolabe.cli.talk import Exit, give, give_records
from astrolabe.compare import Correction
from astrolabe.report.tables import pairs
from astrolabe.study.reporting import Surroundings, material_of
from astrolabe.study.study_scores import compare_study


@click.command("compare")
@click.option(
    "--correction",
    type=click.Choice(["holm", "bonferroni", "none"]),
    default="holm",
    show_default=True,
    help="How p is corrected for testing all pairs of a metric in a scope.",
)
@click.option(
    "--confidence",
    metavar="SHARE",
    type=click.FloatRange(0.5, 0.999),
    default=0.95,
    show_default=True,
    help="How sure intervals and verdicts are.",
)
@common_options
def command(common: Common, *, correction: Correction, confidence: float) -> int:
    """Compare the methods: intervals, paired tests, groups that cannot be told apart, questions needed."""
    study = study_of(common)
    shown = compare_study(study, correction=correction, confidence=confidence)
    if common.as_json:
        give_records(shown.results.comparisons)
        return Exit.DONE
    material = material_of(shown, Surroundings(title="", study=study))
    print_results(material)
    print_table(pairs(material))
    for path in shown.written:
        give(str(path))
    return Exit.DONE
