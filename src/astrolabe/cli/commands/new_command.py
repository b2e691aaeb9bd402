"""`astrolabe new`."""

from pathlib import Path

import click

from astrolabe.cli.drawing import TerminalProgress
from astrolabe.cli.options import Common, common_options
from astrolabe.cli.session import asking_of, embed_option, run_loop
from astrolabe.cli.talk import Exit, give, give_object, say
from astrolabe.study.bundle import new_example
from astrolabe.study.study import new_study


@click.command("new")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--example", is_flag=True, help="Put two bundled documents and three questions over them into it.")
@embed_option
@common_options
def command(common: Common, *, folder: Path, example: bool, embed: str | None) -> int:
    """Make a study in the folder DIR: a commented study.toml, ready for `astrolabe ingest`.

    With --example it has documents and questions already, few enough to try any method on them: `astrolabe run`.
    """
    if example:
        with TerminalProgress() as progress:
            study = run_loop(new_example(folder, asking_of(common, embed=embed), progress))
    else:
        study = new_study(folder)
    if common.as_json:
        give_object({"study": str(folder), "settings": str(study.folder.settings)})
        return Exit.DONE
    say(f"next: astrolabe {'run --method METHOD' if example else 'ingest PATH...'} --study {folder}")
    give(str(study.folder.settings))
    return Exit.DONE
