"""`astrolabe plan`."""

from typing import Any, Final

import click

from astrolabe.cli.drawing import TerminalProgress, print_rows
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.session import asking_of, run_loop, split_names, study_of
from astrolabe.cli.talk import Exit, give_object, say
from astrolabe.core.errors import ConfigError
from astrolabe.study.plan import StagePlan, plan_run, plan_score, plan_score_file

WITHOUT_CALLS: Final = (
    "new",
    "ingest",
    "import",
    "check",
    "compare",
    "report",
    "status",
    "calls",
    "stats",
    "methods",
    "metrics",
    "models",
    "doctor",
)


@click.command("plan", context_settings={"ignore_unknown_options": True})
@click.argument("planned", metavar="COMMAND")
@click.argument("arguments", metavar="[ARGS]...", nargs=-1, type=click.UNPROCESSED)
@common_options
def command(common: Common, *, planned: str, arguments: tuple[str, ...]) -> int:
    """Say what COMMAND would call, before anything is paid for: calls, tokens, money, time by stage.

    COMMAND is run or score, ARGS what you would give it. What the record already has is free.
    Calls are exact where the method fixes them; reply tokens, money and seconds are estimates.
    """
    if planned in WITHOUT_CALLS:
        stages: list[StagePlan] = []
    else:
        stages = _plan(common, planned, _parsed(planned, arguments))
    if common.as_json:
        give_object({"stages": [stage.model_dump() for stage in stages]})
        return Exit.DONE
    if not stages:
        say(f"{planned} asks no model")
        return Exit.DONE
    print_rows(
        (
            "stage",
            "new calls",
            "recorded",
            "prompt tokens",
            "reply tokens (estimate)",
            "usd (estimate)",
            "minutes (estimate)",
        ),
        [
            (
                stage.stage,
                _calls(stage),
                stage.recorded,
                stage.prompt_tokens,
                stage.completion_tokens,
                stage.usd,
                round(stage.seconds / 60, 1),
            )
            for stage in stages
        ],
    )
    return Exit.DONE


def _calls(stage: StagePlan) -> str:
    """Return a stage's new calls: their number, or between which numbers it lies."""
    return str(stage.calls) if stage.calls_low == stage.calls_high else f"{stage.calls_low} to {stage.calls_high}"


def _plan(common: Common, planned: str, given: dict[str, Any]) -> list[StagePlan]:
    from astrolabe.cli.commands import run_command, score_command

    asking = asking_of(common, answer=given.get("answer"), judge=given.get("judge"), embed=given.get("embed"))
    with TerminalProgress() as progress:
        if planned == "run":
            return run_loop(plan_run(study_of(common), run_command.request_of(given, common.limit), asking, progress))
        files, metrics = score_command.files_of(given), split_names(given["metrics"])
        if files is not None:
            return run_loop(plan_score_file(*files, metrics, asking, progress=progress, limit=common.limit))
        methods = split_names(given["methods"])
        return run_loop(plan_score(study_of(common), metrics, asking, progress, methods=methods, limit=common.limit))


def _parsed(planned: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """Read the arguments as that command would."""
    from astrolabe.cli.commands import run_command, score_command

    commands = {"run": run_command.command, "score": score_command.command}
    if planned not in commands:
        known = ", ".join((*commands, *WITHOUT_CALLS))
        raise ConfigError(f"cannot plan {planned!r}; choose one of {known}")
    context = commands[planned].make_context(planned, list(arguments))
    return context.params
