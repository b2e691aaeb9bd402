"""`astrolabe run`."""

import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

import click

from astrolabe.cli.drawing import TerminalProgress
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.session import answer_option, asking_of, embed_option, run_loop, split_names, study_of
from astrolabe.cli.talk import Exit, give, give_records, say
from astrolabe.core.errors import ConfigError
from astrolabe.study.answers import count_states
from astrolabe.study.running import RunRequest, run


@click.command("run")
@click.option(
    "--method", "methods", metavar="SPEC", multiple=True, help="A method such as vanilla(k=5); repeat, or 'all'."
)
@click.option(
    "--scope", "scopes", metavar="NAME", multiple=True, help="A scope (simple, middle, hard); repeat. Default: all."
)
@click.option("--system", metavar="URL|MODULE:FUNCTION", help="Run a system of yours beside the methods.")
@click.option(
    "--system-timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    default=120.0,
    show_default=True,
    help="The longest that your system may take for one answer.",
)
@click.option("--question", "questions", metavar="ID", multiple=True, help="Only this question; repeat.")
@answer_option
@embed_option
@common_options
def command(
    common: Common,
    *,
    methods: tuple[str, ...],
    scopes: tuple[str, ...],
    system: str | None,
    system_timeout: float,
    questions: tuple[str, ...],
    answer: str | None,
    embed: str | None,
) -> int:
    """Answer the study's questions with methods, or with a system of yours.

    Every answer is a record: stop the command anywhere, and the same command goes on without asking twice.

    A system of yours gets {question_id, question, scope, documents} and returns
    {text, contexts?: [{text, document_id?}], usage?}, over HTTP (POST) or as a Python function.
    """
    given = {
        "methods": methods,
        "scopes": scopes,
        "system": system,
        "system_timeout": system_timeout,
        "questions": questions,
    }
    request = request_of(given, common.limit)
    study = study_of(common)
    # What the user's own function prints is talk.
    with TerminalProgress() as progress, redirect_stdout(sys.stderr):
        result = run_loop(run(study, request, asking_of(common, answer=answer, embed=embed), progress))
    if common.as_json:
        give_records(result.answers)
    counts = count_states(result.answers)
    for answered in result.answers:
        if answered.status != "ok":
            say(f"{answered.status}: {answered.method}, {answered.scope}, {answered.question_id}: {answered.reason}")
    for lack in result.lacking:
        say(f"index not whole: {lack}; the missing ones are asked for when it is opened next")
    said = ", ".join(f"{number} {state}" for state, number in counts.items())
    said = said or ("nothing done" if result.stopped else "nothing to do")
    say(f"{said}; {result.kept} stood already")
    if not common.as_json:
        for method in dict.fromkeys(answered.method for answered in result.answers):
            give(str(study.folder.answers(method)))
    if result.stopped:
        say(f"stopped: {result.stopped}; the same command goes on from here")
        return Exit.STOPPED
    return Exit.GAPS if result.lacking or set(counts) - {"ok"} else Exit.DONE


def request_of(given: Mapping[str, Any], limit: int | None) -> RunRequest:
    """Return what the options ask for.

    Raises:
        ConfigError: They ask for nothing.
    """
    if not given["methods"] and not given["system"]:
        raise ConfigError("nothing to run: give --method SPEC (see: astrolabe methods) or --system URL|MODULE:FUNCTION")
    return RunRequest(
        methods=split_names(given["methods"]),
        scopes=split_names(given["scopes"]),
        system=given["system"],
        system_timeout_seconds=given["system_timeout"],
        questions=given["questions"],
        limit=limit,
    )
