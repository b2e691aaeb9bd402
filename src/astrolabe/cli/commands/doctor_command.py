"""`astrolabe doctor`."""

import click

from astrolabe.cli.options import Common, common_options
from astrolabe.cli.talk import Exit, give, give_object
from astrolabe.store.folder import StudyFolder
from astrolabe.study.doctor import examine
from astrolabe.study.study import Study


@click.command("doctor")
@common_options
def command(common: Common) -> int:
    """Say what works on this machine, and what to do about the rest."""
    findings = examine(Study(StudyFolder(common.study)))
    if common.as_json:
        give_object({"findings": [finding.model_dump() for finding in findings]})
        return Exit.DONE
    for finding in findings:
        give(f"{'works' if finding.works else 'no':<6} {finding.what}: {finding.found}")
        if finding.advice:
            give(f"       {finding.advice}")
    return Exit.DONE
