"""`astrolabe import`."""

from pathlib import Path
from typing import Final

import click

from astrolabe.benchmark import IMPORTERS, write_imported
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.session import asking_of, embed_option, run_loop, study_of
from astrolabe.cli.talk import Exit, give, give_object, say
from astrolabe.study.importing import take_imported

SHOWN: Final = 10
"""Problems that are told one by one; --json counts them all."""


@click.command("import")
@click.argument("form", metavar="FORMAT", type=click.Choice(sorted(IMPORTERS)))
@click.argument("path", metavar="PATH", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write plain files into DIR; no study is needed.",
)
@embed_option
@common_options
def command(common: Common, *, form: str, path: Path, folder: Path | None, embed: str | None) -> int:
    """Read the benchmark PATH: into the study, or with --to as bench.jsonl, answers.jsonl, documents.jsonl.

    FORMAT is 2wiki, astra, fanoutqa, hotpotqa, jsonl, monaco, musique, qampari, qmsum, scholarqa or squality. What
    could not be read without a guess is reported with its line.
    """
    imported = IMPORTERS[form](path)
    problems = list(imported.problems)
    if folder is not None:
        written = write_imported(imported, folder)
    else:
        study = study_of(common)
        taken = run_loop(take_imported(study, imported, asking_of(common, embed=embed)))
        problems += taken.problems
        written = taken.written
    for problem in problems[:SHOWN]:
        say(f"{problem.severity}: {problem}")
    if len(problems) > SHOWN:
        say(f"... and {len(problems) - SHOWN} more")
    counts = {
        "questions": len(imported.questions),
        "documents": len(imported.documents),
        "answers": len(imported.answers),
        "labels": len(imported.labels),
        "problems": len(problems),
    }
    if common.as_json:
        give_object({**counts, "written": [str(place) for place in written]})
    else:
        say(", ".join(f"{number} {what}" for what, number in counts.items()))
        for place in written:
            give(str(place))
    return Exit.DONE
