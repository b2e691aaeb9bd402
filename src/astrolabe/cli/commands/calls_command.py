"""`astrolabe calls`."""

from dataclasses import asdict
from pathlib import Path

import click

from astrolabe.cli.options import Common, common_options
from astrolabe.cli.session import run_loop, study_of
from astrolabe.cli.talk import Exit, give, give_object, say
from astrolabe.core.plural import plural
from astrolabe.store.carried import Carried
from astrolabe.study.calls import export_calls, import_calls

_FILE = click.Path(path_type=Path)


@click.group("calls")
@common_options
def command(common: Common) -> int:
    """Carry a study's recorded calls elsewhere as one file, or bring them here.

    With them `--calls replay` makes a run again without a network, and nothing is asked twice.
    """
    # Options before `export` and `import` mean the same as behind them.
    click.get_current_context().default_map = dict.fromkeys(("export", "import"), asdict(common))
    return Exit.DONE


@command.command("export")
@click.argument("file", metavar="FILE", type=_FILE)
@click.option("--vectors/--no-vectors", default=True, show_default=True, help="Take the embedded texts along.")
@common_options
def export(common: Common, *, file: Path, vectors: bool) -> int:
    """Write all recorded calls of the study to FILE (gzip over JSON lines, ending in its own SHA-256).

    Replies, failures and embedded texts are in it, and what answers and scores took. No key is: none is recorded.
    """
    counts = run_loop(export_calls(study_of(common), file, vectors=vectors))
    if common.as_json:
        give_object({**counts.model_dump(exclude={"known"}), "file": str(file)})
    else:
        say(_said(counts))
        give(str(file))
    return Exit.DONE


@command.command("import")
@click.argument("file", metavar="FILE", type=_FILE)
@common_options
def take(common: Common, *, file: Path) -> int:
    """Add the calls of FILE to those of the study; what the study has already stays as it is.

    It is all or nothing: of a FILE that is torn or was changed nothing is taken.
    """
    study = study_of(common)
    counts = run_loop(import_calls(study, file))
    if common.as_json:
        give_object({**counts.model_dump(), "file": str(study.folder.calls)})
    else:
        say(f"{_said(counts)}; {counts.known} {plural(counts.known, 'row was', 'rows were')} here already")
        give(str(study.folder.calls))
    return Exit.DONE


def _said(counts: Carried) -> str:
    carried = (
        (counts.replies, plural(counts.replies, "reply", "replies")),
        (counts.failures, plural(counts.failures, "failure")),
        (counts.vectors, plural(counts.vectors, "vector")),
        (counts.took, plural(counts.took, "note")),
    )
    return ", ".join(f"{number} {word}" for number, word in carried)
