"""The command `astrolabe`: its subcommands are imported when they are called."""

from importlib import import_module
from typing import Final

import click

import astrolabe as package
from astrolabe.cli.talk import unread

COMMANDS: Final[dict[str, str]] = {
    "quickstart": "The main job on bundled real documents: no key, no network.",
    "ask": "Ask a question over files and read the answer with its evidence.",
    "new": "Make a study.",
    "ingest": "Read files and folders into documents and passages.",
    "import": "Read a benchmark in a foreign format.",
    "check": "Validate a benchmark, answers or comments file.",
    "plan": "Say what a command would call before anything is paid for.",
    "run": "Answer the questions with methods, or with a system of yours.",
    "score": "Score answers, also those made elsewhere.",
    "compare": "Intervals, paired tests and groups that cannot be told apart.",
    "report": "Tables and one self-contained page.",
    "status": "What is done, failed and missing in a study.",
    "calls": "Carry a study's recorded calls elsewhere, or bring them here.",
    "stats": "What a benchmark holds.",
    "methods": "The methods, their parameters and costs.",
    "metrics": "The metrics, their ranges and sources.",
    "models": "The embedded models; fetch one.",
    "doctor": "What works on this machine, and what to do about the rest.",
}


class _Group(click.Group):
    """Knows each command's one-line help without importing it, and turns every end into an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the commands in the order of the work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"astrolabe.cli.commands.{cmd_name}_command")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """List the commands from the table above: importing all of them would slow `--help` down."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; click itself would call a reader that has seen enough a fault."""
        return unread(lambda: super(_Group, self).invoke(ctx))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the commands that there are where one is misspelled."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}; choose one of {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package.__version__, prog_name="astrolabe")
def astrolabe() -> None:
    """Answer hard questions about a set of documents, and prove how good the answers are.

    Start with `astrolabe quickstart`, or `astrolabe ask "QUESTION" PATH...`.
    """
