"""`astrolabe compare`."""

import click

from astrolabe.cli.drawing import print_table
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.result_page import print_results
from astrolabe.cli.session import study_of
from astrolabe.cli.talk import Exit, give, give_records
from astrolabe.cli.testing_options import testing_options
from astrolabe.compare import Correction
from astrolabe.report.tables import pairs
from astrolabe.study.reporting import Surroundings, material_of
from astrolabe.study.study_scores import compare_study


@click.command("compare")
@testing_options
@common_options
def command(common: Common, *, correction: Correction, confidence: float, resamples: int) -> int:
    """Compare the methods: intervals, paired tests, groups that cannot be told apart, questions needed."""
    study = study_of(common)
    shown = compare_study(study, correction=correction, confidence=confidence, resamples=resamples)
    if common.as_json:
        give_records(shown.results.comparisons)
        return Exit.DONE
    material = material_of(shown, Surroundings(title="", study=study))
    print_results(material)
    print_table(pairs(material))
    for path in shown.written:
        give(str(path))
    return Exit.DONE
