"""`astrolabe models`."""

from pathlib import Path

import click

from astrolabe.cli.drawing import TerminalProgress
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.talk import Exit, give, give_object, say
from astrolabe.study.machine import embedded_models, fetch_model


@click.group("models", invoke_without_command=True)
@common_options
def command(common: Common) -> int:
    """List the embedded models with licence, size and place; `fetch NAME` brings one here."""
    if click.get_current_context().invoked_subcommand is not None:
        return Exit.DONE
    for model in embedded_models():
        if common.as_json:
            give_object(dict(model.model_dump()))
        else:
            give(f"{model.name}  ({model.role})")
            give(f"    {model.about}")
            give(f"    licence {model.licence}; {model.megabytes} MB; sha256 {model.sha256[:16]}...")
            give(f"    {model.state}\n")
    return Exit.DONE


@command.command("fetch")
@click.argument("name")
@click.option(
    "--file", metavar="PATH", type=click.Path(exists=True, path_type=Path), help="Take the weights from this file."
)
@common_options
def fetch(common: Common, *, name: str, file: Path | None) -> int:
    """Bring the weights of NAME here and check their SHA-256; what is here already is kept."""
    with TerminalProgress() as progress:
        path = fetch_model(name, file, progress)
    if common.as_json:
        give_object({"name": name, "path": str(path)})
    else:
        say(f"{name} is here and its SHA-256 is right")
        give(str(path))
    return Exit.DONE
