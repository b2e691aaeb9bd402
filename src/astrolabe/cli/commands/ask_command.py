"""`astrolabe ask`."""

import os
from pathlib import Path

import click

from astrolabe.cli.answer_page import print_answer
from astrolabe.cli.drawing import TerminalProgress
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.session import answer_option, asking_of, embed_option, run_loop, study_of
from astrolabe.cli.talk import Exit, give_records, say
from astrolabe.cli.trace_page import print_trace
from astrolabe.study.asking import ask, check_asked, study_of_paths


@click.command("ask")
@click.argument("question")
@click.argument("paths", metavar="[PATH...]", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--method", metavar="SPEC", help="How to answer. Default: vanilla where a model can answer, else extractive."
)
@click.option(
    "--seconds-per-file",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    help="A file that takes longer is failed; the others are read.",
)
@click.option("--trace", is_flag=True, help="Also print what the method looked at on its way, step by step.")
@answer_option
@embed_option
@common_options
def command(
    common: Common,
    *,
    question: str,
    paths: tuple[Path, ...],
    method: str | None,
    seconds_per_file: float,
    trace: bool,
    answer: str | None,
    embed: str | None,
) -> int:
    """Answer QUESTION over files and folders (PATH...), or over the study's documents, and show the evidence.

    With paths and no study, what was read is kept in your cache folder, so that the next question is quick.
    """
    asking = asking_of(common, answer=answer, embed=embed)
    # An old locale hands over as single bytes what is UTF-8.
    text = os.fsencode(question).decode("utf-8", errors="replace")
    check_asked(text, method)
    with TerminalProgress() as progress:
        if paths:
            study = study_of_paths(paths, progress, seconds_per_file=seconds_per_file)
            say(f"read into {study.folder.root}")
        else:
            study = study_of(common)
        result = run_loop(ask(study, text, method, asking, progress=progress))
    if result.why:
        say(f"answered without a model: {result.why}")
    if common.as_json:
        give_records([result.answer])
    else:
        print_answer(result)
        if trace:
            print_trace(result.answer, result.passages)
    return Exit.DONE if result.answer.status == "ok" else Exit.GAPS
