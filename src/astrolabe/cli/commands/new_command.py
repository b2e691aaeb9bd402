"""`astrolabe new`."""

from pathlib import Path

import click

from astrolabe.cli.options import Common, common_options
from astrolabe.cli.talk import Exit, give, give_object, say
from astrolabe.study.study import new_study


@click.command("new")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@common_options
def command(common: Common, *, folder: Path) -> int:
    """Make a study in the folder DIR: a commented study.toml, ready for `astrolabe ingest`."""
    study = new_study(folder)
    if common.as_json:
        give_object({"study": str(folder), "settings": str(study.folder.settings)})
        return Exit.DONE
    say(f"next: astrolabe ingest PATH... --study {folder}")
    give(str(study.folder.settings))
    return Exit.DONE
